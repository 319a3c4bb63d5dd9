import { Lru } from './lru.ts'

/** What a bucket holds: so much at that time. Below 0 when more was taken at once than it can hold. */
interface Bucket {
  readonly level: number
  readonly atMs: number
}

/**
 * Rates of an isolate. A bucket holds what one second brings and fills steadily, so that a burst of that much passes
 * and no more in the long run. They live in memory: a new isolate begins with full ones.
 */
export class TokenBuckets {
  readonly #buckets: Lru<Bucket>

  constructor(bound: number) {
    this.#buckets = new Lru(bound)
  }

  /**
   * Takes `amount` from a bucket and gives 0, or takes nothing and gives the whole seconds after which it may be had.
   * More than the bucket can hold is given when it is full, and paid for by those who come after: it could never be had
   * otherwise.
   */
  take(name: string, perSecond: number, amount: number, nowMs: number): number {
    const known = this.#buckets.get(name) ?? { level: perSecond, atMs: nowMs }
    const atMs = Math.max(known.atMs, nowMs)
    const level = Math.min(perSecond, known.level + ((atMs - known.atMs) / 1_000) * perSecond)
    const missing = Math.min(amount, perSecond) - level
    this.#buckets.set(name, { level: missing > 0 ? level : level - amount, atMs })
    return missing > 0 ? Math.ceil(missing / perSecond) : 0
  }
}
