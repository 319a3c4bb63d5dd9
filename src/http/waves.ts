import { limits } from '../core/limits.ts'

/** What one partition is asked for: at most so many deliveries, in about so many bytes. */
export interface Share {
  readonly partition: number
  readonly limit: number
  readonly maxBytes: number
}

/**
 * How many partitions can be asked at once: each gives at least one delivery, and one event whatever its size, so
 * there must be that many still wanted, and room for as many events of the greatest size.
 */
export const widest = (remaining: number, remainingBytes: number): number =>
  Math.min(remaining, Math.max(1, Math.floor(remainingBytes / limits.eventBytes)))

/**
 * Takes the next wave from the head of the queue: at most `width` partitions, none of them for less than one delivery.
 * The shares of a wave sum up to what remains, never above it, so that nothing is leased beyond the limit.
 */
export function nextWave(queue: number[], width: number, remaining: number, remainingBytes: number): Share[] {
  const asked = queue.splice(0, Math.min(width, widest(remaining, remainingBytes)))
  const extra = remaining % asked.length
  const maxBytes = Math.floor(remainingBytes / asked.length)
  return asked.map((partition, index) => ({
    partition,
    limit: Math.floor(remaining / asked.length) + (index < extra ? 1 : 0),
    maxBytes,
  }))
}

/**
 * Whether a partition may have more than it gave: it gave all it was asked for, or so many bytes that the next event
 * may have been too much.
 */
export const gaveAll = (share: Share, given: { readonly count: number; readonly bytes: number }): boolean =>
  given.count === share.limit || given.bytes * 2 >= share.maxBytes
