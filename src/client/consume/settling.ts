import type { Clock } from '../clock.ts'
import type { Code } from '../failure.ts'
import type { FetchNowOptions } from '../fetch.ts'
import type { Lease } from '../lease.ts'
import type { Send } from '../request.ts'
import {
  type GroupRef,
  type LeaseResult,
  type Settled,
  type SettledAll,
  type SettleItem,
  settleAll,
} from '../settle.ts'
import { endOfTurn } from '../turn.ts'
import type { ConsumeEvent, LostCause, OnConsumeEvent } from './event.ts'
import type { Held, HeldLeases } from './held-leases.ts'
import type { Outcome } from './outcome.ts'
import { ruleOf, ruleOfError, type SettleRule } from './settle-rule.ts'

/** What is to be done with a lease; `release` is for what no handler has seen. */
export type Settlement = Outcome | { readonly outcome: 'release' }

/** A lease with what is to be done with it. */
interface Pending<P> {
  readonly held: Held<P>
  readonly settlement: Settlement
}

export interface SettlingOptions<P> extends GroupRef {
  /** Makes one try of a call. */
  readonly send: Send
  readonly clock: Clock
  readonly held: HeldLeases<P>
  readonly emit: OnConsumeEvent
}

/** What a settle call answered about its fetch; `error` also when the whole call failed. */
export type AlsoFetched<P> = { readonly sentAtMs: number; readonly answer: NonNullable<SettledAll<P>['fetched']> }

/** Items of one call. */
const MAX_ITEMS = 1_000

/** Settles leases, all that are ready in one call, and does what the rule says after a failure (S7). */
export class Settling<P> {
  readonly #options: SettlingOptions<P>
  #pending: Pending<P>[] = []
  #isSending = false

  constructor(options: SettlingOptions<P>) {
    this.#options = options
  }

  /** How many wait to be sent. */
  get waiting(): number {
    return this.#pending.length
  }

  get isSending(): boolean {
    return this.#isSending
  }

  /** Has a lease settled with the next call. */
  add(held: Held<P>, settlement: Settlement): void {
    this.#pending.push({ held, settlement })
  }

  /** Forgets what waits. */
  clear(): void {
    this.#pending = []
  }

  /**
   * Sends what waits, and fetches in the same call when `fetchOf` gives something for the number of items. Gives what
   * that fetch brought; null without one. Never fails.
   */
  async send(fetchOf: (items: number) => FetchNowOptions | undefined): Promise<AlsoFetched<P> | null> {
    const { send, clock, held, stream, group, emit } = this.#options
    this.#isSending = true
    await endOfTurn()
    // What was lost, under its handler or while it waited, is somebody else's: the outcome is dropped.
    const pending = this.#pending.splice(0, MAX_ITEMS).filter((one) => held.has(one.held))
    if (pending.length === 0) {
      this.#isSending = false
      return null
    }
    for (const one of pending) held.setMode(one.held, 'sent')
    const fetch = fetchOf(pending.length)
    const sentAtMs = clock.now()
    try {
      const answer = await settleAll<P>(send, { stream, group }, pending.map(itemOf), { fetch })
      for (const [index, one] of pending.entries()) this.#finish(one, answer.results[index])
      return answer.fetched === undefined ? null : { sentAtMs, answer: answer.fetched }
    } catch (error) {
      emit({ type: 'error', during: 'settle', error })
      for (const one of pending) this.#fail(one, ruleOfError(error), (error as { code?: Code }).code)
      return fetch === undefined ? null : { sentAtMs, answer: { error: error as never } }
    } finally {
      this.#isSending = false
    }
  }

  #finish(pending: Pending<P>, result: LeaseResult | undefined): void {
    // Only a server that breaks its word gives fewer results than it got items; nobody knows then.
    if (result === undefined) this.#fail(pending, 'expire', undefined)
    else if (!result.ok) this.#fail(pending, ruleOf(result.code), result.code)
    else {
      const { held, settlement } = pending
      this.#options.held.remove(held)
      this.#options.emit(eventOf(held.lease as Lease, settlement, result))
    }
  }

  #fail({ held, settlement }: Pending<P>, rule: SettleRule, code: Code | undefined): void {
    const leases = this.#options.held
    if (rule === 'lost') leases.lose(held, code as LostCause)
    else if (rule === 'nack' && settlement.outcome === 'ack') {
      leases.setMode(held, 'renewed')
      const nack: Settlement = { outcome: 'retry', reason: `the ack failed: ${code}`, delayMs: undefined }
      this.#pending.push({ held, settlement: nack })
    } else leases.setMode(held, 'left')
  }
}

function eventOf(lease: Lease, settlement: Settlement, { state }: Settled): ConsumeEvent {
  switch (settlement.outcome) {
    case 'ack':
      return { type: 'acked', lease }
    case 'retry':
      return { type: 'retried', lease, reason: settlement.reason, state: state as 'available' | 'delayed' | 'rejected' }
    case 'reject':
      return { type: 'rejected', lease, reason: settlement.reason }
    case 'release':
      return { type: 'released', lease }
  }
}

function itemOf<P>({ held, settlement }: Pending<P>): SettleItem {
  const { leaseId, receipt } = held.lease
  switch (settlement.outcome) {
    case 'ack':
    case 'release':
      return { leaseId, receipt, outcome: settlement.outcome }
    case 'retry':
      return { leaseId, receipt, outcome: 'nack', reason: settlement.reason, delayMs: settlement.delayMs }
    case 'reject':
      return { leaseId, receipt, outcome: 'reject', reason: settlement.reason }
  }
}
