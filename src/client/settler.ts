import { errorOf } from './errors.ts'
import type { Outcome } from './gather.ts'
import { Gathers } from './gathers.ts'
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

/** What is told of leases that a call was about, whatever became of it: by lease id, or by receipt. */
export type OnSettle = (leaseIds: readonly string[], receipts: readonly string[]) => void

/** Settles for one client. Single leases of a group gather, whatever their outcomes. */
export class Settler {
  readonly #send: Send
  readonly #gathers: Gathers<SettleItem, Settled> | null
  readonly #onSettle: OnSettle

  constructor(send: Send, gather: boolean, onSettle: OnSettle) {
    this.#send = send
    this.#gathers = gather ? new Gathers(Number.POSITIVE_INFINITY, () => 0) : null
    this.#onSettle = onSettle
  }

  async one<V extends Ending>(verb: V, lease: LeaseRef, options: VerbOptions[V] & CallOptions): Promise<Settled> {
    const { signal, timeoutMs, ...verbOptions } = options
    const settled = async (): Promise<Settled> => {
      if (this.#gathers === null || timeoutMs !== undefined) {
        return settleOne(this.#send, verb, lease, options)
      }
      const { stream, group, leaseId, receipt } = lease
      const item = { leaseId, receipt, outcome: verb, ...verbOptions } as SettleItem
      const send = (items: readonly SettleItem[]) => this.#gathered({ stream, group }, items)
      return this.#gathers.add(JSON.stringify([stream, group]), item, send, signal)
    }
    return this.#telling([lease.leaseId], [], settled())
  }

  async many<V extends Ending>(
    verb: V,
    group: GroupRef,
    leases: readonly Ref[],
    options: VerbOptions[V] & CallOptions,
  ): Promise<Results<LeaseResult>> {
    const ids = leases.map(({ leaseId }) => leaseId)
    return this.#telling(ids, [], settleMany<V, Settled>(this.#send, verb, group, leases, options))
  }

  async claims<V extends ClaimVerb>(
    verb: V,
    group: GroupRef,
    receipts: readonly string[],
    options: VerbOptions[V] & CallOptions,
  ): Promise<Results<ClaimResult>> {
    return this.#telling([], receipts, settleClaims(this.#send, verb, group, receipts, options))
  }

  async all<P>(group: GroupRef, items: readonly SettleItem[], options: SettleOptions): Promise<SettledAll<P>> {
    const ids = items.map(({ leaseId }) => leaseId)
    return this.#telling(ids, [], settleAll<P>(this.#send, group, items, options))
  }

  async #telling<T>(leaseIds: readonly string[], receipts: readonly string[], work: Promise<T>): Promise<T> {
    try {
      return await work
    } finally {
      this.#onSettle(leaseIds, receipts)
    }
  }

  async #gathered(group: GroupRef, items: readonly SettleItem[]): Promise<readonly Outcome<Settled>[]> {
    const { results } = await settleAll(this.#send, group, items, {})
    return results.map((result) => {
      if (result.ok) {
        const { leaseId: _leaseId, ok: _ok, ...value } = result
        return { ok: true, value }
      }
      const { leaseId, code } = result
      return { ok: false, error: errorOf(code, { detail: `the lease was not settled`, data: { leaseId } as never }) }
    })
  }
}
