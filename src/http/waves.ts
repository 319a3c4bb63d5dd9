import { limits } from '../core/limits.ts'

/** What one partition is asked for: at most so many deliveries, in about so many bytes. */
export interface Share {
  readonly partition: number
  readonly limit: number
  readonly maxBytes: number
}

/**
 * Takes the next wave from the head of the queue: at most `width` partitions, none of them for less than one delivery.
 * The shares of a wave sum up to what remains, never above it, so that nothing is leased beyond the limit. A partition
 * gives one event whatever its size, so it is asked only when there is room for the greatest, or nobody else is asked.
 */
export function nextWave(queue: number[], width: number, remaining: number, remainingBytes: number): Share[] {
  const room = Math.max(1, Math.floor(remainingBytes / limits.eventBytes))
  const asked = queue.splice(0, Math.min(width, remaining, room))
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
