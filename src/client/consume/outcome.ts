/** What a handler makes of an event. */
export type Outcome =
  | { readonly outcome: 'ack' }
  | { readonly outcome: 'retry'; readonly reason: string | undefined; readonly delayMs: number | undefined }
  | { readonly outcome: 'reject'; readonly reason: string | undefined }

/** The event is done. */
export const ack: Outcome = Object.freeze({ outcome: 'ack' })

/**
 * The event comes again: after `delayMs` (up to 12 hours), or else by the group's backoff. After its last attempt it
 * becomes a dead letter with this reason.
 */
export const retry = (reason?: string, { delayMs }: { readonly delayMs?: number } = {}): Outcome => ({
  outcome: 'retry',
  reason,
  delayMs,
})

/** The event becomes a dead letter with this reason, and the group goes on without it. */
export const reject = (reason?: string): Outcome => ({ outcome: 'reject', reason })

const MAX_REASON_LENGTH = 1_000
const MAX_DELAY_MS = 43_200_000

/** What a handler returned, put right so that the server takes it: one bad item would hold up the others of its call. */
export function outcomeOf(value: unknown): Outcome {
  const { outcome, reason, delayMs } = (typeof value === 'object' && value !== null ? value : {}) as {
    [K in 'outcome' | 'reason' | 'delayMs']?: unknown
  }
  if (outcome === 'ack') return ack
  if (outcome === 'reject') return reject(textOf(reason))
  if (outcome === 'retry') {
    const isDelay = typeof delayMs === 'number' && !Number.isNaN(delayMs)
    const bounded = isDelay ? { delayMs: Math.round(Math.min(Math.max(delayMs, 0), MAX_DELAY_MS)) } : {}
    return retry(textOf(reason), bounded)
  }
  return retry(textOf(`the handler returned ${describe(value)}, which is no outcome`))
}

/** Whether a value is an outcome, and not something else that was returned. */
export function isOutcome(value: unknown): value is Outcome {
  const outcome = typeof value === 'object' && value !== null && 'outcome' in value ? value.outcome : undefined
  return outcome === 'ack' || outcome === 'retry' || outcome === 'reject'
}

/** A throw is a retry with its reason (S10.1). */
export function outcomeOfThrow(thrown: unknown): Outcome {
  const isTelling = thrown instanceof Error && thrown.message !== ''
  return retry(textOf(isTelling ? thrown.message : describe(thrown)))
}

/** A reason as the server takes it: at most so long, and of characters that UTF-8 can carry. */
function textOf(reason: unknown): string | undefined {
  if (reason === undefined || reason === null) return undefined
  const text = typeof reason === 'string' ? reason : describe(reason)
  return text.slice(0, MAX_REASON_LENGTH).toWellFormed()
}

function describe(value: unknown): string {
  try {
    return String(value)
  } catch {
    return typeof value
  }
}
