import { expect, test } from 'vitest'
import { brief } from './brief.ts'
import { timed } from './clock.ts'
import { sequences } from './group.ts'
import { expectProblem } from './problem.ts'
import { createStream, numbered } from './stream.ts'
import type { Lease } from './wire.ts'

timed('API Delivery: a lease says everything about its delivery, and carries the event', async (clock) => {
  const stream = await createStream(2, { clock })
  const event = await stream.append({ partition: 1, type: 'placed', key: 'k', payload: { n: 1 }, metadata: { m: 2 } })
  const group = await stream.group()
  clock.advance(5_000)
  expect(await group.fetch({ consumerId: 'worker-1', leaseMs: 7_000 })).toEqual([
    {
      leaseId: expect.stringMatching(/^.{1,256}$/),
      receipt: expect.stringMatching(/^.{1,256}$/),
      stream: stream.name,
      group: group.name,
      partition: 1,
      sequence: 1,
      eventId: event.id,
      attempt: 1,
      consumerId: 'worker-1',
      leasedAt: clock.now(),
      expiresAt: clock.in(7_000),
      event,
    },
  ])
})

test('API Delivery: a fetch takes 10 unless told, and at most its limit', async () => {
  const stream = await createStream()
  await stream.appendMany(numbered(30))
  const group = await stream.group()
  expect(sequences(await group.fetch())).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  expect(sequences(await group.fetch({ limit: 1 }))).toEqual([11])
  expect(await group.fetch({ limit: 1_000 })).toHaveLength(19)
})

test('API Delivery: a fetch of 1 000 leases 1 000', async () => {
  const stream = await createStream()
  await stream.appendMany(numbered(1_000))
  await stream.append()
  const group = await stream.group()
  expect(sequences(await group.fetch({ limit: 1_000 }))).toEqual(Array.from({ length: 1_000 }, (_, index) => index + 1))
})

const wrongBodies: Record<string, unknown>[] = [
  ...[0, -1, 1_001, 1.5, '10', null].map((limit) => ({ limit })),
  ...[0, 9, 43_200_001, 10.5, '30000', null].map((leaseMs) => ({ leaseMs })),
  ...[-1, 20_001, 0.5, '1', null, true].map((waitMs) => ({ waitMs })),
  ...[5, null, {}, 'c'.repeat(129)].map((consumerId) => ({ consumerId })),
  { partition: 0, partitions: [0] },
  { leases: [] },
  { wait: 5 },
]

test.each(wrongBodies.map((body) => [brief(body), body] as const))(
  'API Delivery: a fetch of %s is invalid_request, and leases nothing',
  async (_, body) => {
    const stream = await createStream()
    await stream.append()
    const group = await stream.group()
    const problem = expectProblem(await group.send('POST', '/fetch', { body }), 'invalid_request')
    expect(problem.detail).toContain(Object.keys(body)[0])
    expect((await group.info()).inFlight).toBe(0)
  },
)

test.each([{ partition: 2 }, { partition: -1 }, { partitions: [] }, { partitions: [0, 2] }, { partitions: [-1] }])(
  'S7 a fetch of %j in a stream of 2 partitions is invalid_partition, and leases nothing',
  async (body) => {
    const stream = await createStream(2)
    await stream.append()
    const group = await stream.group()
    expectProblem(await group.send('POST', '/fetch', { body }), 'invalid_partition')
    expect((await group.info()).inFlight).toBe(0)
  },
)

test.each([
  { partition: '0' },
  { partition: null },
  { partition: 0.5 },
  { partitions: 0 },
  { partitions: ['0'] },
  { partitions: null },
  { partitions: { '0': 1 } },
])('API Delivery: a fetch of %j is refused', async (body) => {
  const group = await (await createStream(2)).group()
  const answer = await group.send('POST', '/fetch', { body })
  expectProblem(answer, ['invalid_partition', 'invalid_request'])
})

const allowedBodies: Record<string, unknown>[] = [
  { limit: 1 },
  { limit: 1_000 },
  { leaseMs: 10 },
  { leaseMs: 43_200_000 },
  { waitMs: 0 },
  { consumerId: 'c'.repeat(128) },
  { consumerId: "worker 1/ä '; --" },
  { partition: 1 },
  { partitions: [1, 0] },
]

test.each(allowedBodies.map((body) => [brief(body), body] as const))(
  'API Delivery: the bounds of a fetch themselves are allowed: %s',
  async (_, body) => {
    const stream = await createStream(2)
    await stream.append({ partition: 1 })
    const group = await stream.group()
    const [lease] = await group.fetch(body)
    expect(lease).toMatchObject({ partition: 1, sequence: 1, ...(body.consumerId === undefined ? {} : body) })
  },
)

test('S3.4 first what is open again, by sequence, then new events from the cursor on', async () => {
  const stream = await createStream()
  await stream.appendMany(numbered(6))
  const group = await stream.group()
  const leases = await group.fetch({ limit: 4 })
  await group.ok('nack', leases[2]!)
  await group.ok('release', leases[0]!)
  const again = await group.fetch({ limit: 4 })
  expect(again.map((lease) => [lease.sequence, lease.attempt])).toEqual([
    [1, 1],
    [3, 2],
    [5, 1],
    [6, 1],
  ])
})

test('S3.4 a fetch of some partitions leases from these only', async () => {
  const stream = await createStream(4)
  await stream.appendMany([0, 1, 2, 3].flatMap((partition) => numbered(3, { partition })))
  const group = await stream.group()
  const partitionsOf = (leases: Lease[]) => new Set(leases.map((lease) => lease.partition))
  expect(partitionsOf(await group.fetch({ partition: 2, limit: 100 }))).toEqual(new Set([2]))
  const some = await group.fetch({ partitions: [0, 3], limit: 100 })
  expect(some).toHaveLength(6)
  expect(partitionsOf(some)).toEqual(new Set([0, 3]))
  expect(partitionsOf(await group.fetch({ limit: 100 }))).toEqual(new Set([1]))
})

test('S3.5 a partition asked for twice gives no delivery twice, and no more than its maxInFlight', async () => {
  const stream = await createStream(2)
  await stream.appendMany(numbered(20))
  const group = await stream.group({ maxInFlight: 3 })
  const answer = await group.send<{ leases: Lease[] }>('POST', '/fetch', { body: { partitions: [0, 0, 1, 0] } })
  const leased = answer.status === 200 ? sequences(answer.body.leases) : []
  if (answer.status !== 200) expectProblem(answer, ['invalid_partition', 'invalid_request'])
  expect(new Set(leased).size).toBe(leased.length)
  expect(leased.length).toBeLessThanOrEqual(3)
  expect((await group.info()).inFlight).toBe(leased.length)
})

test('S3.4 over several partitions the limit bounds the total and is filled while there is work', async () => {
  const stream = await createStream(4)
  await stream.appendMany([...numbered(50, { partition: 3 }), ...numbered(2, { partition: 1 })])
  const group = await stream.group()
  expect(await group.fetch({ limit: 20 })).toHaveLength(20)
  expect(await group.fetch({ limit: 25 })).toHaveLength(25)
  expect(await group.fetch({ limit: 25 })).toHaveLength(7)
})

test('S3.4 within a partition leases are ascending, also when a fetch covers many', async () => {
  const stream = await createStream(4)
  await stream.appendMany(Array.from({ length: 80 }, (_, index) => ({ partition: (index * 3) % 4 })))
  const group = await stream.group()
  for (let round = 0; round < 4; round += 1) {
    const leases = await group.fetch({ limit: 20 })
    for (const partition of [0, 1, 2, 3]) {
      const found = sequences(leases.filter((lease) => lease.partition === partition))
      expect(found).toEqual([...found].sort((a, b) => a - b))
    }
  }
})

test('S8.9 40 small fetches touch every partition with work, however much partition 0 has', async () => {
  const stream = await createStream(4)
  await stream.appendMany([
    ...numbered(900, { partition: 0 }),
    ...[1, 2, 3].flatMap((partition) => numbered(3, { partition })),
  ])
  const group = await stream.group()
  const touched = new Set<number>()
  for (let round = 0; round < 40; round += 1) {
    for (const lease of await group.fetch({ limit: 1 })) touched.add(lease.partition)
  }
  expect([...touched].sort()).toEqual([0, 1, 2, 3])
})

test('S3.5 20 concurrent fetches over 4 partitions never share a delivery', async () => {
  const stream = await createStream(4)
  await stream.appendMany(Array.from({ length: 400 }, (_, index) => ({ partition: index % 4 })))
  const group = await stream.group()
  const held = new Set<string>()
  let leased = 0
  for (let round = 0; round < 3; round += 1) {
    const fetches = await Promise.all(Array.from({ length: 20 }, () => group.fetch({ limit: 7 })))
    for (const lease of fetches.flat()) {
      held.add(`${lease.partition}:${lease.sequence}`)
      leased += 1
      expect(lease.attempt).toBe(1)
    }
  }
  expect(held.size).toBe(leased)
  expect((await group.info()).inFlight).toBe(leased)
  leased += (await group.fetch({ limit: 1_000 })).length
  expect(leased).toBe(400)
})

test('S3.5 leaseIds are new for each delivery, receipts for each claim and partition', async () => {
  const stream = await createStream(2)
  await stream.appendMany(Array.from({ length: 8 }, (_, index) => ({ partition: index % 2 })))
  const group = await stream.group()
  const claims: Lease[][] = []
  for (let round = 0; round < 2; round += 1) {
    const leases = await group.fetch({ limit: 8 })
    claims.push(leases)
    await group.many('nack', { leases: leases.map(({ leaseId }) => ({ leaseId })) })
  }
  const all = claims.flat()
  expect(all).toHaveLength(16)
  expect(new Set(all.map((lease) => lease.leaseId)).size).toBe(16)
  expect(new Set(all.map((lease) => lease.receipt)).size).toBe(4)
  for (const claim of claims) {
    for (const partition of [0, 1]) {
      const receipts = claim.filter((lease) => lease.partition === partition).map((lease) => lease.receipt)
      expect(new Set(receipts).size).toBe(1)
    }
  }
})

test('S3.5 attempt is 1 on the first lease, grows by one with each, and a released one is not counted', async () => {
  const stream = await createStream()
  await stream.append()
  const group = await stream.group({ maxAttempts: 100 })
  const attempts: number[] = []
  for (const verb of ['nack', 'release', 'nack', 'release', 'release', 'nack', 'ack'] as const) {
    const [lease] = await group.fetch()
    attempts.push(lease!.attempt)
    await group.ok(verb, lease!)
  }
  expect(attempts).toEqual([1, 2, 2, 3, 3, 3, 4])
})

test('S3.5 no lease is granted that is not returned, also when the answer ends at its bytes', async () => {
  const stream = await createStream()
  const text = 'x'.repeat(1_000_000)
  for (let batch = 0; batch < 2; batch += 1) await stream.appendMany(numbered(6, { payload: { text } }))
  const group = await stream.group()
  let leased = 0
  while (leased < 12) {
    const answer = await group.send<{ leases: Lease[] }>('POST', '/fetch', { body: { limit: 100 } })
    expect(answer.text.length).toBeLessThan(9.5 * 1_048_576)
    expect(answer.body.leases.length).toBeGreaterThan(0)
    leased += answer.body.leases.length
    expect((await group.info()).inFlight).toBe(leased)
  }
})
