/** What JSON can hold. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject

/** A JSON object. */
export interface JsonObject {
  readonly [name: string]: Json
}

/** A time handed in: RFC 3339, such as `2026-03-15T12:00:00.000Z`, or a `Date`. Times that come out are RFC 3339. */
export type Time = string | Date

/**
 * An event as it stands in its stream, for ever. `P` is the type of its payload: a claim of the caller's, which nothing
 * checks.
 */
export interface StreamEvent<P = JsonObject> {
  readonly id: string
  readonly stream: string
  readonly partition: number
  /** Its place in the partition, from 1 without gaps. */
  readonly sequence: number
  readonly type: string | null
  /** Events with equal keys are in one partition, in the order of their appends. */
  readonly key: string | null
  /** RFC 3339 in UTC with milliseconds. */
  readonly timestamp: string
  readonly payload: P
  readonly metadata: JsonObject
}

/** An event to be appended. Everything is optional. */
export interface NewEvent {
  readonly type?: string | null
  /** Chooses the partition. A safe integer counts as its decimal text. Without key and partition: partition 0. */
  readonly key?: string | number | null
  /** A JSON object; up to 1 MiB with everything else of the event. */
  readonly payload?: object
  /** A JSON object of up to 32 KiB. `correlation_id`, `causation_id`, `producer`, `schema` and `schema_version` are found by their bare names. */
  readonly metadata?: object
  /**
   * An id of the producer's, unique within the partition: an append that repeats it with equal content answers the
   * original, with other content it is an `IdConflictError`. Without one the server makes an id.
   */
  readonly id?: string
  /** Now, unless given. */
  readonly timestamp?: Time
  /** Wins over the key. */
  readonly partition?: number
}

/** An event as an append answers it. */
export interface AppendedEvent extends StreamEvent {
  /** It was there before, from an append with the same id or idempotency key; nothing was written. */
  readonly duplicate: boolean
}

/** What became of one event of an append that is not entirely in: in, perhaps from before; or not in, and why. */
export type AppendResult =
  | { readonly event: StreamEvent; readonly duplicate?: boolean }
  /** With the code `ambiguous` nobody knows whether it is in. */
  | { readonly code: string; readonly detail?: string }
