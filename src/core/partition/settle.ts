import { transition } from '../delivery.ts'
import { backoffMs } from '../group.ts'
import { parseLeaseId, parseReceipt, receiptCovers } from '../lease-id.ts'
import { type Range, type Run, runHolding, toRanges, width } from '../runs.ts'
import type { ClaimResult, Outcome, SettleClaims, SettleItem, SettleResult } from './commands.ts'
import type { Context } from './context.ts'
import { apply, attemptsOver, type Change } from './ledger.ts'
import type { Group, Timed } from './store.ts'

const stale = { ok: false, code: 'stale_lease' } as const

/** Settles or renews leases one by one (S4.1, S4.8): each has its own result, good ones stand whatever the others do. */
export function settle(context: Context, group: Group, items: readonly SettleItem[]): SettleResult[] {
  const { store } = context
  const leases = items.map((item) => parseLeaseId(item.leaseId))
  const sequences = leases.flatMap((lease) => (lease === null ? [] : [lease.sequence]))
  const ranges = toRanges(sequences.toSorted((a, b) => a - b))
  const held = ranges.length === 0 ? [] : store.timed.around(group.id, ranges)
  const attempts = attemptsOver(store, group.id, ranges)
  const changes = new Map<number, Change>()

  const results = items.map((item, index): SettleResult => {
    const lease = leases[index]!
    if (lease === null || lease.partition !== context.address.partition) return stale
    const run = runHolding(held, lease.sequence)
    if (run === undefined || run.value.state !== 'leased' || run.value.token !== lease.token) return stale
    const earlier = changes.get(lease.sequence)
    if (earlier !== undefined && earlier.event !== 'renew') return stale
    if (item.receipt !== null) {
      const receipt = parseReceipt(item.receipt)
      if (receipt === null || !receiptCovers(receipt, lease)) return { ok: false, code: 'receipt_mismatch' }
    }
    const range = { first: lease.sequence, last: lease.sequence }
    const attempt = runHolding(attempts, lease.sequence)!.value.attempts
    // A renewal earlier in the same call is the length last granted (S4.6).
    const change = decide(context, group, { ...range, value: earlier?.timed ?? run.value }, attempt, item)
    changes.set(lease.sequence, change)
    return { ok: true, state: transition('leased', change.event), dueAtMs: change.timed?.dueMs ?? null }
  })
  apply(
    context,
    group.id,
    [...changes.values()].sort((a, b) => a.first - b.first),
  )
  return results
}

/** Settles all that is still held under each claim (S4.8). */
export function settleClaims(context: Context, group: Group, request: SettleClaims): ClaimResult[] {
  const { store, address } = context
  return request.receipts.map((text): ClaimResult => {
    const receipt = parseReceipt(text)
    if (receipt === null || receipt.partition !== address.partition || receipt.first > receipt.last) return stale
    const held = store.timed
      .around(group.id, [receipt])
      .filter(({ value }) => value.state === 'leased' && value.token === receipt.token)
    if (held.length === 0) return stale
    const item = { ...request, leaseMs: null }
    const changes = held.flatMap((run) =>
      attemptsOver(store, group.id, [run]).map((part) =>
        decide(context, group, { ...part, value: run.value }, part.value.attempts, item),
      ),
    )
    apply(context, group.id, changes)
    const count = held.reduce((sum, run) => sum + width(run), 0)
    return { ok: true, count, lost: Math.max(0, receipt.count - count) }
  })
}

/** Gives back all that a consumer holds, as if it had released each lease itself (S5.10). */
export function releaseConsumer(context: Context, group: Group, consumerId: string): number {
  const { store } = context
  const held = [...store.timed.leased(group.id, consumerId, 1)]
  const changes = held.flatMap((run) =>
    attemptsOver(store, group.id, [run]).map((part) => release(part, part.value.attempts, run.value.reason)),
  )
  apply(context, group.id, changes)
  return held.reduce((sum, run) => sum + width(run), 0)
}

const release = ({ first, last }: Range, attempt: number, reason: string | null): Change => ({
  first,
  last,
  from: 'leased',
  event: 'release',
  reason,
  attempts: attempt - 1,
})

interface Settlement {
  readonly outcome: Outcome
  readonly reason: string | null
  readonly delayMs: number | null
  readonly leaseMs: number | null
}

/** What an outcome makes of leased deliveries that share one lease row and one attempt count. */
function decide(
  { nowMs }: Context,
  group: Group,
  { first, last, value: lease }: Run<Timed>,
  attempt: number,
  { outcome, reason, delayMs, leaseMs }: Settlement,
): Change {
  const range = { first, last, from: 'leased' } as const
  const letter = { reason, attempt, consumerId: lease.consumerId, atMs: nowMs }
  switch (outcome) {
    case 'ack':
      return { ...range, event: 'ack' }
    case 'reject':
      return { ...range, event: 'bury', letter: { ...letter, cause: 'rejected' } }
    case 'release':
      return release(range, attempt, lease.reason)
    case 'renew': {
      const length = leaseMs ?? lease.leaseMs!
      return { ...range, event: 'renew', timed: { ...lease, dueMs: nowMs + length, leaseMs: length } }
    }
    case 'nack': {
      if (attempt >= group.options.maxAttempts) {
        return { ...range, event: 'bury', letter: { ...letter, cause: 'max_attempts' } }
      }
      const delay = delayMs ?? backoffMs(group.options.backoff, attempt)
      if (delay === 0) return { ...range, event: 'retry', reason }
      return { ...range, event: 'postpone', timed: delayed(nowMs + delay, reason) }
    }
  }
}

const delayed = (dueMs: number, reason: string | null): Timed => ({
  state: 'delayed',
  dueMs,
  token: null,
  consumerId: null,
  leasedAtMs: null,
  leaseMs: null,
  reason,
})
