/** Time between two readings while all is well. */
export const EVERY_MS = 2_000

const MAX_MS = 30_000

/** How long to wait after a number of failures in a row: ever longer, and as long as the server asks for. */
export function nextDelayMs(failures: number, askedMs: number | null, random: number): number {
  const bound = Math.min(MAX_MS, EVERY_MS * 2 ** (failures - 1))
  return Math.max(askedMs ?? 0, bound * (0.75 + random / 4))
}

/** Long lists are read less often: their names change seldom. */
export const listEveryMs = (length: number): number => (length > 50 ? 5 * EVERY_MS : EVERY_MS)

/** Waits; not longer than until the signal. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
