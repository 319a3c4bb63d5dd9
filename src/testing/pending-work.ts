/** All that is under way, so that nothing is closed beneath it. */
export class PendingWork {
  readonly #pending = new Set<Promise<unknown>>()

  track<T>(start: () => Promise<T>): Promise<T> {
    const work = start()
    const end = (): void => void this.#pending.delete(ended)
    const ended: Promise<void> = work.then(end, end)
    this.#pending.add(ended)
    return work
  }

  /** Resolves when nothing is under way any more. */
  async ended(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending)
  }
}
