import { expect, test } from 'vitest'
import { timed } from './clock.ts'
import { drain, type Group, sequences } from './group.ts'
import { expectProblem, namedPartitions } from './problem.ts'
import { placeOf, searchAll } from './search.ts'
import { createStream, numbered } from './stream.ts'

/** A group over two partitions of 6 that has something in every state: acked, rejected, delayed, leased, undelivered. */
async function busy(): Promise<Group> {
  const stream = await createStream(2)
  await stream.appendMany([0, 1].flatMap((partition) => numbered(6, { partition })))
  const group = await stream.group({ maxAttempts: 3 })
  for (const partition of [0, 1]) {
    const leases = await group.fetch({ limit: 5, partition })
    await group.ok('ack', leases[0]!)
    await group.ok('reject', leases[1]!)
    await group.ok('nack', leases[2]!, { delayMs: 3_600_000 })
  }
  return group
}

test.each([{}, { confirm: false }, { start: 'latest' }, { partition: 0 }])(
  'S5.7 a reset without confirm is confirm_required and changes nothing: %j',
  async (body: Record<string, unknown>) => {
    const group = await busy()
    const look = async () => [await group.lag(), await group.leases(), await group.deadLetters(), await group.holes()]
    const before = await look()
    expectProblem(await group.send('POST', '/reset', { body }), 'confirm_required')
    expect(await look()).toEqual(before)
  },
)

test('S5.7 a reset forgets attempts, dead letters and leases, and starts at the beginning', async () => {
  const group = await busy()
  const held = await group.leases()
  const stale = await group.fetch({ limit: 100 })
  expect(await group.reset()).toEqual({
    '0': { frontier: 0, highWatermark: 6, lag: 6 },
    '1': { frontier: 0, highWatermark: 6, lag: 6 },
  })
  expect(held.length).toBeGreaterThan(0)
  expect(await group.info()).toMatchObject({ inFlight: 0, delayed: 0, available: 0, deadLetters: 0, lag: { lag: 12 } })
  expect(await group.deadLetters()).toEqual([])
  expect(await group.leases()).toEqual([])
  for (const lease of stale) {
    expectProblem(await group.settle('ack', { leaseId: lease.leaseId }), 'stale_lease')
    const { results } = await group.many('nack', { receipts: [lease.receipt] })
    expect(results).toMatchObject([{ code: 'stale_lease' }])
  }
  const leases = await drain(group)
  expect(leases).toHaveLength(12)
  expect(leases.every((lease) => lease.attempt === 1)).toBe(true)
})

test('S5.7 a reset starts where it is told, as a new group would', async () => {
  const stream = await createStream(2)
  await stream.appendMany([
    ...[1, 2, 3, 4].map((hour) => ({ partition: 0, timestamp: `2026-01-01T0${hour}:00:00.000Z` })),
    ...[3, 1].map((hour) => ({ partition: 1, timestamp: `2026-01-01T0${hour}:00:00.000Z` })),
  ])
  const group = await stream.group()
  await drain(group)
  const starts: [Record<string, unknown>, string[]][] = [
    [{}, ['0:1', '0:2', '0:3', '0:4', '1:1', '1:2']],
    [{ start: 'earliest' }, ['0:1', '0:2', '0:3', '0:4', '1:1', '1:2']],
    [{ start: 'latest' }, []],
    [{ startAfter: 1 }, ['0:2', '0:3', '0:4', '1:2']],
    [{ startAfter: { '0': 3 } }, ['0:4', '1:1', '1:2']],
    [{ startAt: '2026-01-01T03:00:00Z' }, ['0:3', '0:4', '1:1', '1:2']],
    [{ startAt: '2999-01-01T00:00:00Z' }, []],
  ]
  for (const [start, expected] of starts) {
    const lags = await group.reset(start)
    expect(
      Object.values(lags).reduce((sum, { lag }) => sum + lag, 0),
      JSON.stringify(start),
    ).toBe(expected.length)
    expect(await group.lag()).toMatchObject({ partitions: lags })
    expect((await drain(group)).map(placeOf).sort(), JSON.stringify(start)).toEqual(expected)
    expect((await group.lag()).lag).toBe(0)
  }
})

test('S8.1 a group reset after N has its frontier there and reaches lag 0', async () => {
  const stream = await createStream()
  await stream.appendMany(numbered(10))
  const group = await stream.group()
  expect(await group.reset({ startAfter: 7 })).toEqual({ '0': { frontier: 7, highWatermark: 10, lag: 3 } })
  expect(sequences(await drain(group))).toEqual([8, 9, 10])
  expect(await group.lag()).toMatchObject({ partitions: { '0': { frontier: 10 } }, lag: 0 })
})

test('S5.7 the group shows where it starts now, and a replay reaches what it skips', async () => {
  const stream = await createStream()
  await stream.appendMany(numbered(10))
  const group = await stream.group()
  await drain(group)
  await group.reset({ startAfter: 8 })
  expect((await group.info()).start).toEqual({ '0': 8 })
  expect(await group.replay({ fromSequence: 5 })).toMatchObject({ reopened: 3, partitions: { '0': { frontier: 5 } } })
  expect((await drain(group)).map(({ sequence, attempt }) => [sequence, attempt])).toEqual([
    [6, 1],
    [7, 1],
    [8, 1],
    [9, 1],
    [10, 1],
  ])
})

test('S5.7 partition and partitions restrict a reset; the others keep what they have', async () => {
  const group = await busy()
  const kept = [await group.holes(1), (await group.deadLetters('?partition=1')).length]
  expect(await group.reset({ partition: 0 })).toEqual({ '0': { frontier: 0, highWatermark: 6, lag: 6 } })
  expect([await group.holes(1), (await group.deadLetters('?partition=1')).length]).toEqual(kept)
  expect((await group.deadLetters()).map(({ partition }) => partition)).toEqual([1])
  expect(Object.keys(await group.reset({ partitions: [1], start: 'latest' }))).toEqual(['1'])
  expect(await group.lag()).toMatchObject({ partitions: { '0': { lag: 6 }, '1': { lag: 0 } } })
  expect((await group.info()).start).toEqual({ '0': 0, '1': 6 })
})

test('S5.7 events stay, and other groups are not touched', async () => {
  const group = await busy()
  const { stream } = group
  const other = await stream.group()
  const held = await other.fetch({ limit: 3 })
  const before = await searchAll(stream)
  await group.reset({ start: 'latest' })
  expect(await searchAll(stream)).toEqual(before)
  expect(await stream.read(0)).toHaveLength(6)
  for (const lease of held) await other.ok('ack', lease)
})

test('S5.7 the options of the group stay as they are', async () => {
  const stream = await createStream()
  const group = await stream.group({ maxAttempts: 2, leaseMs: 1_234, maxInFlight: 3, backoff: { baseMs: 5 } })
  await group.patch({ leaseMs: 4_321 })
  const { lag: _, ...before } = await group.info()
  await stream.append()
  await group.reset()
  const { maxAttempts, leaseMs, maxInFlight, backoff, createdAt } = await group.info()
  expect({ maxAttempts, leaseMs, maxInFlight, backoff, createdAt }).toEqual({
    maxAttempts: before.maxAttempts,
    leaseMs: 4_321,
    maxInFlight: before.maxInFlight,
    backoff: before.backoff,
    createdAt: before.createdAt,
  })
})

test('S3.2 a start beyond the high watermark of a partition in scope is invalid_start and changes nothing', async () => {
  const stream = await createStream(3)
  await stream.appendMany([...numbered(3, { partition: 0 }), ...numbered(1, { partition: 1 })])
  const group = await stream.group()
  await drain(group)
  const refused = async (body: Record<string, unknown>) =>
    expectProblem(await group.send('POST', '/reset', { body: { confirm: true, ...body } }), 'invalid_start')
  expect(namedPartitions((await refused({ startAfter: 2 })).partitions)).toEqual([1, 2])
  expect(namedPartitions((await refused({ startAfter: { '0': 4 } })).partitions)).toEqual([0])
  expect(namedPartitions((await refused({ startAfter: 2, partitions: [0, 1] })).partitions)).toEqual([1])
  expect((await group.lag()).lag).toBe(0)
  expect(await group.reset({ startAfter: 2, partition: 0 })).toMatchObject({ '0': { frontier: 2, lag: 1 } })
})

const wrong: [string, Record<string, unknown>][] = [
  ['invalid_request', { confirm: 'true' }],
  ['invalid_request', { confirm: 1 }],
  ['invalid_request', { confirm: null }],
  ['invalid_request', { confirm: true, start: 'middle' }],
  ['invalid_request', { confirm: true, startAfter: -1 }],
  ['invalid_request', { confirm: true, startAt: 'yesterday' }],
  ['invalid_request', { confirm: true, start: 'latest', startAfter: 0 }],
  ['invalid_request', { confirm: true, fromSequence: 0 }],
  ['invalid_request', { confirm: true, partition: 0, partitions: [0] }],
  ['invalid_request', { confirm: true, partition: '0' }],
  ['invalid_partition', { confirm: true, partitions: [] }],
  ['invalid_partition', { confirm: true, partition: 2 }],
  ['invalid_partition', { confirm: true, partitions: [0, -1] }],
]

test.each(wrong)('S7 a wrong reset is %s and changes nothing: %j', async (code, body) => {
  const stream = await createStream(2)
  await stream.append()
  const group = await stream.group()
  await drain(group)
  expectProblem(await group.send('POST', '/reset', { body }), code)
  expect((await group.lag()).lag).toBe(0)
})

timed('S5.7 after a reset leases of the time before expire into nothing', async (clock) => {
  const stream = await createStream(1, { clock })
  await stream.appendMany(numbered(2))
  const group = await stream.group({ maxAttempts: 1, leaseMs: 1_000 })
  await group.fetch()
  await group.reset()
  const [lease] = await group.fetch({ limit: 1, leaseMs: 10_000 })
  clock.advance(5_000)
  expect(await group.deadLetters()).toEqual([])
  await group.ok('ack', lease!)
  expect(await group.lag()).toMatchObject({ partitions: { '0': { frontier: 1 } } })
})
