import { limits } from '../core/limits.ts'

/** Bodies up to this size need no room. */
export const SMALL_BODY_BYTES = 65_536
/** A request that the platform has ended without a word, for taking too long, leaves its room after this time. */
const LOST_MS = 60_000

interface Held {
  readonly bytes: number
  readonly sinceMs: number
}

/**
 * Room for the bodies that an isolate appends, whose memory all requests under way in it share. A body takes its room
 * when it has come as a whole, so that nobody can hold any by sending slowly; other calls have done with their body when
 * it is parsed, and need none.
 */
export class BodyRoom {
  readonly #held = new Set<Held>()

  /** Takes room for a body; gives what gives it back, or null when there is none. One alone always has room. */
  take(bytes: number, nowMs: number): (() => void) | null {
    let taken = 0
    for (const held of this.#held) {
      if (nowMs - held.sinceMs >= LOST_MS) this.#held.delete(held)
      else taken += held.bytes
    }
    if (taken > 0 && taken + bytes > limits.appendingBytes) return null
    const held: Held = { bytes, sinceMs: nowMs }
    this.#held.add(held)
    return () => this.#held.delete(held)
  }
}
