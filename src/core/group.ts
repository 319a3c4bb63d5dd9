/** How the delay of a nack grows with the attempt. */
export interface Backoff {
  readonly baseMs: number
  readonly factor: number
  readonly maxMs: number
}

/** What a group may be told at any time. */
export interface GroupOptions {
  readonly maxAttempts: number
  readonly leaseMs: number
  /** The most leases in flight in each partition; null for no bound. */
  readonly maxInFlight: number | null
  readonly backoff: Backoff | null
  readonly paused: boolean
}

export const defaultGroupOptions: GroupOptions = {
  maxAttempts: 5,
  leaseMs: 30_000,
  maxInFlight: null,
  backoff: null,
  paused: false,
}

/** Where a group begins, as its creator asks (S3.2). `after` names a sequence for each partition, missing ones 0. */
export type Start =
  | { readonly kind: 'earliest' }
  | { readonly kind: 'latest' }
  | { readonly kind: 'after'; readonly sequence: number }
  | { readonly kind: 'afterEach'; readonly sequences: Readonly<Record<string, number>> }
  | { readonly kind: 'at'; readonly timeMs: number }

/** The delay of a nack that names none (S4.5): `min(maxMs, baseMs * factor^(attempt-1))`, in whole milliseconds. */
export function backoffMs(backoff: Backoff | null, attempt: number): number {
  if (backoff === null) return 0
  // Any factor above 1 outgrows maxMs long before the power overflows to Infinity, which min() takes as well.
  return Math.round(Math.min(backoff.maxMs, backoff.baseMs * backoff.factor ** (attempt - 1)))
}
