import fc from 'fast-check'

/** How much a flood sends, where its chance begins, and how many requests are on their way at a time. */
export interface FloodOptions {
  readonly requests: number
  readonly seed: number
  readonly lanes: number
  /** When to end although requests are left, in seconds; absent for when all are sent. */
  readonly seconds?: number
  /** Told every ten seconds how many have been sent. */
  readonly onProgress?: (sent: number) => void
}

/** What a flood came to. `faults` holds what must never be: each names the request and its answer. */
export interface FloodReport {
  readonly sent: number
  readonly seconds: number
  /** How often each code, or status where there is no code, was answered. */
  readonly answered: ReadonlyMap<string, number>
  readonly faults: readonly string[]
}

/** What was answered, in a word, and what is wrong with that; null when nothing is. */
export interface Verdict {
  readonly answered: string
  readonly fault: string | null
}

/** Drawn at a time: many, so that drawing costs little; few, because some are 100 kB. */
const DRAWN = 200
/** After so many faults the rest would say the same. */
const MAX_FAULTS = 20
const PROGRESS_MS = 10_000

/** Sends what is drawn from `arbitrary`, one after the other in each lane, and gathers what the judge says. */
export async function flood<T>(
  { requests, seed, lanes, seconds = Infinity, onProgress }: FloodOptions,
  arbitrary: fc.Arbitrary<T>,
  judge: (one: T, lane: number) => Promise<Verdict>,
): Promise<FloodReport> {
  const startedMs = performance.now()
  const answered = new Map<string, number>()
  const faults: string[] = []
  let drawn: T[] = []
  let batch = 0
  let taken = 0
  let sent = 0
  const next = (): T => {
    if (drawn.length === 0) drawn = fc.sample(arbitrary, { seed: seed + batch++, numRuns: DRAWN })
    return drawn.pop()!
  }
  const lane = async (number: number): Promise<void> => {
    while (taken < requests && faults.length < MAX_FAULTS && performance.now() - startedMs < 1_000 * seconds) {
      taken += 1
      const verdict = await judge(next(), number).catch((error: Error) => ({ answered: 'none', fault: error.message }))
      sent += 1
      answered.set(verdict.answered, (answered.get(verdict.answered) ?? 0) + 1)
      if (verdict.fault !== null) faults.push(verdict.fault)
    }
  }
  const progress = setInterval(() => onProgress?.(sent), PROGRESS_MS)
  await Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)))
  clearInterval(progress)
  return { sent, seconds: (performance.now() - startedMs) / 1_000, answered, faults }
}
