type Task = () => void

/** What a routine waits for: it is given the way to go on. */
export type Wait = (resume: (value: unknown) => void) => void

/** Something that goes on in virtual time: it waits by yielding. */
export type Routine<T = void> = Generator<Wait, T, unknown>

/** Virtual time. Tasks run one at a time, in the order of their times and then in that in which they were planned. */
export class Timeline {
  nowMs: number
  /** Tasks that have run. */
  steps = 0
  readonly #tasks: { readonly atMs: number; readonly task: Task }[] = []

  constructor(startMs: number) {
    this.nowMs = startMs
  }

  after(delayMs: number, task: Task): void {
    const atMs = this.nowMs + Math.max(0, delayMs)
    let low = 0
    let high = this.#tasks.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#tasks[middle]!.atMs <= atMs) low = middle + 1
      else high = middle
    }
    this.#tasks.splice(low, 0, { atMs, task })
  }

  /** Runs tasks until there is none left or `isOver`. */
  run(isOver: () => boolean): void {
    while (!isOver()) {
      const next = this.#tasks.shift()
      if (next === undefined) return
      this.nowMs = next.atMs
      this.steps += 1
      next.task()
    }
  }

  /** Lets a routine begin, and go on whenever what it waits for has come. */
  spawn(routine: Routine): void {
    const step = (value: unknown): void => {
      const { done, value: wait } = routine.next(value)
      if (!done) wait(step)
    }
    this.after(0, () => step(undefined))
  }

  *sleep(delayMs: number): Routine {
    yield (resume) => this.after(delayMs, () => resume(undefined))
  }
}

/** Waits for one value. */
export function* wait<T>(begin: (resume: (value: T) => void) => void): Routine<T> {
  return (yield begin as Wait) as T
}
