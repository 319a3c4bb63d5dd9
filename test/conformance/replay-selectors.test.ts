import { expect, test } from 'vitest'
import { drain } from './group.ts'
import { placeOf, searchAll } from './search.ts'
import { range, settled } from './settled.ts'
import { createStream } from './stream.ts'

test('S5.2 fromSequence is exclusive: every delivery above it is available again, with the next attempt', async () => {
  const { group } = await settled([10])
  expect(await group.replay({ fromSequence: 6 })).toEqual({
    reopened: 4,
    partitions: { '0': { reopened: 4, frontier: 6, highWatermark: 10, lag: 4 } },
  })
  expect(await group.holes()).toMatchObject({
    frontier: 6,
    holes: [{ first: 7, last: 10, state: 'available', attempt: 1 }],
  })
  const leases = await group.fetch({ limit: 100 })
  expect(leases.map(({ sequence, attempt }) => [sequence, attempt])).toEqual(range(7, 10).map((one) => [one, 2]))
  await group.many('ack', { leases })
  expect((await group.lag()).lag).toBe(0)
})

test('S5.2 fromSequence 0 is everything, and a number holds in all partitions', async () => {
  const { group } = await settled([4, 2, 0])
  expect(await group.replay({ fromSequence: 0 })).toEqual({
    reopened: 6,
    partitions: {
      '0': { reopened: 4, frontier: 0, highWatermark: 4, lag: 4 },
      '1': { reopened: 2, frontier: 0, highWatermark: 2, lag: 2 },
      '2': { reopened: 0, frontier: 0, highWatermark: 0, lag: 0 },
    },
  })
  await drain(group)
  expect(await group.replay({ fromSequence: 3 })).toMatchObject({ reopened: 1 })
  expect((await group.fetch({ limit: 100 })).map(placeOf)).toEqual(['0:4'])
})

test('S5.2 a map of sequences names its partitions, and only they are in the answer', async () => {
  const { group } = await settled([5, 5, 5])
  const replayed = await group.replay({ fromSequence: { '0': 3, '2': 0 } })
  expect(replayed).toEqual({
    reopened: 7,
    partitions: {
      '0': { reopened: 2, frontier: 3, highWatermark: 5, lag: 2 },
      '2': { reopened: 5, frontier: 0, highWatermark: 5, lag: 5 },
    },
  })
  expect((await group.lag()).lag).toBe(7)
})

test('S5.3 partition and partitions restrict a replay by sequence, time and query', async () => {
  const { group } = await settled([5, 5, 5])
  const scopes: [Record<string, unknown>, string[]][] = [
    [{ partition: 1 }, ['1']],
    [{ partitions: [0, 2] }, ['0', '2']],
    [{ partitions: [2, 2] }, ['2']],
  ]
  for (const [scope, expected] of scopes) {
    for (const selector of [
      { fromSequence: 4 },
      { from: '2000-01-01T00:00:00Z' },
      { query: { where: { number: 5 } } },
    ]) {
      const { partitions } = await group.replay({ ...selector, ...scope })
      expect(Object.keys(partitions).sort()).toEqual(expected)
      expect([...new Set((await drain(group)).map((lease) => `${lease.partition}`))].sort()).toEqual(expected)
    }
  }
})

test('S5.2 from a time: per partition as from just before the first event at or after it', async () => {
  const stream = await createStream(3)
  const at = (hour: number) => `2026-01-01T${String(hour).padStart(2, '0')}:00:00.000Z`
  const hours = [
    [1, 5, 3, 9],
    [6, 2, 7],
    [1, 2],
  ]
  await stream.appendMany(hours.flatMap((list, partition) => list.map((hour) => ({ partition, timestamp: at(hour) }))))
  const group = await stream.group()
  await drain(group)
  const places = async (from: string) => {
    await group.replay({ from })
    return (await drain(group)).map(placeOf).sort()
  }
  expect(await places(at(5))).toEqual(['0:2', '0:3', '0:4', '1:1', '1:2', '1:3'])
  expect(await places('2026-01-01T07:00:00.001+01:00')).toEqual(['0:4', '1:3'])
  expect(await places(at(2))).toEqual(['0:2', '0:3', '0:4', '1:1', '1:2', '1:3', '2:2'])
  expect(await places('1970-01-01T00:00:00Z')).toHaveLength(9)
})

test('S5.2 a query selects exactly its matches', async () => {
  const { group } = await settled([20, 3])
  const replayed = await group.replay({
    query: { where: { number: { in: [2, 3, 7, 20] } }, afterSequence: 2, untilSequence: 19 },
  })
  expect(replayed).toEqual({
    reopened: 3,
    partitions: {
      '0': { reopened: 2, frontier: 2, highWatermark: 20, lag: 18 },
      '1': { reopened: 1, frontier: 2, highWatermark: 3, lag: 1 },
    },
  })
  expect((await drain(group)).map(placeOf).sort()).toEqual(['0:3', '0:7', '1:3'])
  expect((await group.lag()).lag).toBe(0)
  expect((await group.replay({ query: {} })).reopened).toBe(23)
  await drain(group)
  expect((await group.replay({ query: { where: { number: 'none' } } })).reopened).toBe(0)
  expect((await group.replay({ query: { from: '2999-01-01T00:00:00Z' } })).reopened).toBe(0)
})

test('S8.4 a query replay over uneven partitions: each match once, none beside, and it ends', async () => {
  const stream = await createStream(3)
  await stream.appendMany(
    Array.from({ length: 1_000 }, (_, n) => ({ partition: n % 100 === 99 ? 1 : 0, type: n % 3 === 0 ? 'a' : 'b' })),
  )
  const group = await stream.group()
  await drain(group)
  const expected = (await searchAll(stream, { where: { type: 'a' } })).map(placeOf).sort()
  expect(await group.replay({ query: { where: { type: 'a' } } })).toMatchObject({ reopened: expected.length })
  const again = await drain(group)
  expect(again.map(placeOf).sort()).toEqual(expected)
  expect(again.every((lease) => lease.attempt === 2 && lease.event.type === 'a')).toBe(true)
  expect((await group.lag()).lag).toBe(0)
})

test('S5.2 limit caps a query replay as a whole, over any number of partitions; without it all match', async () => {
  const { group } = await settled([30, 2, 30])
  for (const [limit, expected] of [
    [1, ['0:1']],
    [4, ['0:1', '0:2', '1:1', '2:1']],
    [7, ['0:1', '0:2', '0:3', '1:1', '1:2', '2:1', '2:2']],
  ] as const) {
    const { reopened, partitions } = await group.replay({ query: { limit } })
    expect(reopened).toBe(limit)
    expect(Object.keys(partitions)).toHaveLength(3)
    expect((await drain(group)).map(placeOf).sort()).toEqual(expected)
  }
  expect((await group.replay({ query: { limit: 5_000 } })).reopened).toBe(62)
  await drain(group)
  expect((await group.replay({ query: { limit: 3 }, partition: 2 })).partitions).toMatchObject({ '2': { reopened: 3 } })
})
