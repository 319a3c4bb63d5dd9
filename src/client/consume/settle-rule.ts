import { RheoError } from '../errors.ts'
import type { Code } from '../failure.ts'

/**
 * What a client does after a failed settle (S7).
 *
 * - `expire`: nothing. The settle may have happened, or cannot happen now; fencing protects it, and expiry gives the
 *   event to somebody if it has not.
 * - `lost`: somebody else has the event, or it is gone. Drop it.
 * - `nack`: it certainly did not happen. After a failed ack nack once; otherwise let it expire.
 */
export type SettleRule = 'expire' | 'lost' | 'nack'

/** The rule of every code. Total: a new code does not compile without one. */
type Rules = Total<{
  stale_lease: 'lost'
  receipt_mismatch: 'lost'
  stream_not_found: 'lost'
  group_not_found: 'lost'
  ambiguous: 'expire'
  backend_unavailable: 'expire'
  overloaded: 'expire'
  rate_limited: 'expire'
  unauthenticated: 'expire'
  forbidden: 'expire'
  failed: 'nack'
  invalid_name: 'nack'
  invalid_partition: 'nack'
  invalid_partition_count: 'nack'
  invalid_start: 'nack'
  invalid_replay: 'nack'
  invalid_query: 'nack'
  invalid_request: 'nack'
  payload_too_large: 'nack'
  // No settle is answered with these; a proxy's 404 is one that knows nothing of the lease.
  event_not_found: 'expire'
  not_found: 'expire'
  method_not_allowed: 'expire'
  already_exists: 'expire'
  no_events_in_range: 'expire'
  confirm_required: 'expire'
  cursor_not_found: 'expire'
  id_conflict: 'expire'
  sequence_conflict: 'expire'
  partition_full: 'expire'
  already_started: 'expire'
  already_draining: 'expire'
}>

type Total<R extends { [C in Code]: SettleRule }> = R

/** What is left of the table at run time: the rules by which something is done. */
const rules: { readonly [C in keyof Rules as Rules[C] extends 'expire' ? never : C]: Rules[C] } = {
  stale_lease: 'lost',
  receipt_mismatch: 'lost',
  stream_not_found: 'lost',
  group_not_found: 'lost',
  failed: 'nack',
  invalid_name: 'nack',
  invalid_partition: 'nack',
  invalid_partition_count: 'nack',
  invalid_start: 'nack',
  invalid_replay: 'nack',
  invalid_query: 'nack',
  invalid_request: 'nack',
  payload_too_large: 'nack',
}

export const ruleOf = (code: Code): SettleRule => (rules as { [C in Code]?: SettleRule })[code] ?? 'expire'

/** What ended without an answer is no `RheoError` when it was aborted. */
export const ruleOfError = (error: unknown): SettleRule => (error instanceof RheoError ? ruleOf(error.code) : 'expire')
