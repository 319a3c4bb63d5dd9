import { type Clock, RheoError, systemClock } from '../../client/index.ts'
import { EVERY_MS, nextDelayMs } from './pace.ts'

/** What a reading gave, and what has come since. */
export interface Polled<T> {
  readonly data?: T
  /** When the data was read. */
  readonly takenAt?: number
  /** Why the last try failed; the data, if there is any, is then of an earlier one. */
  readonly error?: unknown
  /** When the next try is made after a failure. */
  readonly nextAt?: number
}

/** Whether a failure means that the server, or a part of it, cannot be reached; that passes by itself. */
export const isAway = (error: unknown): boolean =>
  error instanceof RheoError && ['backend_unavailable', 'overloaded', 'ambiguous', 'rate_limited'].includes(error.code)

interface PollerOptions<T> {
  readonly isStill?: boolean
  /** Time from one reading that succeeded to the next. */
  readonly everyMs?: (data: T) => number
  readonly clock?: Clock
}

/**
 * Reads again and again: one reading at a time, the next one a while after the last. It holds still while it is told to,
 * and backs off while readings fail. What was read stays when a later reading fails.
 */
export class Poller<T> {
  #state: Polled<T> = {}
  #failures = 0
  #timer: unknown
  #reading: AbortController | undefined
  #isAgain = false
  #isStill: boolean
  #isStopped = false
  readonly #load: (signal: AbortSignal) => Promise<T>
  readonly #onChange: (state: Polled<T>) => void
  readonly #everyMs: (data: T) => number
  readonly #clock: Clock

  constructor(
    load: (signal: AbortSignal) => Promise<T>,
    onChange: (state: Polled<T>) => void,
    { isStill = false, everyMs = () => EVERY_MS, clock = systemClock }: PollerOptions<T> = {},
  ) {
    this.#load = load
    this.#onChange = onChange
    this.#isStill = isStill
    this.#everyMs = everyMs
    this.#clock = clock
    void this.refresh()
  }

  /** Reads now; once more if a reading is under way, since that may have begun before what the caller has done. */
  async refresh(): Promise<void> {
    if (this.#isStopped) return
    this.#clock.clearTimeout(this.#timer)
    if (this.#reading !== undefined) {
      this.#isAgain = true
      return
    }
    this.#reading = new AbortController()
    const takenAt = this.#clock.now()
    try {
      const data = await this.#load(this.#reading.signal)
      this.#failures = 0
      this.#settle({ data, takenAt }, this.#everyMs(data))
    } catch (error) {
      this.#failures++
      const askedMs = error instanceof RheoError ? error.retryAfterMs : null
      const delayMs = nextDelayMs(this.#failures, askedMs, this.#clock.random())
      const { data, takenAt: before } = this.#state
      const kept = before === undefined ? {} : { data: data as T, takenAt: before }
      this.#settle({ ...kept, error, nextAt: this.#clock.now() + delayMs }, delayMs)
    }
  }

  /** Holds still, or goes on with a reading at once. */
  hold(isStill: boolean): void {
    if (isStill === this.#isStill) return
    this.#isStill = isStill
    if (isStill) this.#clock.clearTimeout(this.#timer)
    else void this.refresh()
  }

  stop(): void {
    this.#isStopped = true
    this.#clock.clearTimeout(this.#timer)
    this.#reading?.abort()
  }

  #settle(state: Polled<T>, delayMs: number): void {
    this.#reading = undefined
    if (this.#isStopped) return
    this.#state = state
    this.#onChange(state)
    if (this.#isAgain) {
      this.#isAgain = false
      void this.refresh()
    } else if (!this.#isStill) {
      this.#timer = this.#clock.setTimeout(() => void this.refresh(), delayMs)
    }
  }
}
