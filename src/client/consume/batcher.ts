import type { Clock } from '../clock.ts'

export interface BatcherOptions<T> {
  readonly clock: Clock
  /** How many make a batch. */
  readonly size: number
  /** How long the first one of a batch waits for the others, in milliseconds. */
  readonly timeoutMs: number
  /** How many batches are worked on at once. */
  readonly concurrency: number
  /** Must not reject. */
  work(batch: readonly T[]): Promise<void>
}

/** Gathers items into batches by size and time. */
export class Batcher<T> {
  readonly #options: BatcherOptions<T>
  readonly #working = new Set<Promise<void>>()
  #batch: T[] = []
  #timer: unknown

  constructor(options: BatcherOptions<T>) {
    this.#options = options
  }

  /** Takes an item. Resolves when the next one may come: not while as many batches as may be are worked on. */
  async add(item: T): Promise<void> {
    const { clock, size, timeoutMs, concurrency } = this.#options
    this.#batch.push(item)
    if (this.#batch.length === 1) this.#timer = clock.setTimeout(() => this.#flush(), timeoutMs)
    if (this.#batch.length >= size) this.#flush()
    while (this.#working.size >= concurrency) await Promise.race(this.#working)
  }

  /** Works on what there is, and waits for everything. */
  async end(): Promise<void> {
    this.#flush()
    while (this.#working.size > 0) await Promise.race(this.#working)
  }

  #flush(): void {
    this.#options.clock.clearTimeout(this.#timer)
    if (this.#batch.length === 0) return
    const work = this.#options.work(this.#batch).finally(() => this.#working.delete(work))
    this.#batch = []
    this.#working.add(work)
  }
}
