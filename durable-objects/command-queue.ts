/** One command on its way; `bytes` is what it holds of memory while it waits. */
interface Job<I, O> {
  readonly input: I
  readonly bytes: number
  readonly resolve: (output: O) => void
  readonly reject: (fault: unknown) => void
}

/**
 * Runs inputs in order and says what became of each: its output, or the fault it met. It may stop after some of them,
 * at least one; the others run as the next batch.
 */
export type RunBatch<I, O> = (inputs: readonly I[]) => ({ output: O } | { fault: unknown })[]

/**
 * Group commit: all that has come while a commit was on its way to the disk runs as the next batch, and shares one
 * commit. The platform holds every answer back until what it answers is durable. No timer: an idle object runs a
 * command at once.
 */
export class CommandQueue<I, O> {
  readonly #runBatch: RunBatch<I, O>
  readonly #sync: () => Promise<void>
  readonly #maxBytes: number
  #jobs: Job<I, O>[] = []
  #bytes = 0
  #isRunning = false

  constructor(runBatch: RunBatch<I, O>, sync: () => Promise<void>, maxBytes: number) {
    this.#runBatch = runBatch
    this.#sync = sync
    this.#maxBytes = maxBytes
  }

  /** Whether what waits leaves no room for `bytes` more. */
  isFullFor(bytes: number): boolean {
    return this.#bytes > 0 && this.#bytes + bytes > this.#maxBytes
  }

  submit(input: I, bytes: number): Promise<O> {
    const { promise, resolve, reject } = Promise.withResolvers<O>()
    this.#jobs.push({ input, bytes, resolve, reject })
    this.#bytes += bytes
    if (!this.#isRunning) void this.#run()
    return promise
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    try {
      while (this.#jobs.length > 0) {
        const outcomes = this.#runBatch(this.#jobs.map(({ input }) => input))
        const jobs = this.#jobs.splice(0, outcomes.length)
        for (const [index, outcome] of outcomes.entries()) {
          const { bytes, resolve, reject } = jobs[index]!
          this.#bytes -= bytes
          if ('output' in outcome) resolve(outcome.output)
          else reject(outcome.fault)
        }
        await this.#sync()
      }
    } finally {
      this.#isRunning = false
    }
  }
}
