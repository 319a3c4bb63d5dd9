import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Done, masked, openTerminal, type Terminal } from './terminal.ts'

let terminal: Terminal
let stream: string
let count = 0
beforeAll(async () => {
  terminal = await openTerminal()
})
afterAll(() => terminal.local.stop())
beforeEach(async () => {
  stream = `orders-${++count}`
  await terminal.client.streams.create(stream, { partitionCount: 2 })
})

/** Runs a tail, and `then` after so many lines. */
function rheo(line: string, lines: number, then: () => unknown = terminal.interrupt): Promise<Done> {
  let seen = 0
  const onOut = () => {
    seen += 1
    if (seen === lines) void then()
  }
  return terminal.rheo(line, { onOut })
}

test('tail shows events as they come, and Ctrl-C ends it, saying how to go on', async () => {
  await terminal.client.append(stream, { type: 'placed', key: 'customer-7', payload: { total: 12.5 } })
  const first = await rheo(`tail ${stream} --from-start`, 1)
  expect({ ...first, out: masked(first.out), err: masked(first.err) }).toMatchInlineSnapshot(`
    {
      "code": 0,
      "err": "To go on from here: --after ID
    ",
      "out": "2026-03-15T12:00:00.000Z  0/1  placed  customer-7  {"total":12.5}
    ",
    }
  `)
  await terminal.client.append(stream, { partition: 1, payload: { text: 'x'.repeat(200) } })
  const position = /--after (\S+)/.exec(first.err)![1]
  const second = await rheo(`tail ${stream} --after ${position}`, 1)
  expect(second.out).toBe(`2026-03-15T12:00:00.000Z  1/1  -  -  {"text":"${'x'.repeat(90)}…\n`)
})

test('tail --json gives an event a line and nothing else', async () => {
  await terminal.client.appendMany(
    stream,
    [1, 2, 3].map((n) => ({ payload: { n } })),
  )
  const { events } = await terminal.client.read(stream, { after: 1 })
  const { code, out, err } = await rheo(`tail ${stream} --after 1 --partition 0 --json`, 2)
  expect([code, err]).toEqual([0, ''])
  expect(out).toBe(events.map((event) => `${JSON.stringify(event)}\n`).join(''))
})

test('tail takes conditions as query does', async () => {
  for (const [type, total] of [['a', 1] as const, ['b', 2] as const, ['b', 3] as const]) {
    await terminal.client.append(stream, { type, payload: { total } })
  }
  const pair = await rheo(`tail ${stream} --from-start --json type=b total=3`, 1)
  expect(JSON.parse(pair.out)).toMatchObject({ sequence: 3 })
  const json = await rheo(`tail ${stream} --from-start --json --where {"total":{"gte":2}}`, 2)
  expect(json.out.match(/"sequence":\d/g)).toEqual(['"sequence":2', '"sequence":3'])
})

test('tail ends when the stream is deleted', async () => {
  await terminal.client.append(stream, {})
  const done = await rheo(`tail ${stream} --from-start`, 1, () =>
    terminal.client.streams.delete(stream, { confirm: true }),
  )
  expect([done.code, done.err]).toEqual([0, 'The stream has been deleted.\n'])
})

test('nothing in an event steers the terminal of a tail', async () => {
  await terminal.client.append(stream, { type: '\u001b[31mred', key: 'a\nb', payload: {} })
  const { out } = await rheo(`tail ${stream} --from-start`, 1)
  expect(out).toBe(
    '2026-03-15T12:00:00.000Z  0/1  \\u001b[31mred  a\\u000ab  {}\n'.replace('0/1', /\d\/1/.exec(out)![0]),
  )
})

test('tail says what is wrong and ends', async () => {
  expect(await terminal.rheo(`tail ${stream} --from-start --after 3`)).toMatchObject({
    code: 2,
    err: expect.stringContaining('--from-start goes without --after'),
  })
  expect(await terminal.rheo('tail nobody-made-this')).toMatchObject({
    code: 1,
    err: 'stream_not_found: there is no stream nobody-made-this\n',
  })
  expect(await terminal.rheo(`tail ${stream} --after nonsense`)).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^cursor_not_found: after/),
  })
})
