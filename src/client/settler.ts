import type { LeaseBook } from './consume/lease-book.ts'
import { errorOf } from './errors.ts'
import type { Code } from './failure.ts'
import type { Outcome } from './gather.ts'
import { type Gathering, gathers } from './gathers.ts'
import type { LeaseRef } from './lease.ts'
import type { CallOptions, Send } from './request.ts'
import {
  type ClaimResult,
  type GroupRef,
  type LeaseResult,
  type Results,
  type Settled,
  type SettledAll,
  type SettleItem,
  type SettleOptions,
  settleAll,
  settleClaims,
  settleMany,
  settleOne,
  type Verb,
  type VerbOptions,
} from './settle.ts'

type Ending = Exclude<Verb, 'renew'>
type ClaimVerb = 'ack' | 'nack' | 'reject'
type Ref = Pick<LeaseRef, 'leaseId' | 'receipt'>

/** Settles for one client. Single leases of a group gather, whatever their outcomes. */
export class Settler {
  readonly #send: Send
  readonly #gather: Gathering<SettleItem, Settled> | null
  readonly #book: LeaseBook

  constructor(send: Send, gather: boolean, book: LeaseBook) {
    this.#send = send
    this.#gather = gather ? gathers(Number.POSITIVE_INFINITY, () => 0) : null
    this.#book = book
  }

  async one<V extends Ending>(verb: V, lease: LeaseRef, options: VerbOptions[V] & CallOptions): Promise<Settled> {
    return this.#book.follow(
      { leaseIds: [lease.leaseId] },
      () => null,
      () => this.#one(verb, lease, options),
    )
  }

  async #one<V extends Ending>(verb: V, lease: LeaseRef, options: VerbOptions[V] & CallOptions): Promise<Settled> {
    const { signal, timeoutMs, ...verbOptions } = options
    if (this.#gather === null || timeoutMs !== undefined) return settleOne(this.#send, verb, lease, options)
    const { stream, group, leaseId, receipt } = lease
    const item = { ...verbOptions, leaseId, receipt, outcome: verb } as SettleItem
    const send = (items: readonly SettleItem[]) => this.#gathered({ stream, group }, items)
    return this.#gather(JSON.stringify([stream, group]), item, send, signal)
  }

  async many<V extends Ending>(
    verb: V,
    group: GroupRef,
    leases: readonly Ref[],
    options: VerbOptions[V] & CallOptions,
  ): Promise<Results<LeaseResult>> {
    const leaseIds = leases.map(({ leaseId }) => leaseId)
    return this.#book.follow({ leaseIds }, codeOfLease, () =>
      settleMany<V, Settled>(this.#send, verb, group, leases, options),
    )
  }

  async claims<V extends ClaimVerb>(
    verb: V,
    group: GroupRef,
    receipts: readonly string[],
    options: VerbOptions[V] & CallOptions,
  ): Promise<Results<ClaimResult>> {
    return this.#book.follow({ receipts }, codeOfClaim, () => settleClaims(this.#send, verb, group, receipts, options))
  }

  async all<P>(group: GroupRef, items: readonly SettleItem[], options: SettleOptions): Promise<SettledAll<P>> {
    const leaseIds = items.map(({ leaseId }) => leaseId)
    return this.#book.follow({ leaseIds }, codeOfLease, () => settleAll<P>(this.#send, group, items, options))
  }

  async #gathered(group: GroupRef, items: readonly SettleItem[]): Promise<readonly Outcome<Settled>[]> {
    const { results } = await settleAll(this.#send, group, items, {})
    return results.map((result) => {
      if (result.ok) {
        const { leaseId: _leaseId, ok: _ok, ...value } = result
        return { ok: true, value }
      }
      const { leaseId, code } = result
      return { ok: false, error: errorOf(code, { detail: 'the lease was not settled', data: { leaseId } as never }) }
    })
  }
}

function codeOfLease({ results }: Results<LeaseResult>, { leaseId }: { readonly leaseId: string }): Code | null {
  const result = results.find((one) => one.leaseId === leaseId)
  return result === undefined ? 'ambiguous' : result.ok ? null : result.code
}

function codeOfClaim({ results }: Results<ClaimResult>, { receipt }: { readonly receipt: string }): Code | null {
  const result = results.find((one) => one.receipt === receipt)
  return result === undefined ? 'ambiguous' : result.ok ? null : result.code
}
