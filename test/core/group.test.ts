import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { backoffMs, defaultGroupOptions } from '../../src/core/group.ts'
import { limits } from '../../src/core/limits.ts'

const backoff = { baseMs: 100, factor: 2, maxMs: 1_000 }

describe('S4.5 backoff', () => {
  it('grows from the base by the factor with each attempt, up to the maximum', () => {
    expect([1, 2, 3, 4, 5, 6].map((attempt) => backoffMs(backoff, attempt))).toEqual([100, 200, 400, 800, 1_000, 1_000])
  })

  it('a factor of 1 stays at the base, and a base above the maximum at the maximum', () => {
    expect(backoffMs({ ...backoff, factor: 1 }, 1_000)).toBe(100)
    expect(backoffMs({ ...backoff, baseMs: 5_000 }, 1)).toBe(1_000)
  })

  it('is whole milliseconds, also where the factor is none', () => {
    expect(backoffMs({ baseMs: 3, factor: 1.5, maxMs: 1_000 }, 2)).toBe(5)
    expect(backoffMs({ baseMs: 1, factor: 1.1, maxMs: 1_000 }, 3)).toBe(1)
  })

  it('without one a nack reopens at once', () => {
    expect(backoffMs(defaultGroupOptions.backoff, 7)).toBe(0)
  })

  it('stays within its bounds and never shrinks, for all options and attempts that are allowed', () => {
    const options = fc.record({
      baseMs: fc.integer({ min: 1, max: limits.backoffBaseMs }),
      factor: fc.double({ min: 1, max: limits.backoffFactor, noNaN: true }),
      maxMs: fc.integer({ min: 1, max: limits.backoffMaxMs }),
    })
    fc.assert(
      fc.property(options, fc.integer({ min: 1, max: limits.maxAttempts - 1 }), (some, attempt) => {
        const delay = backoffMs(some, attempt)
        expect(Number.isSafeInteger(delay)).toBe(true)
        expect(delay).toBeGreaterThanOrEqual(Math.min(some.baseMs, some.maxMs))
        expect(delay).toBeLessThanOrEqual(some.maxMs)
        expect(backoffMs(some, attempt + 1)).toBeGreaterThanOrEqual(delay)
      }),
    )
  })
})

describe('S3.2 the defaults of a group', () => {
  it('are five attempts and leases of thirty seconds, without bounds and not paused', () => {
    expect(defaultGroupOptions).toEqual({
      maxAttempts: 5,
      leaseMs: 30_000,
      maxInFlight: null,
      backoff: null,
      paused: false,
    })
  })
})
