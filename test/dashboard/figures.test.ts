import { describe, expect, test } from 'vitest'
import { bytes, counted, duration, fromNow, perSecond } from '../../src/dashboard/format.ts'
import { type Reading, rateOf, withReading } from '../../src/dashboard/rate.ts'
import { inTurns, nextKeys, oldestAge } from '../../src/dashboard/rows.ts'

describe('a rate', () => {
  const read = (...readings: [at: number, total: number][]): readonly Reading[] =>
    readings.reduce<readonly Reading[]>((before, [at, total]) => withReading(before, { at, total }), [])

  test('needs two readings', () => {
    expect(rateOf([])).toBeNull()
    expect(rateOf(read([1_000, 5]))).toBeNull()
    expect(rateOf(read([1_000, 5], [3_000, 25]))).toBe(10)
  })

  test('looks back ten seconds and no further', () => {
    expect(rateOf(read([0, 0], [8_000, 0], [10_000, 20], [18_000, 100]))).toBe(10)
  })

  test('begins anew when the total falls, as after a stream was made again', () => {
    expect(rateOf(read([0, 500], [2_000, 3]))).toBeNull()
    expect(rateOf(read([0, 500], [2_000, 3], [4_000, 5]))).toBe(1)
  })
})

describe('rows', () => {
  const rows = new Map([
    ['a', { value: 1, takenAt: 30 }],
    ['b', { value: 1, takenAt: 10 }],
    ['c', { value: 1, takenAt: 20 }],
  ])

  test('never read are read first, all of them', () => {
    expect(nextKeys(['a', 'x', 'b', 'y', 'z'], rows, 2)).toEqual(['x', 'y', 'z'])
  })

  test('are read in turn, those read longest ago first', () => {
    expect(nextKeys(['a', 'b', 'c'], rows, 2)).toEqual(['b', 'c'])
  })

  test('are as old as the oldest of them, once all are read', () => {
    expect(oldestAge(['a', 'c'], rows, 50)).toBe(30)
    expect(oldestAge(['a', 'x'], rows, 50)).toBeNull()
  })

  test('are read so many at a time and no more', async () => {
    let running = 0
    let most = 0
    const done: number[] = []
    await inTurns([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
      most = Math.max(most, ++running)
      await Promise.resolve()
      running--
      done.push(item)
    })
    expect(most).toBe(3)
    expect(done.toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7])
  })

  test('of which one fails fail', async () => {
    await expect(inTurns([1, 2], 1, () => Promise.reject(new Error('away')))).rejects.toThrow('away')
  })
})

describe('figures', () => {
  test.each([
    [0, '0 B'],
    [999, '999 B'],
    [1_000, '1 kB'],
    [47_712, '47.7 kB'],
    [10_000_000_000, '10 GB'],
  ])('%d bytes are %s', (value, text) => expect(bytes(value)).toBe(text))

  test.each([
    [-5, '0 s'],
    [999, '0 s'],
    [59_999, '59 s'],
    [60_000, '1 min'],
    [200_000, '3 min 20 s'],
    [3_600_000, '1 h'],
    [3_605_000, '1 h'],
    [187_200_000, '2 d 4 h'],
  ])('%d ms are %s', (value, text) => expect(duration(value)).toBe(text))

  test.each([
    [0, '0'],
    [0.01, '0.1'],
    [4.26, '4.3'],
    [1_249.6, '1,250'],
  ])('%d a second is %s', (value, text) => expect(perSecond(value)).toBe(text))

  test('one is one, and others are many', () => {
    expect([counted(0, 'event'), counted(1, 'event'), counted(1_000, 'event')]).toEqual([
      '0 events',
      '1 event',
      '1,000 events',
    ])
  })

  test('a time is told from now', () => {
    const now = Date.parse('2026-03-15T12:00:00Z')
    expect(fromNow('2026-03-15T12:00:20Z', now)).toBe('in 20 s')
    expect(fromNow('2026-03-15T11:59:55Z', now)).toBe('5 s ago')
  })
})
