import { type Failure, failure, type Result } from '../core/failure.ts'
import { parseLeaseId, parseReceipt } from '../core/lease-id.ts'
import type { ClaimResult, SettleItem, SettleResult } from '../core/partition/commands.ts'
import { formatTime } from '../core/time.ts'
import { ask } from './ask.ts'
import type { Call, Names } from './call.ts'
import type { Claims } from './contract/settle.ts'
import { type Outage, scatter } from './scatter.ts'

/** Settles leases, each by its own outcome; the results stand in input order. */
export const settle = (
  call: Call,
  names: Names,
  items: readonly SettleItem[],
): Promise<Result<(SettleResult | Outage)[]>> =>
  scatter(
    call,
    names,
    items,
    (item) => parseLeaseId(item.leaseId)?.partition,
    (address, group, items) => ask(call, address, { type: 'settle', group, items }),
  )

/** Settles whole claims alike; the results stand in input order. */
export const settleClaims = (
  call: Call,
  names: Names,
  { receipts, ...alike }: Claims,
): Promise<Result<(ClaimResult | Outage)[]>> =>
  scatter(
    call,
    names,
    receipts,
    (receipt) => parseReceipt(receipt)?.partition,
    (address, group, receipts) => ask(call, address, { type: 'settleClaims', claims: { group, receipts, ...alike } }),
  )

/** A settled lease on the wire. */
export function settledBody(item: SettleItem, result: SettleResult | Outage) {
  if (!result.ok) return { ok: false, code: result.code }
  const due = result.dueAtMs === null ? null : formatTime(result.dueAtMs)
  if (item.outcome === 'renew') return { ok: true, expiresAt: due }
  return due === null ? { ok: true, state: result.state } : { ok: true, state: result.state, dueAt: due }
}

/** Why the only lease of a call was not settled. */
export function settleFailure({ leaseId }: SettleItem, result: Exclude<SettleResult | Outage, { ok: true }>): Failure {
  if ('failure' in result) return result.failure
  return result.code === 'stale_lease'
    ? failure('stale_lease', 'the lease has expired, was settled, or never was', { leaseId })
    : failure('receipt_mismatch', 'the receipt is not that of the lease', { leaseId })
}

/** The results of settled leases, each with the lease it is of, and their counts. */
export const settledResults = (items: readonly SettleItem[], results: readonly (SettleResult | Outage)[]) =>
  counted(items.map((item, index) => ({ leaseId: item.leaseId, ...settledBody(item, results[index]!) })))

/** The results of settled claims, each with the receipt it is of, and their counts. */
export const claimResults = (receipts: readonly string[], results: readonly (ClaimResult | Outage)[]) =>
  counted(
    receipts.map((receipt, index) => {
      const result = results[index]!
      return result.ok ? { receipt, ...result } : { receipt, ok: false, code: result.code }
    }),
  )

function counted<T extends { readonly ok: boolean }>(results: readonly T[]) {
  const settled = results.filter((result) => result.ok).length
  return { results, settled, failed: results.length - settled }
}
