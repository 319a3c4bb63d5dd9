import { expect, test } from 'vitest'
import { brief } from './brief.ts'
import { timed } from './clock.ts'
import { fetchAll, sequences } from './group.ts'
import { expectProblem } from './problem.ts'
import { createStream, numbered } from './stream.ts'
import type { ListedLease, PartitionHoles } from './wire.ts'

timed('S4.11 holes are maximal ranges of one state and attempt between frontier and high watermark', async (clock) => {
  const stream = await createStream(1, { clock })
  await stream.appendMany(numbered(14))
  const group = await stream.group()
  const leases = await group.fetch({ limit: 12 })
  const nack = (index: number, options = {}) => group.ok('nack', leases[index]!, options)
  await nack(0)
  await nack(1)
  await nack(2, { delayMs: 5_000, reason: 'busy' })
  await group.ok('ack', leases[4]!)
  await nack(5)
  await group.ok('release', leases[6]!)
  await group.ok('reject', leases[7]!)
  expect(await group.holes()).toEqual({
    frontier: 0,
    highWatermark: 14,
    blockedBy: expect.objectContaining({ sequence: 1, state: 'available', attempt: 1 }),
    holes: [
      { first: 1, last: 2, state: 'available', attempt: 1 },
      { first: 3, last: 3, state: 'delayed', attempt: 1 },
      { first: 4, last: 4, state: 'leased', attempt: 1 },
      { first: 6, last: 6, state: 'available', attempt: 1 },
      { first: 7, last: 7, state: 'available', attempt: 0 },
      { first: 9, last: 12, state: 'leased', attempt: 1 },
      { first: 13, last: 14, state: 'undelivered', attempt: 0 },
    ],
    more: false,
  })
})

timed(
  'S4.11 blockedBy names the first hole with its state, attempt, consumer, expiry or due time and last reason',
  async (clock) => {
    const stream = await createStream(1, { clock })
    const event = await stream.append()
    const group = await stream.group()
    const blockedBy = async () => (await group.holes()).blockedBy
    const nothing = { consumerId: null, expiresAt: null, dueAt: null, reason: null }
    const first = { ...nothing, sequence: 1, eventId: event.id }
    expect(await blockedBy()).toEqual({ ...first, state: 'undelivered', attempt: 0 })

    const [lease] = await group.fetch({ consumerId: 'worker', leaseMs: 9_000 })
    const leased = { ...first, state: 'leased', attempt: 1, consumerId: 'worker', expiresAt: clock.in(9_000) }
    expect(await blockedBy()).toEqual(leased)

    await group.ok('nack', lease!, { delayMs: 5_000, reason: 'busy' })
    expect(await blockedBy()).toMatchObject({ state: 'delayed', attempt: 1, dueAt: clock.in(5_000), reason: 'busy' })
    expect(await blockedBy()).toMatchObject({ expiresAt: null })

    clock.advance(5_000)
    expect(await blockedBy()).toMatchObject({ state: 'available', attempt: 1, dueAt: null, expiresAt: null })
  },
)

test('S4.11 available in infos means open again, not undelivered', async () => {
  const stream = await createStream()
  await stream.appendMany(numbered(3))
  const group = await stream.group()
  expect((await group.info()).available).toBe(0)
  expect((await group.holes()).holes).toEqual([{ first: 1, last: 3, state: 'undelivered', attempt: 0 }])
  const [lease] = await group.fetch({ limit: 1 })
  await group.ok('nack', lease!)
  expect((await group.info()).available).toBe(1)
})

test('API Groups: holes of one partition, or of all', async () => {
  const stream = await createStream(3)
  await stream.append({ partition: 2 })
  const group = await stream.group()
  const holes = async (query: string) =>
    (await group.send<{ partitions: Record<string, PartitionHoles> }>('GET', `/holes${query}`)).body.partitions
  expect(Object.keys(await holes('')).sort()).toEqual(['0', '1', '2'])
  const one = await holes('?partition=2')
  expect(Object.keys(one)).toEqual(['2'])
  expect(one['2']).toMatchObject({ frontier: 0, highWatermark: 1, blockedBy: { sequence: 1 } })
  expectProblem(await group.send('GET', '/holes?partition=3'), 'invalid_partition')
})

test('API Groups: holes show at most 1 000 ranges a partition, and say when there are more', async () => {
  const stream = await createStream()
  for (let batch = 0; batch < 3; batch += 1) await stream.appendMany(numbered(700))
  const group = await stream.group()
  const leases = await fetchAll(group, 2_100)
  const even = leases.filter((lease) => lease.sequence % 2 === 0).map(({ leaseId }) => ({ leaseId }))
  await group.many('ack', { leases: even.slice(0, 1_000) })
  expect(await group.holes()).toMatchObject({ frontier: 0, highWatermark: 2_100, more: true })
  const { holes } = await group.holes()
  expect(holes).toHaveLength(1_000)
  expect(holes.slice(0, 2)).toEqual([
    { first: 1, last: 1, state: 'leased', attempt: 1 },
    { first: 3, last: 3, state: 'leased', attempt: 1 },
  ])
})

timed('S5.10 leases say who holds what until when, and expired ones are not among them', async (clock) => {
  const stream = await createStream(2, { clock })
  const events = await stream.appendMany([{ partition: 0 }, { partition: 0 }, { partition: 1 }])
  const group = await stream.group()
  const first = await group.fetch({ partition: 0, consumerId: 'a', leaseMs: 1_000 })
  await group.fetch({ partition: 1, consumerId: 'b', leaseMs: 2_000 })
  await group.ok('ack', first[1]!)
  const leasedAt = clock.now()
  const expected = [
    { partition: 0, eventId: events[0]!.id, consumerId: 'a', leasedAt, expiresAt: clock.in(1_000) },
    { partition: 1, eventId: events[2]!.id, consumerId: 'b', leasedAt, expiresAt: clock.in(2_000) },
  ].map((lease) => ({ sequence: 1, attempt: 1, ...lease }))
  const byPartition = (a: ListedLease, b: ListedLease) => a.partition - b.partition
  expect((await group.leases()).sort(byPartition)).toEqual(expected)
  const { body } = await group.send<{ leases: ListedLease[] }>('GET', '/leases?consumerId=b')
  expect(body).toEqual({ leases: [expected[1]], nextCursor: null })
  clock.advance(1_000)
  expect(await group.leases()).toEqual([expected[1]])
  expect((await group.info()).inFlight).toBe(1)
})

test('S5.10 the list of leases pages through all of them once', async () => {
  const stream = await createStream(3)
  await stream.appendMany(Array.from({ length: 20 }, (_, index) => ({ partition: index % 3 })))
  const group = await stream.group()
  const held = await group.fetch({ limit: 20 })
  const listed: ListedLease[] = []
  let query = '?limit=7'
  for (let page = 0; page < 10; page += 1) {
    const { body } = await group.send<{ leases: ListedLease[]; nextCursor: string | null }>('GET', `/leases${query}`)
    expect(body.leases.length).toBeLessThanOrEqual(7)
    listed.push(...body.leases)
    if (body.nextCursor === null) break
    query = `?limit=7&after=${encodeURIComponent(body.nextCursor)}`
  }
  const place = (lease: { partition: number; sequence: number }) => `${lease.partition}:${lease.sequence}`
  expect(listed.map(place).sort()).toEqual(held.map(place).sort())
})

test('S5.10 an operator releases all leases of a consumer, over partitions, and nobody else loses one', async () => {
  const stream = await createStream(3)
  await stream.appendMany(Array.from({ length: 9 }, (_, index) => ({ partition: index % 3 })))
  const group = await stream.group({ maxAttempts: 1 })
  const gone = await group.fetch({ limit: 5, consumerId: 'gone' })
  const other = await group.fetch({ limit: 5, consumerId: 'gone-2' })
  const release = (consumerId: string) => group.send('POST', '/leases/release', { body: { consumerId } })
  expect((await release('gone')).body).toEqual({ released: 5 })
  expect((await release('gone')).body).toEqual({ released: 0 })
  expect((await release('nobody')).body).toEqual({ released: 0 })
  for (const { leaseId } of gone) expectProblem(await group.settle('ack', { leaseId }), 'stale_lease')
  expect(await group.info()).toMatchObject({ inFlight: 4, available: 5, deadLetters: 0 })
  const again = await group.fetch({ limit: 10 })
  expect(again.map((lease) => lease.attempt)).toEqual([1, 1, 1, 1, 1])
  await group.many('ack', { leases: other })
})

test.each(
  [{}, { consumerId: null }, { consumerId: 5 }, { consumerId: 'c'.repeat(129) }, { consumerId: 'c', all: true }].map(
    (body) => [brief(body), body] as const,
  ),
)('API Groups: the release of %s is invalid_request', async (_, body) => {
  const group = await (await createStream()).group()
  expectProblem(await group.send('POST', '/leases/release', { body }), 'invalid_request')
})

test('S8.10 in flight never counts what was settled', async () => {
  const stream = await createStream()
  await stream.appendMany(numbered(4))
  const group = await stream.group()
  const leases = await group.fetch()
  for (const [index, verb] of (['ack', 'nack', 'reject', 'release'] as const).entries()) {
    await group.ok(verb, leases[index]!)
    expect((await group.info()).inFlight).toBe(3 - index)
    expect(sequences(await group.leases())).toEqual([2, 3, 4].slice(index))
  }
})

timed('S8.10 in flight never counts leases that have expired, whether or not anybody has looked', async (clock) => {
  const stream = await createStream(2, { clock })
  await stream.appendMany([0, 1].flatMap((partition) => numbered(3, { partition })))
  const group = await stream.group({ maxAttempts: 1, maxInFlight: 3 })
  await group.fetch({ limit: 2, leaseMs: 1_000 })
  await group.fetch({ limit: 4, leaseMs: 2_000 })
  expect(await group.info()).toMatchObject({ inFlight: 6 })
  clock.advance(1_000)
  expect(await group.info()).toMatchObject({ inFlight: 4, deadLetters: 2 })
  expect(await group.leases()).toHaveLength(4)
  clock.advance(1_000)
  expect(await group.leases()).toEqual([])
  expect(await group.info()).toMatchObject({ inFlight: 0, deadLetters: 6, lag: { lag: 0 } })
})
