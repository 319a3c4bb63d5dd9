import { describe, expect, test } from 'vitest'
import { chartOf, niceCeiling, type Sample, withSample } from '../../src/dashboard/group/chart.ts'
import { holdersOf } from '../../src/dashboard/group/holders.ts'

const minute = 60_000
const sample = (at: number, ...lags: number[]): Sample => ({
  at,
  lags: Object.fromEntries(lags.map((lag, index) => [index, lag])),
})

describe('samples', () => {
  test('are kept for a quarter of an hour', () => {
    const samples = [sample(0, 1), sample(10 * minute, 2), sample(16 * minute, 3)].reduce<readonly Sample[]>(
      withSample,
      [],
    )
    expect(samples.map(({ at }) => at / minute)).toEqual([10, 16])
  })

  test('of the same moment count once', () => {
    expect(withSample([sample(5, 1)], sample(5, 1))).toHaveLength(1)
  })
})

describe('a chart', () => {
  test('of nothing is none', () => {
    expect(chartOf([], 100, 100)).toBeNull()
  })

  test('shows a minute at least', () => {
    expect(chartOf([sample(10 * minute, 3)], 100, 100)).toMatchObject({ from: 9 * minute, to: 10 * minute })
  })

  test('has a line for all partitions and for those furthest behind, in their order', () => {
    const chart = chartOf([sample(0, 0, 0, 0, 0, 0, 0), sample(2_000, 5, 1, 9, 0, 7, 3)], 100, 100)!
    expect(chart.lines.map(({ name, now }) => [name, now])).toEqual([
      ['all', 25],
      ['0', 5],
      ['2', 9],
      ['4', 7],
      ['5', 3],
    ])
  })

  test('of one partition has one line', () => {
    expect(chartOf([sample(0, 4)], 100, 100)!.lines).toHaveLength(1)
  })

  test('is scaled to a round figure, zero at the foot', () => {
    const chart = chartOf([sample(0, 0), sample(minute, 40)], 600, 100)!
    expect(chart.ticks).toEqual([
      { value: 0, y: 100 },
      { value: 25, y: 50 },
      { value: 50, y: 0 },
    ])
    expect(chart.lines[0]).toMatchObject({ y: 20, now: 40, highest: 40, path: 'M0.0 100.0M600.0 20.0' })
  })

  test('joins readings that follow each other, and leaves a gap where nothing was read', () => {
    const chart = chartOf([sample(0, 2), sample(2_000, 2), sample(50_000, 2), sample(52_000, 2)], 100, 100)!
    expect(chart.lines[0]!.path.replace(/[\d. ]+/g, '')).toBe('MLML')
  })

  test.each([
    [0, 1],
    [1, 1],
    [3, 5],
    [51, 100],
    [100, 100],
    [1_001, 2_000],
  ])('of at most %d goes up to %d', (value, top) => expect(niceCeiling(value)).toBe(top))
})

test('leases are counted by who holds them, those with most first', () => {
  const lease = (consumerId: string | null, partition: number, expiresAt: string) => ({
    partition,
    sequence: 1,
    eventId: 'e',
    attempt: 1,
    consumerId,
    leasedAt: '2026-03-15T12:00:00.000Z',
    expiresAt,
  })
  const held = holdersOf([
    lease(null, 2, '2026-03-15T12:00:09.000Z'),
    lease('b', 3, '2026-03-15T12:00:08.000Z'),
    lease('b', 1, '2026-03-15T12:00:05.000Z'),
    lease('b', 3, '2026-03-15T12:00:07.000Z'),
  ])
  expect(held).toEqual([
    {
      consumerId: 'b',
      count: 3,
      partitions: [1, 3],
      firstExpiry: '2026-03-15T12:00:05.000Z',
      lastExpiry: '2026-03-15T12:00:08.000Z',
    },
    {
      consumerId: null,
      count: 1,
      partitions: [2],
      firstExpiry: '2026-03-15T12:00:09.000Z',
      lastExpiry: '2026-03-15T12:00:09.000Z',
    },
  ])
})
