/**
 * Time and chance as the SDK sees them. A test passes its own and needs no sleeping; everything else leaves it out.
 *
 * @example new Rheo({ url, clock: { ...systemClock, random: () => 0.5 } })
 */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Calls back once after `ms` milliseconds; what it gives is for `clearTimeout`. */
  setTimeout(callback: () => void, ms: number): unknown
  clearTimeout(timer: unknown): void
  /** A number from 0 up to, but not including, 1. */
  random(): number
}

/**
 * The machine's. It reads `Date.now` and not a monotonic clock, because the latter stands still while a laptop sleeps
 * and leases go on ending on the server.
 */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout: (callback, ms) => setTimeout(callback, ms),
  clearTimeout: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
  random: () => Math.random(),
}

/** Resolves after `ms` milliseconds; rejects with the signal's reason when that comes first. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const onAbort = (): void => {
      clock.clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = clock.setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}
