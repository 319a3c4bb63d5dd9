import type { Code, FailureData } from './failure.ts'

/** What an error is built from. */
export interface Cause<C extends Code> {
  readonly detail: string
  readonly data: FailureData[C]
  /** Status of the answer; 0 when there was none. */
  readonly status?: number
  readonly requestId?: string | null
  readonly retryAfterMs?: number | null
  /** What `fetch` threw, if it did. */
  readonly cause?: unknown
}

/**
 * What every failing call of the SDK throws, in the class of its code; aborted calls throw the signal's reason instead.
 *
 * @example
 * try {
 *   await rheo.append('orders', event, { expectedSequence: 7 })
 * } catch (error) {
 *   if (error instanceof SequenceConflictError) console.log('somebody was faster', error.data.highWatermark)
 *   else throw error
 * }
 */
export class RheoError<C extends Code = Code> extends Error {
  /** What a program branches on; `instanceof` of the code's class says the same. */
  declare readonly code: C
  /** What went wrong, for people. */
  declare readonly detail: string
  declare readonly data: FailureData[C]
  /** HTTP status; 0 when there was no answer. */
  declare readonly status: number
  /** Names the request in the server's log; null when there was no answer. */
  declare readonly requestId: string | null
  /** How long the server asks to wait before another try, in milliseconds; null when it does not say. */
  declare readonly retryAfterMs: number | null

  constructor(code: C, { detail, data, status = 0, requestId = null, retryAfterMs = null, cause }: Cause<C>) {
    super(`${code}: ${detail}`, cause === undefined ? undefined : { cause })
    this.code = code
    this.detail = detail
    this.data = data
    this.status = status
    this.requestId = requestId
    this.retryAfterMs = retryAfterMs
    // Not the class's own name, which a minifier shortens.
    this.name = `${code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}Error`
  }
}

/** There is no such stream. */
export class StreamNotFoundError extends RheoError<'stream_not_found'> {}

/** The stream has no such group, or not in every partition yet. */
export class GroupNotFoundError extends RheoError<'group_not_found'> {}

/** The stream has no event with this id. */
export class EventNotFoundError extends RheoError<'event_not_found'> {}

/** The server has no such path: `url` may be wrong, or the server older than the SDK. */
export class NotFoundError extends RheoError<'not_found'> {}

/** The server has the path, but not the method. */
export class MethodNotAllowedError extends RheoError<'method_not_allowed'> {}

/** There is a stream or group of this name. */
export class AlreadyExistsError extends RheoError<'already_exists'> {}

/** Names have 1 to 128 of `A-Z a-z 0-9 . _ -` and begin with a letter or a digit. */
export class InvalidNameError extends RheoError<'invalid_name'> {}

/** The stream has no such partition, or a list of partitions is empty. */
export class InvalidPartitionError extends RheoError<'invalid_partition'> {}

/** A stream has 1 to 256 partitions. */
export class InvalidPartitionCountError extends RheoError<'invalid_partition_count'> {}

/** A start lies beyond the last event of a partition. */
export class InvalidStartError extends RheoError<'invalid_start'> {}

/** A replay needs exactly one well-formed selector. */
export class InvalidReplayError extends RheoError<'invalid_replay'> {}

/** A condition is not well-formed. */
export class InvalidQueryError extends RheoError<'invalid_query'> {}

/** A field is unknown, of the wrong type or out of its bounds. */
export class InvalidRequestError extends RheoError<'invalid_request'> {}

/** A replay from a time after which there is no event. */
export class NoEventsInRangeError extends RheoError<'no_events_in_range'> {}

/** What cannot be undone has to be confirmed. */
export class ConfirmRequiredError extends RheoError<'confirm_required'> {}

/** A cursor that this list or query never gave. */
export class CursorNotFoundError extends RheoError<'cursor_not_found'> {}

/** The lease has expired, was settled, or never was: somebody else may have the event. Also the answer to a settle that is repeated. */
export class StaleLeaseError extends RheoError<'stale_lease'> {}

/** The receipt is not that of the lease. */
export class ReceiptMismatchError extends RheoError<'receipt_mismatch'> {}

/** An id or an idempotency key was used before, for something else. */
export class IdConflictError extends RheoError<'id_conflict'> {}

/** The partition does not end where `expectedSequence` says. */
export class SequenceConflictError extends RheoError<'sequence_conflict'> {}

/** An event, its metadata or the whole body has too many bytes. */
export class PayloadTooLargeError extends RheoError<'payload_too_large'> {}

/** The partition takes no more events; everything else goes on. */
export class PartitionFullError extends RheoError<'partition_full'> {}

/** No valid token. */
export class UnauthenticatedError extends RheoError<'unauthenticated'> {}

/** The token is for another tenant, or lacks the scope or the stream. */
export class ForbiddenError extends RheoError<'forbidden'> {}

/** The tenant is over its rate; nothing was done. */
export class RateLimitedError extends RheoError<'rate_limited'> {}

/** An object refuses load; nothing was done there. */
export class OverloadedError extends RheoError<'overloaded'> {}

/** Something could not be reached, and nothing was done there. Also a read that got no answer. */
export class BackendUnavailableError extends RheoError<'backend_unavailable'> {}

/** What was asked may or may not have been done. Also a write that got no answer. */
export class AmbiguousError extends RheoError<'ambiguous'> {}

/** A fault of the server. */
export class FailedError extends RheoError<'failed'> {}

/** This process already has a consumer or lease stream for the group. */
export class AlreadyStartedError extends RheoError<'already_started'> {}

/** The consumer or lease stream is being drained. */
export class AlreadyDrainingError extends RheoError<'already_draining'> {}

/** The class of every code. Total: a new code does not compile without a class. */
export const errorClasses: { readonly [C in Code]: new (code: C, cause: Cause<C>) => RheoError<C> } = {
  stream_not_found: StreamNotFoundError,
  group_not_found: GroupNotFoundError,
  event_not_found: EventNotFoundError,
  not_found: NotFoundError,
  method_not_allowed: MethodNotAllowedError,
  already_exists: AlreadyExistsError,
  invalid_name: InvalidNameError,
  invalid_partition: InvalidPartitionError,
  invalid_partition_count: InvalidPartitionCountError,
  invalid_start: InvalidStartError,
  invalid_replay: InvalidReplayError,
  invalid_query: InvalidQueryError,
  invalid_request: InvalidRequestError,
  no_events_in_range: NoEventsInRangeError,
  confirm_required: ConfirmRequiredError,
  cursor_not_found: CursorNotFoundError,
  stale_lease: StaleLeaseError,
  receipt_mismatch: ReceiptMismatchError,
  id_conflict: IdConflictError,
  sequence_conflict: SequenceConflictError,
  payload_too_large: PayloadTooLargeError,
  partition_full: PartitionFullError,
  unauthenticated: UnauthenticatedError,
  forbidden: ForbiddenError,
  rate_limited: RateLimitedError,
  overloaded: OverloadedError,
  backend_unavailable: BackendUnavailableError,
  ambiguous: AmbiguousError,
  failed: FailedError,
  already_started: AlreadyStartedError,
  already_draining: AlreadyDrainingError,
}

/** Builds the error of a code. */
export function errorOf<C extends Code>(code: C, cause: Cause<C>): RheoError<C> {
  return new errorClasses[code](code, cause)
}

/** Whether a code is one that this version knows. */
export const isCode = (code: unknown): code is Code => typeof code === 'string' && Object.hasOwn(errorClasses, code)
