import type { Clock } from '../../src/client/index.ts'

interface Timer {
  readonly atMs: number
  readonly order: number
  readonly isSleep: boolean
  readonly callback: () => void
}

/** A clock that stands still until a test moves it, so that no test sleeps. */
export class VirtualClock implements Clock {
  /** What `random` gives. */
  chance = 0.5
  #nowMs = Date.parse('2026-03-15T12:00:00.000Z')
  #order = 0
  readonly #timers = new Map<number, Timer>()

  now(): number {
    return this.#nowMs
  }

  random(): number {
    return this.chance
  }

  setTimeout(callback: () => void, ms: number): number {
    return this.#arm(callback, ms, false)
  }

  #arm(callback: () => void, ms: number, isSleep: boolean): number {
    this.#order += 1
    this.#timers.set(this.#order, { atMs: this.#nowMs + Math.max(0, ms), order: this.#order, isSleep, callback })
    return this.#order
  }

  clearTimeout(timer: unknown): void {
    this.#timers.delete(timer as number)
  }

  /** How many timers are armed, other than those of `sleep` and `later`. */
  get timers(): number {
    return [...this.#timers.values()].filter(({ isSleep }) => !isSleep).length
  }

  /** Resolves after so many milliseconds of this clock. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.later(resolve, ms))
  }

  /** As `setTimeout`, for what is not under test. */
  later(callback: () => void, ms: number): number {
    return this.#arm(callback, ms, true)
  }

  /** Lets everything happen that needs no time. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
  }

  /** Moves on, and lets everything happen on the way, each thing at its time. */
  async advance(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms
    await this.settle()
    for (;;) {
      const due = [...this.#timers.values()]
        .filter(({ atMs }) => atMs <= untilMs)
        .sort((a, b) => a.atMs - b.atMs || a.order - b.order)[0]
      if (due === undefined) break
      this.#timers.delete(due.order)
      this.#nowMs = Math.max(this.#nowMs, due.atMs)
      due.callback()
      await this.settle()
    }
    this.#nowMs = untilMs
  }
}
