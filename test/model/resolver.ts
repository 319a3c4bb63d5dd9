import type { Call, EventInput, In, Ref, RenewItem, SettleItem, Start } from './calls.ts'
import {
  contents,
  defaultOptions,
  START_MS,
  type Step,
  type StepAppend,
  type StepEvent,
  type StepEventId,
  type StepLease,
  type StepReceipt,
  type StepSelector,
  type StepStart,
} from './commands.ts'
import type { Reference } from './reference.ts'

const plainEvent: StepEvent = { id: null, position: null, timestamp: null, content: 1 }

/** Turns steps into calls, from what the reference model has come to. */
export class Resolver {
  readonly #reference: Reference
  readonly #appends: In<'append'>[] = []
  #groups = 0

  constructor(reference: Reference) {
    this.#reference = reference
  }

  /** The call of a step; null when there is nothing that it could mean. Steps that move time or memory are no calls. */
  call(step: Step): Call | null {
    const { do: type } = step
    switch (type) {
      case 'append':
        return { type, ...this.#append(step) }
      case 'appendMany':
        return {
          type: 'append',
          ...this.#append({ events: Array(step.count).fill(plainEvent), key: null, expected: null }),
        }
      case 'appends':
        return { type, requests: step.requests.map((request) => ({ ...this.#append(request), agoMs: request.agoMs })) }
      case 'appendAgain': {
        const append = pick(this.#appends, step.append)
        return append === undefined ? null : { type: 'append', ...append }
      }
      case 'read':
        return { type, after: Math.max(0, this.#highWatermark - step.after), limit: step.limit }
      case 'createGroup': {
        const options = { ...defaultOptions, ...step.options }
        return { type, group: `group-${++this.#groups}`, start: this.#start(step.start), options }
      }
      case 'event':
        return { type, id: this.#id(step.event) }
      case 'resolveStart':
        return { type, start: this.#start(step.start) }
      case 'status':
      case 'expire':
        return { type }
      case 'evict':
      case 'restart':
      case 'advance':
      case 'advanceToDue':
        return null
      default:
        return this.#groupCall(step, this.#group(step.group))
    }
  }

  #groupCall(step: Extract<Step, { group: number }>, group: string): Call {
    const { do: type } = step
    switch (type) {
      case 'patchGroup':
        return { type, group, patch: step.patch }
      case 'repeatCreate':
      case 'lag':
      case 'groupInfo':
        return { type, group }
      case 'holes':
        return { type, group, maxRanges: step.maxRanges }
      case 'leases':
        return { type, group, consumerId: consumer(step.consumer), pageSize: step.pageSize }
      case 'deadLetters':
        return { type, group, pageSize: step.pageSize }
      case 'fetch':
        return { type, group, limit: step.limit, leaseMs: step.leaseMs, consumerId: consumer(step.consumer) }
      case 'settle':
        return { type, group, items: step.items.map((item): SettleItem => ({ ...item, ...this.#names(group, item) })) }
      case 'settleEvery': {
        const { outcome, reason, delayMs } = step
        const leases = this.#live(group).filter((_, index) => index % step.stride === 0)
        if (step.backwards) leases.reverse()
        return {
          type: 'settle',
          group,
          items: leases.map((lease) => ({ lease, receipt: null, outcome, reason, delayMs })),
        }
      }
      case 'renew':
        return { type, group, items: step.items.map((item): RenewItem => ({ ...item, ...this.#names(group, item) })) }
      case 'settleClaims': {
        const { outcome, reason, delayMs } = step
        const receipts = step.receipts.map((receipt) => this.#receipt(group, receipt, { text: '' }))
        return { type, group, receipts, outcome, reason, delayMs }
      }
      case 'replay': {
        const { resetAttempts, dryRun } = step
        return { type, group, selector: this.#selector(step.selector), resetAttempts, dryRun }
      }
      case 'reset':
        return { type, group, start: this.#start(step.start) }
      case 'redrive':
        return { type, group, eventIds: step.events?.map((event) => this.#id(event)) ?? null }
      case 'removeGroup':
        return { type, group }
      case 'releaseConsumer':
        return { type, group, consumerId: consumer(step.consumer)! }
    }
  }

  get #highWatermark(): number {
    return this.#reference.events.length
  }

  #append({ events, key, expected }: StepAppend): In<'append'> {
    const append: In<'append'> = {
      events: events.map((event) => this.#event(event)),
      idempotencyKey: key === null ? null : `key-${key}`,
      expectedSequence: expected === null ? null : Math.max(0, this.#highWatermark + expected),
    }
    this.#appends.push(append)
    return append
  }

  #event({ id, position, timestamp, content }: StepEvent): EventInput {
    const generated = position === null ? null : `generated:${Math.max(1, this.#highWatermark + position)}`
    return {
      id: generated ?? (id === null ? null : `id-${id}`),
      timestampMs: timestamp === null ? null : START_MS + timestamp,
      content: contents[content % contents.length]!,
    }
  }

  #id(of: StepEventId): string {
    if ('id' in of) return `id-${of.id}`
    if ('position' in of) return `generated:${Math.max(1, this.#highWatermark - of.position)}`
    return pick(this.#reference.events, of.event)?.id ?? 'no event'
  }

  #selector(selector: StepSelector): In<'replay'>['selector'] {
    if (selector.kind === 'type') {
      const { type } = contents[selector.content % contents.length]!
      return { kind: 'type', type, limit: selector.limit }
    }
    return this.#start(selector) as Extract<Start, { kind: 'after' | 'at' }>
  }

  #start(start: StepStart): Start {
    switch (start.kind) {
      case 'after':
        return { kind: 'after', sequence: Math.max(0, this.#highWatermark - start.below) }
      case 'at':
        return { kind: 'at', timeMs: START_MS + start.time }
      case 'atEvent': {
        const timeMs = pick(this.#reference.events, start.event)?.timestampMs ?? START_MS
        return { kind: 'at', timeMs: timeMs + start.offMs }
      }
      default:
        return start
    }
  }

  #group(index: number): string {
    // A negative number asks for a group that was never there; so does any when there is none.
    return (index < 0 ? undefined : pick([...this.#reference.groups.keys()], index)) ?? 'nobody'
  }

  #live(group: string): Ref[] {
    const deliveries = this.#reference.groups.get(group)?.deliveries ?? []
    return deliveries.flatMap(({ sequence, lease }) => (lease === null ? [] : [{ claim: lease.claim, sequence }]))
  }

  #names(group: string, item: { lease: StepLease; receipt: StepReceipt | null }): { lease: Ref; receipt: Ref | null } {
    const lease = this.#lease(group, item.lease) ?? { text: 'no lease' }
    return { lease, receipt: item.receipt === null ? null : this.#receipt(group, item.receipt, lease) }
  }

  #lease(group: string, lease: StepLease): Ref | undefined {
    if ('text' in lease) return lease
    if ('live' in lease) return pick(this.#live(group), lease.live)
    if ('receiptOf' in lease) return this.#receipt(group, { claimOfAny: lease.receiptOf }, { text: '' })
    const { claims } = this.#reference
    const claim = claims.length === 0 ? 0 : lease.ever % claims.length
    const sequence = pick(claims[claim]?.sequences ?? [], Math.floor(lease.ever / claims.length))
    return sequence === undefined ? undefined : { claim, sequence }
  }

  #receipt(group: string, receipt: StepReceipt, beside: Ref): Ref {
    if (receipt === 'own') return 'text' in beside ? beside : { claim: beside.claim, sequence: null }
    if ('text' in receipt) return receipt
    if ('leaseOf' in receipt) return this.#lease(group, { ever: receipt.leaseOf }) ?? { text: '' }
    const index = 'claim' in receipt ? receipt.claim : receipt.claimOfAny
    const claims = [...this.#reference.claims.entries()].filter(
      ([, of]) => 'claimOfAny' in receipt || of.group === group,
    )
    const claim = pick(claims.reverse(), index)?.[0]
    return claim === undefined ? { text: 'no receipt' } : { claim, sequence: null }
  }
}

const pick = <T>(list: readonly T[], index: number): T | undefined => list[index % list.length]

const consumer = (index: number | null): string | null => (index === null ? null : `consumer-${index}`)
