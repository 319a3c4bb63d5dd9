import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { limits } from '../../src/core/limits.ts'
import { nextWave } from '../../src/http/waves.ts'

const MIB = 1_048_576

describe('S3.4 the shares of a wave', () => {
  it('never sum above what remains, give each partition at least one, and leave nothing over', () => {
    const size = fc.integer({ min: 1, max: 300 })
    fc.assert(
      fc.property(
        size,
        size,
        fc.integer({ min: 1, max: 1_000 }),
        fc.integer({ min: 1, max: 1e7 }),
        (count, width, remaining, bytes) => {
          const queue = Array.from({ length: count }, (_, partition) => partition)
          const wave = nextWave(queue, width, remaining, bytes)
          expect(wave.length).toBe(
            Math.min(count, width, remaining, Math.max(1, Math.floor(bytes / limits.eventBytes))),
          )
          expect(queue.length).toBe(count - wave.length)
          expect(wave.reduce((sum, share) => sum + share.limit, 0)).toBe(remaining)
          for (const share of wave) {
            expect(share.limit).toBeGreaterThanOrEqual(1)
            expect(share.maxBytes).toBeGreaterThanOrEqual(wave.length === 1 ? 1 : limits.eventBytes)
          }
          expect(wave.reduce((sum, share) => sum + share.maxBytes, 0)).toBeLessThanOrEqual(bytes)
        },
      ),
    )
  })

  it('take partitions from the head of the queue', () => {
    const queue = [2, 3, 0, 1]
    expect(nextWave(queue, 2, 5, 4 * MIB)).toEqual([
      { partition: 2, limit: 3, maxBytes: 2 * MIB },
      { partition: 3, limit: 2, maxBytes: 2 * MIB },
    ])
    expect(queue).toEqual([0, 1])
  })

  it('go to as many partitions as deliveries remain, one each', () => {
    expect(nextWave([0, 1, 2, 3], 4, 2, 8 * MIB).map(({ partition, limit }) => [partition, limit])).toEqual([
      [0, 1],
      [1, 1],
    ])
  })

  it('leave room for the greatest event in each, as a partition gives one whatever its size', () => {
    expect(nextWave([0, 1, 2, 3], 4, 100, 3 * MIB)).toHaveLength(3)
    expect(nextWave([0, 1, 2, 3], 4, 100, 10)).toEqual([{ partition: 0, limit: 100, maxBytes: 10 }])
  })
})
