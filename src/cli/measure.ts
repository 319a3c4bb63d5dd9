/** What was measured of one kind of call, as this process saw it. */
export interface Measured {
  readonly name: string
  readonly callers: number
  readonly calls: number
  readonly events: number
  readonly seconds: number
  /** Times of calls in milliseconds; null without calls. */
  readonly p50Ms: number | null
  readonly p99Ms: number | null
  readonly maxMs: number | null
}

export interface MeasureOptions {
  readonly name: string
  /** How many call at once, each waiting for its answer before it calls again. */
  readonly callers: number
  readonly durationMs: number
  readonly signal: AbortSignal
  /** Told of each call with the events so far. */
  onProgress(events: number): void
}

/** What a call brought: how many events, and whether the caller has nothing more to do. */
export interface Step {
  readonly events: number
  readonly isLast?: boolean
}

/** Calls again and again until the time is over, and measures it. The first failure ends it. */
export async function measure(options: MeasureOptions, step: (caller: number) => Promise<Step>): Promise<Measured> {
  const { name, callers, durationMs, signal, onProgress } = options
  const times: number[] = []
  let events = 0
  let isOver = false
  const startMs = performance.now()
  const call = async (caller: number): Promise<void> => {
    while (!isOver && !signal.aborted && performance.now() - startMs < durationMs) {
      const calledMs = performance.now()
      const done = await step(caller)
      times.push(performance.now() - calledMs)
      events += done.events
      onProgress(events)
      if (done.isLast) return
    }
  }
  try {
    await Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)))
  } finally {
    isOver = true
  }
  signal.throwIfAborted()
  const seconds = (performance.now() - startMs) / 1_000
  times.sort((a, b) => a - b)
  const [p50Ms, p99Ms, maxMs] = [0.5, 0.99, 1].map((part) => percentile(times, part)) as [
    number | null,
    number | null,
    number | null,
  ]
  return { name, callers, calls: times.length, events, seconds, p50Ms, p99Ms, maxMs }
}

/** The least value that so much of all, sorted, does not exceed. */
export const percentile = (sorted: readonly number[], part: number): number | null =>
  sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? null
