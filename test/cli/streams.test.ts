import { afterAll, beforeAll, expect, test } from 'vitest'
import { masked, openTerminal, type Terminal } from './terminal.ts'

let terminal: Terminal
beforeAll(async () => {
  terminal = await openTerminal()
})
afterAll(() => terminal.local.stop())

const rheo: Terminal['rheo'] = async (line, typed) => {
  const { code, out, err } = await terminal.rheo(line, typed)
  return { code, out: masked(out), err: masked(err) }
}

test('streams are created, listed, shown and deleted', async () => {
  expect(await rheo('streams list')).toMatchInlineSnapshot(`
    {
      "code": 0,
      "err": "",
      "out": "no streams
    ",
    }
  `)
  expect(await rheo('streams create orders --partitions 2')).toMatchInlineSnapshot(`
    {
      "code": 0,
      "err": "",
      "out": "created orders with 2 partitions
    ",
    }
  `)
  await rheo('stream create audit')
  expect((await rheo('streams list')).out).toMatchInlineSnapshot(`
    "NAME    PARTITIONS  CREATED
    audit            1  2026-03-15T12:00:00.000Z
    orders           2  2026-03-15T12:00:00.000Z
    "
  `)
  await rheo('append orders --type placed --partition 1 --id order-1')
  expect((await rheo('streams show orders')).out).toMatchInlineSnapshot(`
    "name        orders
    partitions  2
    created     2026-03-15T12:00:00.000Z

    PARTITION  FIRST  HIGH WATERMARK  BYTES
    0              1               0      0
    1              1               1     70
    "
  `)
  expect(await rheo('streams delete audit --yes')).toMatchInlineSnapshot(`
    {
      "code": 0,
      "err": "",
      "out": "deleted audit
    ",
    }
  `)
})

test('a list that goes on says how', async () => {
  const { out, err } = await rheo('streams list --limit 1 --tenant paged')
  expect([out, err]).toEqual(['no streams\n', ''])
  for (const name of ['a', 'b']) await rheo(`streams create ${name} --tenant paged`)
  expect((await rheo('streams list --limit 1 --tenant paged')).err).toBe('There is more: --after a\n')
  expect((await rheo('streams list --limit 1 --after a --tenant paged')).err).toBe('')
})

test('failures have their code and detail on stderr, and exit code 1', async () => {
  expect(await rheo('streams show none')).toMatchInlineSnapshot(`
    {
      "code": 1,
      "err": "stream_not_found: there is no stream none
    ",
      "out": "",
    }
  `)
  expect(await rheo('streams show none --json')).toMatchInlineSnapshot(`
    {
      "code": 1,
      "err": "{"code":"stream_not_found","detail":"there is no stream none","stream":"none"}
    ",
      "out": "",
    }
  `)
  expect(await rheo('streams create orders')).toMatchObject({ code: 1, out: '' })
})

test('what cannot be undone is asked for, and not done without an answer', async () => {
  await rheo('streams create kept')
  expect(await rheo('streams delete kept')).toMatchInlineSnapshot(`
    {
      "code": 2,
      "err": "This deletes the stream kept with its events and groups, for ever: nobody can be asked here, so it takes --yes

    See: rheo streams delete --help
    ",
      "out": "",
    }
  `)
  expect(await rheo('streams delete kept', { isInteractive: true, stdin: 'no\n' })).toMatchInlineSnapshot(`
    {
      "code": 1,
      "err": "This deletes the stream kept with its events and groups, for ever. Type kept to go on: Nothing was done.
    ",
      "out": "",
    }
  `)
  expect(await rheo('streams delete kept', { isInteractive: true, stdin: '' })).toMatchObject({ code: 1 })
  expect(await rheo('streams delete kept', { isInteractive: true, stdin: 'kept\n' })).toMatchObject({
    code: 0,
    out: 'deleted kept\n',
  })
})

test('one event is appended, and met again by its id', async () => {
  expect(await rheo(['append', 'orders', '--id', 'order-2', '--payload', '{"total":12.5}'])).toMatchInlineSnapshot(`
    {
      "code": 0,
      "err": "",
      "out": "appended: 0/1 order-2
    ",
    }
  `)
  expect(await rheo(['append', 'orders', '--id', 'order-2', '--payload', '{"total":12.5}'])).toMatchInlineSnapshot(`
    {
      "code": 0,
      "err": "",
      "out": "was there before: 0/1 order-2
    ",
    }
  `)
  expect(await rheo('append orders --id order-2')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^id_conflict: /),
  })
  expect(await rheo('append orders --partition 0 --expect-sequence 7')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^sequence_conflict: /),
  })
  expect(await rheo('append orders --payload 7')).toMatchInlineSnapshot(`
    {
      "code": 2,
      "err": "--payload must be a JSON object, such as '{"a":1}'

    See: rheo append --help
    ",
      "out": "",
    }
  `)
})

test('lines of a file or stdin are appended, and a wrong one is named', async () => {
  await rheo('streams create lines')
  const stdin = Array.from({ length: 2_500 }, (_, n) => `{"id":"e${n}","payload":{"n":${n}}}\n`).join('')
  expect(await rheo('append lines --file -', { stdin })).toEqual({
    code: 0,
    out: '2500 appended, 0 there before\n',
    err: '',
  })
  const again = await rheo('append lines --file - --json', { stdin, isInteractive: true })
  expect(JSON.parse(again.out)).toEqual({ appended: 0, duplicates: 2_500 })
  expect(again.err).toBe('\r1000 events\r2000 events\r2500 events\n')
  expect(await rheo('append lines --file -', { stdin: '{}\n\n{}\n[1]\n{}\n' })).toMatchInlineSnapshot(`
    {
      "code": 1,
      "err": "failed: line 4 is no JSON object
    ",
      "out": "2 appended, 0 there before
    ",
    }
  `)
  expect(await rheo('append lines --file -', { stdin: '{}\n{"nope":1}\n' })).toMatchInlineSnapshot(`
    {
      "code": 1,
      "err": "lines 1 to 2 failed
    invalid_request: events[1].nope: is not a field of an event
    ",
      "out": "0 appended, 0 there before
    ",
    }
  `)
  expect(await rheo('append lines --file none.ndjson')).toMatchObject({
    code: 1,
    err: expect.stringContaining('ENOENT'),
  })
  expect(await rheo('append lines --file - --type a')).toMatchObject({ code: 2 })
})

test('a partition is read', async () => {
  await rheo('streams create read')
  await rheo(['append', 'read', '--type', 'placed', '--key', 'c-7', '--payload', '{"total":12.5}', '--id', 'a'])
  await rheo(['append', 'read', '--key', 'bell\u0007', '--payload', `{"long":"${'x'.repeat(80)}"}`, '--id', 'b'])
  expect((await rheo('read read')).out).toMatchInlineSnapshot(`
    "PLACE  TIMESTAMP                 TYPE    KEY         ID  PAYLOAD
    0/1    2026-03-15T12:00:00.000Z  placed  c-7         a   {"total":12.5}
    0/2    2026-03-15T12:00:00.000Z  -       bell\\u0007  b   {"long":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…
    "
  `)
  expect((await rheo('read read --limit 1')).err).toBe('There is more: --after 1\n')
  const { events } = JSON.parse((await rheo('read read --after 1 --json')).out)
  expect(events).toMatchObject([{ id: 'b', sequence: 2 }])
  expect(await rheo('read read --partition 3')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^invalid_partition: /),
  })
})

test('who reads a partition without naming it is told that there are others', async () => {
  await rheo('streams create parted --partitions 3')
  const told = 'Partition 0 of 3; --partition reads another, rheo query looks in all\n'
  expect(await rheo('read parted')).toEqual({ code: 0, out: 'no events\n', err: told })
  for (const line of ['read parted --partition 0', 'read parted --json', 'read read']) {
    expect(await rheo(line)).toMatchObject({ code: 0, err: '' })
  }
})

test('a stream is searched by pairs, by JSON, and to its end', async () => {
  await rheo('streams create sought --partitions 3')
  const lines = Array.from(
    { length: 30 },
    (_, n) => `{"id":"s${n}","key":"${n}","type":"t${n % 2}","payload":{"n":${n},"s":"${n}"}}\n`,
  )
  await rheo('append sought --file -', { stdin: lines.join('') })
  const found = async (line: readonly string[]) =>
    (JSON.parse((await rheo(['query', 'sought', '--json', ...line])).out).events as { id: string }[]).map(
      ({ id }) => id,
    )
  expect(await found(['n=7'])).toEqual(['s7'])
  expect(await found(['s=7'])).toEqual([])
  expect(await found(['s="7"'])).toEqual(['s7'])
  expect(await found(['key=7', 'type=t1'])).toEqual(['s7'])
  expect((await found(['type=t1', '--where', '{"n":{"gte":25}}'])).toSorted()).toEqual(['s25', 's27', 's29'])
  expect((await rheo('query sought n=7')).out).toMatchInlineSnapshot(`
    "PLACE  TIMESTAMP                 TYPE  KEY  ID  PAYLOAD
    0/4    2026-03-15T12:00:00.000Z  t1    7    s7  {"n":7,"s":"7"}
    "
  `)
  expect((await rheo('query sought --limit 5')).err).toMatch(/^There is more: --cursor \S+, or --all\n$/)
  const all = (await rheo('query sought type=t0 --all')).out.trim().split('\n')
  expect(all.map((line) => JSON.parse(line).type)).toEqual(Array(15).fill('t0'))
  expect(await rheo('query sought n')).toMatchObject({ code: 2 })
  expect(await rheo(['query', 'sought', '--where', '{"n":{"near":1}}'])).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^invalid_query: /),
  })
  expect(await rheo('query sought --order size')).toMatchObject({ code: 2 })
})

test('an event is shown with what became of it', async () => {
  await rheo('streams create shown')
  await rheo('append shown --id order-1 --type placed --key c-7')
  await rheo('groups create shown billing')
  const { leases } = await terminal.client.fetch('shown', 'billing', { consumerId: 'w-1' })
  await terminal.client.nack(leases[0]!, { reason: 'no answer', delayMs: 60_000 })
  expect((await rheo('event show shown order-1')).out).toMatchInlineSnapshot(`
    "id         order-1
    stream     shown
    place      0/1
    timestamp  2026-03-15T12:00:00.000Z
    type       placed
    key        c-7
    payload    {}
    metadata   {}

    GROUP    STATE    ATTEMPT  CONSUMER  UNTIL                     REASON
    billing  delayed        1  -         2026-03-15T12:01:00.000Z  no answer
    "
  `)
  expect(await rheo('event show shown none')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^event_not_found: /),
  })
})
