import type { Time } from '../client/index.ts'

/**
 * The time of a local service. It is the machine's until it is set for the first time; from then on it stands still
 * wherever it was set, and leases, delays and backoffs end when it is moved past them.
 */
export interface LocalClock {
  now(): Date
  /** @example clock.set('2026-03-15T12:00:00.000Z') */
  set(time: Time): void
  /** Moves the time by so many milliseconds. */
  advance(ms: number): void
}

/** A clock, and what the service needs to know of it. */
export interface SettableClock extends LocalClock {
  /** What the next call carries as `Rheo-Now`; null on the machine's time. */
  readonly header: string | null
  /** Aborts when the time is set again. */
  readonly moved: AbortSignal
}

export function createClock(start: Time | undefined): SettableClock {
  let nowMs = start === undefined ? null : millisecondsOf(start)
  let move = new AbortController()
  const set = (ms: number): void => {
    nowMs = ms
    const moved = move
    move = new AbortController()
    moved.abort()
  }
  return {
    get header() {
      return nowMs === null ? null : new Date(nowMs).toISOString()
    },
    get moved() {
      return move.signal
    },
    now: () => new Date(nowMs ?? Date.now()),
    set: (time) => set(millisecondsOf(time)),
    advance: (ms) => set(millisecondsOf(new Date((nowMs ?? Date.now()) + ms))),
  }
}

function millisecondsOf(time: Time): number {
  const ms = new Date(time).getTime()
  if (Number.isNaN(ms)) throw new RangeError(`${String(time)} is no time`)
  return ms
}
