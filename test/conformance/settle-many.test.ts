import { expect, test } from 'vitest'
import { brief } from './brief.ts'
import { timed } from './clock.ts'
import { sequences } from './group.ts'
import { expectProblem } from './problem.ts'
import { createStream, numbered } from './stream.ts'
import type { SettledMany } from './wire.ts'

test('S4.8 settling many gives each its own result, in order, and good ones stand whatever the others do', async () => {
  const stream = await createStream(2)
  await stream.appendMany(Array.from({ length: 6 }, (_, index) => ({ partition: index % 2 })))
  const group = await stream.group()
  const leases = await group.fetch()
  await group.ok('ack', leases[2]!)
  const ids = [leases[0]!.leaseId, 'nobody', leases[1]!.leaseId, leases[2]!.leaseId, leases[0]!.leaseId]
  const { results, settled, failed } = await group.many('ack', { leases: ids.map((leaseId) => ({ leaseId })) })
  expect(results.map((result) => [result.leaseId, result.ok, result.code])).toEqual([
    [ids[0], true, undefined],
    [ids[1], false, 'stale_lease'],
    [ids[2], true, undefined],
    [ids[3], false, 'stale_lease'],
    [ids[4], false, 'stale_lease'],
  ])
  expect([settled, failed]).toEqual([2, 3])
  expect((await group.info()).inFlight).toBe(3)
})

test('S4.8 nack and renew of many answer for each what became of it', async () => {
  const stream = await createStream()
  await stream.appendMany(numbered(3))
  const group = await stream.group()
  const [one, two, three] = await group.fetch()
  const renewed = await group.many('renew', { leases: [{ leaseId: one!.leaseId, leaseMs: 60_000 }, three] })
  expect(renewed.results.map((result) => [result.ok, typeof result.expiresAt])).toEqual([
    [true, 'string'],
    [true, 'string'],
  ])
  const { results } = await group.many('nack', {
    leases: [{ leaseId: two!.leaseId, delayMs: 60_000 }, { leaseId: one!.leaseId }],
  })
  expect(results).toMatchObject([
    { leaseId: two!.leaseId, ok: true, state: 'delayed', dueAt: expect.any(String) },
    { leaseId: one!.leaseId, ok: true, state: 'available' },
  ])
})

test.each(
  [{ leaseId: 5 }, { leaseId: null }, {}, { leaseId: 'x'.repeat(257) }, { leaseId: 'x', foo: 1 }, null].map(
    (bad) => [brief(bad), bad] as const,
  ),
)('S8.13 a malformed item refuses the whole call before anything is settled: %s', async (_, bad) => {
  const stream = await createStream()
  await stream.appendMany(numbered(2))
  const group = await stream.group()
  const [one, two] = await group.fetch()
  for (const verb of ['ack', 'nack', 'reject', 'renew', 'release'] as const) {
    expectProblem(await group.settle(verb, { leases: [one, bad, two] }), 'invalid_request')
  }
  const items = [{ ...one, outcome: 'ack' }, bad, { ...two, outcome: 'ack' }]
  expectProblem(await group.send('POST', '/settle', { body: { items } }), 'invalid_request')
  expect((await group.info()).inFlight).toBe(2)
  await group.ok('ack', one!)
})

test('S8.13 a lease that is lost does no harm to its neighbours in the call', async () => {
  const stream = await createStream()
  await stream.appendMany(numbered(9))
  const group = await stream.group()
  const leases = await group.fetch()
  await group.ok('ack', leases[4]!)
  const { settled, failed } = await group.many('ack', { leases })
  expect([settled, failed]).toEqual([8, 1])
  expect(await group.lag()).toMatchObject({ lag: 0, partitions: { '0': { frontier: 9 } } })
})

test('API Limits: 1 to 1 000 leases in one call', async () => {
  const stream = await createStream()
  await stream.appendMany(numbered(1_000))
  await stream.append()
  const group = await stream.group()
  const leases = (await group.fetch({ limit: 1_000 })).map(({ leaseId }) => ({ leaseId }))
  const [extra] = await group.fetch()
  const tooMany = [...leases, { leaseId: extra!.leaseId }]
  expectProblem(await group.settle('ack', { leases: tooMany }), 'invalid_request')
  const items = tooMany.map((lease) => ({ ...lease, outcome: 'ack' }))
  expectProblem(await group.send('POST', '/settle', { body: { items } }), 'invalid_request')
  expectProblem(await group.send('POST', '/settle', { body: { items: [] } }), 'invalid_request')
  expectProblem(await group.settle('ack', { receipts: Array(1_001).fill(extra!.receipt) }), 'invalid_request')
  expect(await group.many('ack', { leases })).toMatchObject({ settled: 1_000, failed: 0 })
})

test('S4.8 settling by receipt settles all of the claim in one step, and says how many', async () => {
  const stream = await createStream(2)
  await stream.appendMany([...numbered(5, { partition: 0 }), ...numbered(3, { partition: 1 })])
  const group = await stream.group()
  const leases = await group.fetch()
  const receipts = [0, 1].map((partition) => leases.find((lease) => lease.partition === partition)!.receipt)
  expect((await group.many('ack', { receipts })).results).toEqual([
    { receipt: receipts[0], ok: true, count: 5, lost: 0 },
    { receipt: receipts[1], ok: true, count: 3, lost: 0 },
  ])
  expect((await group.lag()).lag).toBe(0)
})

test('S4.8 lost is claimed minus settled now, and nothing held any more is stale_lease', async () => {
  const stream = await createStream()
  await stream.appendMany(numbered(5))
  const group = await stream.group()
  const leases = await group.fetch()
  const receipts = [leases[0]!.receipt]
  await group.ok('ack', leases[1]!)
  await group.ok('nack', leases[3]!, { delayMs: 60_000 })
  expect((await group.many('ack', { receipts })).results).toEqual([
    { receipt: receipts[0], ok: true, count: 3, lost: 2 },
  ])
  expect(await group.lag()).toMatchObject({ partitions: { '0': { frontier: 3, lag: 2 } } })
  const again = await group.many('ack', { receipts: [...receipts, 'nobody', ''] })
  expect(again.results).toEqual([
    { receipt: receipts[0], ok: false, code: 'stale_lease' },
    { receipt: 'nobody', ok: false, code: 'stale_lease' },
    { receipt: '', ok: false, code: 'stale_lease' },
  ])
  expect((await group.info()).delayed).toBe(1)
})

timed('S4.8 a receipt settles only what is still held under its claim, never what others hold now', async (clock) => {
  const stream = await createStream(1, { clock })
  await stream.appendMany(numbered(4))
  const group = await stream.group()
  const leases = await group.fetch({ leaseMs: 1_000 })
  await group.ok('renew', leases[2]!, { leaseMs: 60_000 })
  clock.advance(1_000)
  const others = await group.fetch({ limit: 2 })
  expect(sequences(others)).toEqual([1, 2])
  const { results } = await group.many('ack', { receipts: [leases[0]!.receipt] })
  expect(results).toEqual([{ receipt: leases[0]!.receipt, ok: true, count: 1, lost: 3 }])
  expect(await group.info()).toMatchObject({ inFlight: 2, available: 1 })
  expect(await group.many('ack', { receipts: [others[0]!.receipt] })).toMatchObject({
    results: [{ ok: true, count: 2, lost: 0 }],
  })
})

timed('S4.8 nack and reject by receipt take reason and delay', async (clock) => {
  const stream = await createStream(1, { clock })
  await stream.appendMany(numbered(6))
  const group = await stream.group()
  const [first] = await group.fetch({ limit: 3 })
  const [second] = await group.fetch({ limit: 3 })
  const nacked = await group.many('nack', { receipts: [first!.receipt], reason: 'busy', delayMs: 5_000 })
  expect(nacked.results).toMatchObject([{ ok: true, count: 3, lost: 0 }])
  const rejected = await group.many('reject', { receipts: [second!.receipt], reason: 'bad' })
  expect(rejected.results).toMatchObject([{ ok: true, count: 3, lost: 0 }])
  expect(await group.info()).toMatchObject({ delayed: 3, deadLetters: 3, inFlight: 0 })
  expect((await group.holes()).blockedBy).toMatchObject({ state: 'delayed', dueAt: clock.in(5_000), reason: 'busy' })
  expect(await group.deadLetters()).toMatchObject(Array(3).fill({ reason: 'bad', cause: 'rejected' }))
})

test('S4.8 nack by receipt dead-letters what has had its attempts', async () => {
  const stream = await createStream()
  await stream.appendMany(numbered(3))
  const group = await stream.group({ maxAttempts: 2 })
  const [lease] = await group.fetch({ limit: 2 })
  await group.many('nack', { receipts: [lease!.receipt] })
  const leases = await group.fetch()
  expect(leases.map(({ attempt }) => attempt)).toEqual([2, 2, 1])
  await group.many('nack', { receipts: [leases[0]!.receipt] })
  expect(sequences(await group.deadLetters())).toEqual([1, 2])
  expect(sequences(await group.fetch())).toEqual([3])
})

test('API Delivery: settle takes mixed outcomes, in order, each with its result', async () => {
  const stream = await createStream()
  await stream.appendMany(numbered(5))
  const group = await stream.group()
  const [one, two, three, four] = await group.fetch({ limit: 4 })
  const answer = await group.send<SettledMany>('POST', '/settle', {
    body: {
      items: [
        { leaseId: one!.leaseId, outcome: 'ack' },
        { ...two, outcome: 'nack', reason: 'busy', delayMs: 60_000 },
        { leaseId: 'nobody', outcome: 'ack' },
        { leaseId: three!.leaseId, receipt: three!.receipt, outcome: 'reject', reason: 'bad' },
        { leaseId: four!.leaseId, outcome: 'release' },
        { leaseId: four!.leaseId, outcome: 'ack' },
      ],
    },
  })
  expect(answer.status, answer.where).toBe(200)
  expect(
    answer.body.results.map((result) => [result.leaseId, result.ok, result.ok ? result.state : result.code]),
  ).toEqual([
    [one!.leaseId, true, 'acked'],
    [two!.leaseId, true, 'delayed'],
    ['nobody', false, 'stale_lease'],
    [three!.leaseId, true, 'rejected'],
    [four!.leaseId, true, 'available'],
    [four!.leaseId, false, 'stale_lease'],
  ])
  expect(answer.body).toMatchObject({ settled: 4, failed: 2 })
  expect(answer.body).not.toHaveProperty('leases')
})

test('API Delivery: settle with fetch settles first, then leases', async () => {
  const stream = await createStream()
  await stream.appendMany(numbered(3))
  const group = await stream.group({ maxInFlight: 1 })
  const [lease] = await group.fetch()
  const items = [{ leaseId: lease!.leaseId, outcome: 'ack' }]
  const { body } = await group.send<SettledMany>('POST', '/settle', {
    body: { items, fetch: { limit: 5, consumerId: 'w' } },
  })
  expect(body).toMatchObject({ settled: 1, failed: 0, leases: [{ sequence: 2, consumerId: 'w' }] })
  const empty = await group.send<SettledMany>('POST', '/settle', { body: { items, fetch: {} } })
  expect(empty.body).toMatchObject({ settled: 0, failed: 1, leases: [], reason: 'in_flight_limit' })
})

test.each(
  [
    { items: [{ leaseId: 'x', outcome: 'done' }] },
    { items: [{ leaseId: 'x', outcome: 'renew' }] },
    { items: [{ leaseId: 'x' }] },
    { items: [{ leaseId: 'x', outcome: null }] },
    { items: { leaseId: 'x', outcome: 'ack' } },
    { items: null },
    {},
    { items: [{ leaseId: 'x', outcome: 'nack', delayMs: -1 }] },
    { items: [{ leaseId: 'x', outcome: 'reject', reason: 'r'.repeat(1_001) }] },
    { items: [{ leaseId: 'x', outcome: 'ack' }], receipts: ['x'] },
  ].map((body) => [brief(body), body] as const),
)('API Delivery: a settle of %s is invalid_request', async (_, body) => {
  const group = await (await createStream()).group()
  expectProblem(await group.send('POST', '/settle', { body }), 'invalid_request')
})

test.each([{ limit: 0 }, { waitMs: 0 }, { waitMs: 100 }, { foo: 1 }, null, []])(
  'API Delivery: a malformed fetch in a settle is 400 before anything is settled: %j',
  async (fetch) => {
    const stream = await createStream()
    await stream.append()
    const group = await stream.group()
    const [lease] = await group.fetch()
    const items = [{ leaseId: lease!.leaseId, outcome: 'ack' }]
    expectProblem(await group.send('POST', '/settle', { body: { items, fetch } }), 'invalid_request')
    expect((await group.info()).inFlight).toBe(1)
  },
)
