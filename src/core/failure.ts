/** What each failure code carries beside `code` and `detail`. The codes are the contract (SEMANTICS S7). */
export interface FailureData {
  stream_not_found: { stream: string }
  group_not_found: { stream: string; group: string }
  event_not_found: { stream: string; id: string }
  not_found: { path: string }
  method_not_allowed: { allow: string[] }
  already_exists: { name: string }
  invalid_name: { field: string }
  invalid_partition: { partition?: number; partitionCount?: number }
  invalid_partition_count: { field: string }
  invalid_start: { partitions: number[] }
  invalid_replay: { field?: string }
  invalid_query: { field?: string }
  invalid_request: { field: string }
  no_events_in_range: { stream: string }
  confirm_required: { field: string }
  cursor_not_found: { field: string }
  stale_lease: { leaseId?: string; receipt?: string }
  receipt_mismatch: { leaseId: string }
  id_conflict: { id?: string; idempotencyKey?: string }
  sequence_conflict: { expectedSequence: number; highWatermark: number }
  payload_too_large: { field: string; limit: number }
  partition_full: { partition: number }
  unauthenticated: Record<never, never>
  forbidden: Record<never, never>
  rate_limited: { retryAfterSeconds: number }
  overloaded: { partition?: number }
  backend_unavailable: { partition?: number; partitions?: readonly number[] }
  ambiguous: { partitions?: readonly number[] }
  failed: Record<never, never>
}

export type Code = keyof FailureData

/** An expected failure: a value, never thrown. `detail` is for people, the rest is for programs. */
export type Failure<C extends Code = Code> = {
  [K in C]: { readonly code: K; readonly detail: string } & Readonly<FailureData[K]>
}[C]

export type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure }

/** Builds a failure; the compiler asks for the data of its code. */
export function failure<C extends Code>(code: C, detail: string, data: FailureData[C]): Failure<C> {
  return { code, detail, ...data } as Failure<C>
}

export const ok = <T>(value: T): Result<T> => ({ ok: true, value })

export const failed = (reason: Failure): { readonly ok: false; readonly failure: Failure } => ({
  ok: false,
  failure: reason,
})
