import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { masked, openTerminal, type Terminal } from './terminal.ts'

let terminal: Terminal
let stream = ''
let count = 0
beforeAll(async () => {
  terminal = await openTerminal()
})
afterAll(() => terminal.local.stop())

beforeEach(async () => {
  count += 1
  stream = `orders-${count}`
  await terminal.client.streams.create(stream, { partitionCount: 2 })
  await terminal.client.appendMany(
    stream,
    [1, 2, 3, 4].map((n) => ({ id: `e${n}`, type: 'placed', partition: n === 4 ? 1 : 0, payload: { n } })),
  )
})

const rheo: Terminal['rheo'] = async (line, typed) => {
  const { code, out, err } = await terminal.rheo(line, typed)
  return { code, out: masked(out), err: masked(err) }
}

/** Leases the first few, of partition 0 unless all are wanted. */
const leaseIds = async (limit = 10) => {
  const partitions = limit < 4 ? [0] : [0, 1]
  const { leases } = await terminal.client.fetch(stream, 'billing', { limit, partitions, consumerId: 'w-1' })
  return leases.map(({ leaseId }) => leaseId)
}

test('groups are created, listed, shown, changed and deleted', async () => {
  expect((await rheo(`groups list ${stream}`)).out).toBe('no groups\n')
  expect(await rheo(`groups create ${stream} billing --max-attempts 3 --backoff 1000,2,60000`)).toMatchObject({
    code: 0,
    out: `created billing on ${stream}\n`,
  })
  await rheo(['groups', 'create', stream, 'late', '--start-after', '{"0":2}', '--paused'])
  expect((await rheo(`groups list ${stream}`)).out).toMatchInlineSnapshot(`
    "NAME     MAX ATTEMPTS  LEASE MS  MAX IN FLIGHT  PAUSED  CREATED
    billing             3     30000  -              no      2026-03-15T12:00:00.000Z
    late                5     30000  -              yes     2026-03-15T12:00:00.000Z
    "
  `)
  await leaseIds(1)
  terminal.local.clock.advance(1_000)
  expect((await rheo(`groups show ${stream} billing`)).out.replaceAll(stream, 'orders')).toMatchInlineSnapshot(`
    "name           billing
    stream         orders
    created        2026-03-15T12:00:00.000Z
    max attempts   3
    lease          30000 ms
    max in flight  -
    backoff        1000 ms, times 2, at most 60000 ms
    paused         no
    lag            4
    in flight      1
    delayed        0
    available      0
    dead letters   0
    oldest open    0/1 leased for 1000 ms

    PARTITION  FRONTIER  HIGH WATERMARK  LAG
    0                 0               3    3
    1                 0               1    1
    all                                    4
    "
  `)
  terminal.local.clock.set('2026-03-15T12:00:00.000Z')
  expect((await rheo(`groups patch ${stream} billing --max-in-flight 5 --backoff default --paused`)).code).toBe(0)
  const patched = JSON.parse((await rheo(`groups show ${stream} billing --json`)).out)
  expect(patched).toMatchObject({ maxInFlight: 5, backoff: null, paused: true, maxAttempts: 3 })
  await rheo(`groups patch ${stream} billing --max-in-flight default --no-paused`)
  const again = JSON.parse((await rheo(`groups show ${stream} billing --json`)).out)
  expect(again).toMatchObject({ maxInFlight: null, paused: false })
  expect(await rheo(`groups delete ${stream} billing --yes`)).toMatchObject({ code: 0, out: 'deleted billing\n' })
  expect(await rheo(`groups show ${stream} billing`)).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^group_not_found: /),
  })
})

test('a group that cannot be is refused', async () => {
  expect(await rheo(`groups create ${stream} late --start-after 99`)).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^invalid_start: /),
  })
  expect(await rheo(`groups create ${stream} late --max-attempts many`)).toMatchObject({ code: 2 })
  expect(await rheo(`groups create ${stream} late --backoff 1,2,3,4`)).toMatchObject({ code: 2 })
  await rheo(`groups create ${stream} billing`)
  expect(await rheo(`groups patch ${stream} billing`)).toMatchObject({ code: 2 })
  expect(await rheo(`groups delete ${stream} none --yes`)).toMatchObject({ code: 1 })
})

test('deliveries are fetched', async () => {
  await rheo(`groups create ${stream} billing`)
  expect((await rheo(`fetch ${stream} billing --partitions 0 --limit 2`)).out).toMatchInlineSnapshot(`
    "PLACE  ATTEMPT  EXPIRES                   TYPE    PAYLOAD  LEASE
    0/1          1  2026-03-15T12:00:30.000Z  placed  {"n":1}  LEASE
    0/2          1  2026-03-15T12:00:30.000Z  placed  {"n":2}  LEASE
    "
  `)
  const { leases } = JSON.parse((await terminal.rheo(`fetch ${stream} billing --consumer w-2 --json`)).out)
  expect(leases).toMatchObject([{ consumerId: 'w-2' }, { consumerId: 'w-2' }])
  expect((await rheo(`fetch ${stream} billing`)).out).toBe('nothing: all_leased\n')
  expect(await rheo(`fetch ${stream} none`)).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^group_not_found: /),
  })
  expect(await rheo(`fetch ${stream}`)).toMatchInlineSnapshot(`
    {
      "code": 2,
      "err": "Missing required positional argument: GROUP

    See: rheo fetch --help
    ",
      "out": "",
    }
  `)
})

test('leases are acked, nacked, rejected and released; a stale one is a failure', async () => {
  await rheo(`groups create ${stream} billing`)
  const [one, two, three, four] = await leaseIds()
  const settle = async (verb: string, lease: string, ...more: string[]) =>
    rheo([verb, stream, 'billing', lease, ...more])
  expect(await settle('ack', one!)).toMatchObject({ code: 0, out: expect.stringContaining('acked') })
  expect(await settle('nack', two!, '--reason', 'no answer', '--delay-ms', '60000')).toMatchObject({
    code: 0,
    out: expect.stringContaining('delayed  2026-03-15T12:01:00.000Z'),
  })
  expect(await settle('reject', three!, '--reason', 'no such customer')).toMatchObject({
    code: 0,
    out: expect.stringContaining('rejected'),
  })
  expect(await settle('release', four!)).toMatchObject({ code: 0, out: expect.stringContaining('available') })
  expect(await settle('ack', one!, '--json')).toMatchObject({ code: 1, out: expect.stringContaining('stale_lease') })
  for (const verb of ['ack', 'nack', 'reject', 'release']) {
    expect(await rheo([verb, stream, 'billing'])).toMatchObject({ code: 2 })
    expect(await settle(verb, 'nonsense')).toMatchObject({ code: 1, out: expect.stringContaining('stale_lease') })
  }
})

test('lag is shown, and watched until Ctrl-C', async () => {
  await rheo(`groups create ${stream} billing`)
  expect((await rheo(`groups lag ${stream} billing`)).out).toMatchInlineSnapshot(`
    "PARTITION  FRONTIER  HIGH WATERMARK  LAG
    0                 0               3    3
    1                 0               1    1
    all                                    4
    "
  `)
  const watching = terminal.rheo(`groups lag ${stream} billing --watch --interval-ms 20 --json`)
  await new Promise((resolve) => setTimeout(resolve, 100))
  terminal.interrupt()
  const { code, out } = await watching
  const lines = out.trim().split('\n')
  expect(code).toBe(0)
  expect(lines.length).toBeGreaterThan(1)
  expect(lines.map((line) => JSON.parse(line).lag)).toEqual(lines.map(() => 4))
  expect(await rheo(`groups lag ${stream} none`)).toMatchObject({ code: 1 })
})

test('holes are shown with what blocks', async () => {
  await rheo(`groups create ${stream} billing`)
  expect((await rheo(`groups holes ${stream} billing`)).out).toMatchInlineSnapshot(`
    "PARTITION  SEQUENCES  STATE        ATTEMPT  CONSUMER  UNTIL  REASON
    0          1-3        undelivered        0  -         -      -
    1          1          undelivered        0  -         -      -
    "
  `)
  const [, two] = await leaseIds(3)
  await rheo(['ack', stream, 'billing', two!])
  expect((await rheo(`groups holes ${stream} billing`)).out).toMatchInlineSnapshot(`
    "PARTITION  SEQUENCES  STATE        ATTEMPT  CONSUMER  UNTIL                     REASON
    0          1          leased             1  w-1       2026-03-15T12:00:30.000Z  -
    0          3          leased             1  -         -                         -
    1          1          undelivered        0  -         -                         -
    "
  `)
  expect(await rheo(`groups holes ${stream} billing --partition 9`)).toMatchObject({ code: 1 })
  await terminal.client.groups.create(stream, 'none', { start: 'latest' })
  expect((await rheo(`groups holes ${stream} none`)).out).toBe('no holes\n')
})

test('leases are listed, and taken from a consumer', async () => {
  await rheo(`groups create ${stream} billing`)
  expect((await rheo(`leases list ${stream} billing`)).out).toBe('no leases\n')
  await leaseIds(2)
  expect((await rheo(`leases list ${stream} billing`)).out).toMatchInlineSnapshot(`
    "PLACE  ATTEMPT  CONSUMER  LEASED                    EXPIRES                   EVENT
    0/1          1  w-1       2026-03-15T12:00:00.000Z  2026-03-15T12:00:30.000Z  e1
    0/2          1  w-1       2026-03-15T12:00:00.000Z  2026-03-15T12:00:30.000Z  e2
    "
  `)
  expect((await rheo(`leases list ${stream} billing --limit 1`)).err).toMatch(/^There is more: --after /)
  expect((await rheo(`leases release ${stream} billing --consumer w-1`)).out).toBe('released 2 of w-1\n')
  expect(await rheo(`leases release ${stream} billing`)).toMatchObject({ code: 2 })
  expect(await rheo(`leases list ${stream} none`)).toMatchObject({ code: 1 })
})

test('dead letters are listed and redriven', async () => {
  await rheo(`groups create ${stream} billing`)
  expect((await rheo(`dead-letters list ${stream} billing`)).out).toBe('no dead letters\n')
  for (const lease of await leaseIds(4))
    await rheo(['reject', stream, 'billing', lease, '--reason', 'no such customer'])
  expect((await rheo(`dead-letters list ${stream} billing --partition 0 --limit 2`)).out).toMatchInlineSnapshot(`
    "PLACE  ATTEMPT  CAUSE     REASON            SINCE                     TYPE    EVENT
    0/1          1  rejected  no such customer  2026-03-15T12:00:00.000Z  placed  e1
    0/2          1  rejected  no such customer  2026-03-15T12:00:00.000Z  placed  e2
    "
  `)
  expect((await rheo(`dead-letters redrive ${stream} billing e1 e2`)).out).toBe('redriven 2\n')
  expect((await rheo(`dead-letters redrive ${stream} billing --all --json`)).out).toContain('"redriven":2')
  expect(await rheo(`dead-letters redrive ${stream} billing`)).toMatchObject({ code: 2 })
  expect(await rheo(`dead-letters list ${stream} billing --after x`)).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^cursor_not_found: /),
  })
})

const ackAll = async () => {
  const { leases } = await terminal.client.fetch(stream, 'billing', { limit: 100 })
  await terminal.client.ackMany({ stream, group: 'billing' }, leases)
}

test('a replay shows what it would do, asks, and does it', async () => {
  await rheo(`groups create ${stream} billing`)
  await ackAll()
  expect((await rheo(`replay ${stream} billing --from-sequence 1 --dry-run`)).out).toMatchInlineSnapshot(`
    "PARTITION  FRONTIER  HIGH WATERMARK  LAG  REOPENED
    0                 1               3    2         2
    1                 1               1    0         0
    all                                    2         2

    would reopen 2
    "
  `)
  const asked = await rheo(`replay ${stream} billing n=2`, { isInteractive: true, stdin: 'billing\n' })
  expect({ ...asked, err: asked.err.replaceAll(stream, 'orders') }).toMatchInlineSnapshot(`
    {
      "code": 0,
      "err": "PARTITION  FRONTIER  HIGH WATERMARK  LAG  REOPENED
    0                 1               3    2         1
    1                 1               1    0         0
    all                                    2         1

    This reopens 1 deliveries of billing on orders. Type billing to go on:",
      "out": "reopened 1
    ",
    }
  `)
  const json = await rheo(['replay', stream, 'billing', '--from-sequence', '{"1":0}', '--yes', '--json'])
  expect(JSON.parse(json.out)).toMatchObject({ reopened: 1 })
  expect(json.err).toBe('')
  expect(await rheo(`replay ${stream} billing`)).toMatchObject({ code: 2 })
  expect(await rheo(`replay ${stream} billing --from-sequence 1 n=2`)).toMatchObject({ code: 2 })
  expect(await rheo(`replay ${stream} billing --from-sequence 1`)).toMatchObject({ code: 2 })
  expect(await rheo(`replay ${stream} billing --from 2040-01-01T00:00:00Z --yes`)).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^no_events_in_range: /),
  })
})

test('a reset shows what it forgets, asks, and starts over', async () => {
  await rheo(`groups create ${stream} billing`)
  await ackAll()
  const asked = await rheo(`reset ${stream} billing`, { isInteractive: true, stdin: 'billing\n' })
  expect(asked.code).toBe(0)
  expect(asked.err).toContain('dead letters   0\n')
  expect(asked.err).toContain(`This forgets all of that and starts billing on ${stream} over. Type billing to go on:`)
  expect(asked.out).toMatchInlineSnapshot(`
    "PARTITION  FRONTIER  HIGH WATERMARK  LAG
    0                 0               3    3
    1                 0               1    1
    all                                    4
    "
  `)
  expect((await rheo(`reset ${stream} billing --start latest --partitions 0 --yes --json`)).out).toContain('"lag":0')
  expect(await rheo(`reset ${stream} billing`, { isInteractive: true, stdin: 'orders\n' })).toMatchObject({ code: 1 })
  expect(await rheo(`reset ${stream} billing --start-after 99 --yes`)).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^invalid_start: /),
  })
})
