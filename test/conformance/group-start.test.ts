import { expect, test } from 'vitest'
import { timed } from './clock.ts'
import { sequences } from './group.ts'
import { expectProblem, namedPartitions } from './problem.ts'
import { randomName } from './random.ts'
import { createStream, numbered, type Stream } from './stream.ts'

/** Tries to create a group that must be refused, and asserts that there is none afterwards. */
async function refused(stream: Stream, start: Record<string, unknown>, code: string | string[]) {
  const name = randomName('group')
  const problem = expectProblem(await stream.send('POST', '/groups', { body: { name, ...start } }), code)
  expectProblem(await stream.send('GET', `/groups/${name}`), 'group_not_found')
  return problem
}

test('S3.3 from the latest: everything before the start is skipped, and lag is right from the first moment', async () => {
  const stream = await createStream(2)
  await stream.appendMany([...numbered(3, { partition: 0 }), ...numbered(5, { partition: 1 })])
  const group = await stream.group({ start: 'latest' })
  expect((await group.info()).start).toEqual({ '0': 3, '1': 5 })
  expect(await group.lag()).toMatchObject({
    partitions: { '0': { frontier: 3, highWatermark: 3, lag: 0 }, '1': { frontier: 5, highWatermark: 5, lag: 0 } },
    lag: 0,
  })
  expect(await group.fetched()).toEqual({ leases: [], reason: 'caught_up' })
})

test('S8.1 a group started after N reaches lag 0 again when what came later is acked', async () => {
  const stream = await createStream()
  await stream.appendMany(numbered(10))
  for (const start of [{ start: 'latest' }, { startAfter: 10 }, { startAfter: { '0': 10 } }]) {
    const group = await stream.group(start)
    expect(await group.lag()).toMatchObject({ partitions: { '0': { frontier: 10 } }, lag: 0 })
  }
  const group = await stream.group({ startAfter: 7 })
  await stream.append()
  expect((await group.lag()).lag).toBe(4)
  const leases = await group.fetch()
  expect(sequences(leases)).toEqual([8, 9, 10, 11])
  await group.many('ack', { leases })
  expect(await group.lag()).toMatchObject({ partitions: { '0': { frontier: 11, highWatermark: 11 } }, lag: 0 })
})

test('S3.2 startAfter a number holds for all partitions', async () => {
  const stream = await createStream(2)
  await stream.appendMany([...numbered(3, { partition: 0 }), ...numbered(4, { partition: 1 })])
  const group = await stream.group({ startAfter: 2 })
  expect((await group.info()).start).toEqual({ '0': 2, '1': 2 })
  const leases = await group.fetch()
  expect(leases.map((lease) => `${lease.partition}:${lease.sequence}`).sort()).toEqual(['0:3', '1:3', '1:4'])
})

test('S3.2 startAfter a map: partitions missing from it start at 0', async () => {
  const stream = await createStream(3)
  await stream.appendMany([0, 1, 2].flatMap((partition) => numbered(2, { partition })))
  const group = await stream.group({ startAfter: { '1': 2, '2': 1 } })
  expect((await group.info()).start).toEqual({ '0': 0, '1': 2, '2': 1 })
  expect((await group.lag()).lag).toBe(3)
})

test('S3.9 a start beyond the high watermark of any partition is invalid_start with the partitions, and writes nothing', async () => {
  const stream = await createStream(3)
  await stream.appendMany([...numbered(3, { partition: 0 }), ...numbered(1, { partition: 1 })])
  expect(namedPartitions((await refused(stream, { startAfter: 2 }, 'invalid_start')).partitions)).toEqual([1, 2])
  const map = await refused(stream, { startAfter: { '0': 3, '2': 1 } }, 'invalid_start')
  expect(namedPartitions(map.partitions)).toEqual([2])
})

test.each([
  { start: 'middle' },
  { start: 5 },
  { start: '' },
  { startAfter: -1 },
  { startAfter: 1.5 },
  { startAfter: '1' },
  { startAfter: [1] },
  { startAfter: { '0': -1 } },
  { startAfter: { '0': '1' } },
  { startAfter: { '0': null } },
  { startAfter: { zero: 1 } },
  { startAt: 'yesterday' },
  { startAt: 5 },
  { startAt: '2026-02-30T00:00:00.000Z' },
  { start: 'latest', startAfter: 0 },
  { start: 'earliest', startAt: '2026-01-01T00:00:00.000Z' },
  { startAfter: 0, startAt: '2026-01-01T00:00:00.000Z' },
])('S3.2 a malformed or a second start is invalid_request: %j', async (start) => {
  const stream = await createStream()
  await stream.appendMany(numbered(2))
  await refused(stream, start, 'invalid_request')
})

test('S3.2 a start in a partition the stream does not have is refused', async () => {
  const stream = await createStream(2)
  await refused(stream, { startAfter: { '2': 0 } }, ['invalid_start', 'invalid_partition', 'invalid_request'])
})

test('S3.2 startAt begins at the first event, in sequence order, whose timestamp is at or after it', async () => {
  const stream = await createStream(3)
  const at = (hour: number) => `2026-01-01T${String(hour).padStart(2, '0')}:00:00.000Z`
  const hours = [
    [1, 5, 3, 9],
    [6, 2, 7],
    [1, 2],
  ]
  await stream.appendMany(hours.flatMap((list, partition) => list.map((hour) => ({ partition, timestamp: at(hour) }))))
  const starts = async (startAt: string) => (await (await stream.group({ startAt })).info()).start
  expect(await starts(at(4))).toEqual({ '0': 1, '1': 0, '2': 2 })
  expect(await starts(at(5))).toEqual({ '0': 1, '1': 0, '2': 2 })
  expect(await starts('2026-01-01T05:00:00.001Z')).toEqual({ '0': 3, '1': 0, '2': 2 })
  expect(await starts(at(7))).toEqual({ '0': 3, '1': 2, '2': 2 })
  expect(await starts(at(0))).toEqual({ '0': 0, '1': 0, '2': 0 })
  expect(await starts(at(2))).toEqual({ '0': 1, '1': 0, '2': 1 })
})

test('S8.2 a start time after every event begins at the end and replays nothing', async () => {
  const stream = await createStream(2)
  await stream.appendMany(numbered(3, { timestamp: '2026-01-01T00:00:00.000Z' }))
  const group = await stream.group({ startAt: '2999-01-01T00:00:00.000Z' })
  expect((await group.info()).start).toEqual({ '0': 3, '1': 0 })
  expect((await group.lag()).lag).toBe(0)
  expect((await group.fetched()).reason).toBe('caught_up')
})

timed(
  'S3.9 latest and startAt are resolved once: what is appended later is delivered, whatever its time',
  async (clock) => {
    const stream = await createStream(1, { clock })
    await stream.appendMany(numbered(2))
    const groups = [
      await stream.group({ start: 'latest' }),
      await stream.group({ startAt: clock.in(3_600_000) }),
      await stream.group({ startAt: clock.in(1) }),
    ]
    clock.advance(1_000)
    await stream.append({ timestamp: '2000-01-01T00:00:00.000Z' })
    for (const group of groups) {
      expect((await group.info()).start).toEqual({ '0': 2 })
      expect(sequences(await group.fetch())).toEqual([3])
    }
  },
)

test('S3.3 nothing of what was skipped is a hole', async () => {
  const stream = await createStream()
  await stream.appendMany(numbered(6))
  const group = await stream.group({ startAfter: 4 })
  expect(await group.holes()).toMatchObject({
    frontier: 4,
    highWatermark: 6,
    blockedBy: { sequence: 5, state: 'undelivered' },
    holes: [{ first: 5, last: 6, state: 'undelivered' }],
  })
})
