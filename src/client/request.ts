/**
 * How far a call may be repeated.
 *
 * - `read`: it changes nothing. Repeated, also when there was no answer, which then counts as `backend_unavailable`.
 * - `repeatable`: it changes something, but twice is the same as once. Repeated, also when there was no answer.
 * - `refused`: repeated only after the server has said that nothing was done. No answer counts as `ambiguous`.
 * - `never`: not repeated by the SDK. No answer counts as `ambiguous`.
 */
export type Safety = 'read' | 'repeatable' | 'refused' | 'never'

/** What every call takes beside its own options. */
export interface CallOptions {
  /** Ends the call; it then rejects with the signal's reason. What was sent may still be done. */
  readonly signal?: AbortSignal | undefined
  /** How long one try may take, in milliseconds, instead of the client's `timeoutMs`. */
  readonly timeoutMs?: number | undefined
}

/** A call on its way to the server. */
export interface Request extends CallOptions {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly query?: Readonly<Record<string, unknown>>
  /** JSON text. */
  readonly body?: string
  readonly idempotencyKey?: string
  readonly safety: Safety
  /** How long the server may wait before it answers, on top of the time of a try. */
  readonly waitMs?: number
}

/** Sends a call and gives the body of its answer; throws a `RheoError` or the signal's reason. */
export type Send = <T>(request: Request) => Promise<T>
