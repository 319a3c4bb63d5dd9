import { call, ofGroup } from './call.ts'
import type { Code } from './failure.ts'
import type { AlsoFetched, Fetched, FetchNowOptions } from './fetch.ts'
import type { LeaseRef } from './lease.ts'
import { errorOfProblem, type Problem } from './problem.ts'
import type { CallOptions, Send } from './request.ts'

/** The verbs that end a lease, or make it longer. */
export type Verb = 'ack' | 'nack' | 'reject' | 'release' | 'renew'

/** What a verb takes beside the lease. */
export interface VerbOptions {
  ack: Record<never, never>
  nack: {
    /** Why, in up to 1 000 characters. */
    readonly reason?: string | undefined
    /** When the delivery opens again: 0 to 43 200 000 milliseconds; by the group's backoff unless given. */
    readonly delayMs?: number | undefined
  }
  reject: {
    /** Why, in up to 1 000 characters. */
    readonly reason?: string | undefined
  }
  release: Record<never, never>
  renew: {
    /** How long from now, 10 to 43 200 000 milliseconds; as long as last granted unless given. */
    readonly leaseMs?: number | undefined
  }
}

/** What became of a settled delivery: a nack may have made a dead letter of it. */
export interface Settled {
  readonly state: 'acked' | 'available' | 'delayed' | 'rejected'
  /** When it opens again. */
  readonly dueAt?: string
}

/** A renewed lease. */
export interface Renewed {
  readonly expiresAt: string
}

/** The result of one of many leases. Good ones stand whatever the others do. */
export type LeaseResult<T = Settled> =
  | ({ readonly leaseId: string; readonly ok: true } & T)
  | { readonly leaseId: string; readonly ok: false; readonly code: Code }

/** The result of a whole claim: how many of its leases were settled now, and how many were no longer held. */
export type ClaimResult =
  | { readonly receipt: string; readonly ok: true; readonly count: number; readonly lost: number }
  | { readonly receipt: string; readonly ok: false; readonly code: Code }

/** Results in the order of the call, and their counts. */
export interface Results<R> {
  readonly results: readonly R[]
  readonly settled: number
  readonly failed: number
}

/** A lease with its own outcome. */
export type SettleItem = Pick<LeaseRef, 'leaseId' | 'receipt'> &
  (
    | { readonly outcome: 'ack' | 'release' }
    | ({ readonly outcome: 'nack' } & VerbOptions['nack'])
    | ({ readonly outcome: 'reject' } & VerbOptions['reject'])
  )

/** How a group is named in calls on many of its leases. */
export interface GroupRef {
  readonly stream: string
  readonly group: string
}

/** Only what names the lease goes out: a whole lease would take its event along. */
const named = ({ leaseId, receipt }: Pick<LeaseRef, 'leaseId' | 'receipt'>) => ({ leaseId, receipt })

const post = <T>(send: Send, { stream, group }: GroupRef, verb: Verb | 'settle', fields: CallOptions): Promise<T> =>
  // Renewing twice is as good as once; a settle that is repeated meets its own first try as `stale_lease`.
  call(send, 'POST', ofGroup(stream, group, verb), verb === 'renew' ? 'repeatable' : 'never', fields)

export async function settleOne<V extends Verb, T>(
  send: Send,
  verb: V,
  lease: LeaseRef,
  options: VerbOptions[V] & CallOptions,
): Promise<T> {
  const { ok: _ok, ...settled } = await post<T & { ok: true }>(send, lease, verb, { ...options, ...named(lease) })
  return settled as T
}

export const settleMany = <V extends Verb, T>(
  send: Send,
  verb: V,
  group: GroupRef,
  leases: readonly Pick<LeaseRef, 'leaseId' | 'receipt'>[],
  { signal, timeoutMs, ...options }: VerbOptions[V] & CallOptions,
): Promise<Results<LeaseResult<T>>> =>
  post(send, group, verb, { signal, timeoutMs, ...{ leases: leases.map((one) => ({ ...options, ...named(one) })) } })

export const settleClaims = <V extends 'ack' | 'nack' | 'reject'>(
  send: Send,
  verb: V,
  group: GroupRef,
  receipts: readonly string[],
  options: VerbOptions[V] & CallOptions,
): Promise<Results<ClaimResult>> => post(send, group, verb, { ...options, ...{ receipts } })

/** What a settle call answers; `fetched` when it was to fetch as well. */
export interface SettledAll<P> extends Results<LeaseResult> {
  readonly fetched?: AlsoFetched<P>
}

export interface SettleOptions extends CallOptions {
  /** Takes the next leases in the same call. */
  readonly fetch?: FetchNowOptions | undefined
}

export async function settleAll<P>(
  send: Send,
  group: GroupRef,
  items: readonly SettleItem[],
  { fetch, signal, timeoutMs }: SettleOptions,
): Promise<SettledAll<P>> {
  type Answer = Results<LeaseResult> & Partial<Fetched<P>> & { readonly fetchError?: Problem }
  const body = { signal, timeoutMs, items: items.map(itemOf), fetch }
  const answer = await post<Answer>(send, group, 'settle', body)
  const { results, settled, failed, leases, reason, fetchError } = answer
  const counted = { results, settled, failed }
  if (fetchError !== undefined) return { ...counted, fetched: { error: errorOfProblem(fetchError, {}) } }
  if (leases !== undefined) return { ...counted, fetched: reason === undefined ? { leases } : { leases, reason } }
  return counted
}

function itemOf(item: SettleItem): object {
  const { outcome } = item
  if (outcome === 'nack') return { ...named(item), outcome, reason: item.reason, delayMs: item.delayMs }
  if (outcome === 'reject') return { ...named(item), outcome, reason: item.reason }
  return { ...named(item), outcome }
}
