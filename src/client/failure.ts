import type { AppendResult } from './event.ts'

/** What of an append is in, one entry for each event in input order. There when more than one partition was touched. */
interface Partly {
  readonly results?: readonly AppendResult[]
}

/**
 * What each failure code carries beside `code` and `detail`. The codes of the server, and two that arise only here:
 * `already_started` and `already_draining`.
 */
export interface FailureData {
  stream_not_found: { readonly stream?: string }
  group_not_found: { readonly stream?: string; readonly group?: string }
  event_not_found: { readonly stream?: string; readonly id?: string }
  not_found: { readonly path?: string }
  method_not_allowed: { readonly allow?: readonly string[] }
  already_exists: { readonly name?: string }
  /** Whose name: `stream`, `group`, `name` or `Rheo-Tenant`. */
  invalid_name: { readonly field?: string }
  invalid_partition: { readonly partition?: number; readonly partitionCount?: number }
  invalid_partition_count: { readonly field?: string }
  /** The partitions whose high watermark lies before the start. */
  invalid_start: { readonly partitions?: readonly number[] }
  invalid_replay: { readonly field?: string }
  invalid_query: { readonly field?: string }
  /** The field that is wrong, such as `events[3].key`. */
  invalid_request: { readonly field?: string }
  no_events_in_range: { readonly stream?: string }
  confirm_required: { readonly field?: string }
  cursor_not_found: { readonly field?: string }
  stale_lease: { readonly leaseId?: string; readonly receipt?: string }
  receipt_mismatch: { readonly leaseId?: string }
  id_conflict: Partly & { readonly id?: string; readonly idempotencyKey?: string }
  sequence_conflict: { readonly expectedSequence?: number; readonly highWatermark?: number }
  /** What is too large, and how many bytes it may have. */
  payload_too_large: { readonly field?: string; readonly limit?: number }
  partition_full: Partly & { readonly partition?: number }
  unauthenticated: Record<never, never>
  forbidden: Record<never, never>
  rate_limited: Record<never, never>
  overloaded: Partly & { readonly partition?: number }
  backend_unavailable: Partly & { readonly partition?: number; readonly partitions?: readonly number[] }
  /** `done` is what a replay, reset or redrive that ended half-way has done. */
  ambiguous: Partly & { readonly partitions?: readonly number[]; readonly done?: unknown }
  /** `serverCode` is a code that this version of the SDK does not know. */
  failed: { readonly serverCode?: string }
  already_started: { readonly stream: string; readonly group: string }
  already_draining: { readonly stream: string; readonly group: string }
}

/** A failure code. It is the contract; status and detail may change. */
export type Code = keyof FailureData
