import type { Clock } from '../clock.ts'

const MIN_MS = 100
const MAX_MS = 5_000

/** Pauses after failures in a row: 100 ms to 5 s, the upper bound doubling, with jitter (S10.5). */
export class Backoff {
  readonly #clock: Clock
  #failures = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Counts a failure and gives the pause after it, in milliseconds. */
  next(): number {
    const boundMs = Math.min(MAX_MS, 2 * MIN_MS * 2 ** Math.min(this.#failures, 16))
    this.#failures += 1
    return MIN_MS + this.#clock.random() * (boundMs - MIN_MS)
  }

  reset(): void {
    this.#failures = 0
  }
}
