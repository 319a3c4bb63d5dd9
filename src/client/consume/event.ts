import type { Code } from '../failure.ts'
import type { EmptyReason } from '../fetch.ts'
import type { Lease } from '../lease.ts'

/** Why a lease was lost: what the server said of it, or its time was over without a renewal. */
export type LostCause =
  | Extract<Code, 'stale_lease' | 'receipt_mismatch' | 'stream_not_found' | 'group_not_found'>
  | 'expired'
  | 'handler_timeout'

/**
 * What a consumer or a lease stream tells of itself, in place of a log.
 *
 * @example
 * onEvent: (event) => {
 *   if (event.type === 'lost') console.warn('lost', event.lease.eventId, event.cause)
 *   if (event.type === 'error') console.error(event.during, event.error)
 * }
 */
export type ConsumeEvent =
  /** A fetch was answered; `reason` says why with nothing. */
  | { readonly type: 'fetched'; readonly count: number; readonly reason?: EmptyReason }
  | { readonly type: 'acked'; readonly lease: Lease }
  /** A nack was taken; `state` is `rejected` when that was the last attempt. */
  | {
      readonly type: 'retried'
      readonly lease: Lease
      readonly reason: string | undefined
      readonly state: 'available' | 'delayed' | 'rejected'
    }
  | { readonly type: 'rejected'; readonly lease: Lease; readonly reason: string | undefined }
  /** Given back unworked, its attempt refunded. */
  | { readonly type: 'released'; readonly lease: Lease }
  /** Its outcome, if there is one, is dropped. */
  | { readonly type: 'lost'; readonly lease: Lease; readonly cause: LostCause }
  /** So many leases were renewed in one call. */
  | { readonly type: 'renewed'; readonly count: number }
  /** Something failed, and what had to follow was done. `lease` is there when it concerns one. */
  | {
      readonly type: 'error'
      readonly during: 'fetch' | 'settle' | 'renew' | 'handler'
      readonly error: unknown
      readonly lease?: Lease
    }
  /** A drain has ended, with so many leases still unsettled. */
  | { readonly type: 'drained'; readonly unsettled: number }

/** Takes events as they happen. What it throws is ignored: a fault in telling must not stop the work. */
export type OnConsumeEvent = (event: ConsumeEvent) => void

/** Calls a listener in a way that nothing comes back. */
export function tell(onEvent: OnConsumeEvent | undefined): OnConsumeEvent {
  return (event) => {
    try {
      onEvent?.(event)
    } catch {
      // See above.
    }
  }
}
