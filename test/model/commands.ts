import type { Call, Content, EventInput, In, Options, Ref, RenewItem, SettleItem, Start } from './calls.ts'
import type { Reference } from './reference.ts'

/** When every script begins, in milliseconds since 1970. */
export const START_MS = Date.UTC(2026, 2, 15, 12)

/**
 * A step of a script. It names groups, leases and receipts by numbers that are taken modulo what there is when the
 * step comes, so that a script stays meaningful while it is shrunk.
 */
export type Step =
  | ({ readonly do: 'append' } & StepAppend)
  /** One request with so many plain events. */
  | { readonly do: 'appendMany'; readonly count: number }
  /** Append requests that arrive together. */
  | { readonly do: 'appends'; readonly requests: readonly (StepAppend & { readonly agoMs: number })[] }
  /** An earlier append request comes once more, as it was. */
  | { readonly do: 'appendAgain'; readonly append: number }
  | { readonly do: 'read'; readonly after: number; readonly limit: number }
  | { readonly do: 'createGroup'; readonly start: StepStart; readonly options: Partial<Options> }
  | { readonly do: 'resolveStart'; readonly start: StepStart }
  | { readonly do: 'patchGroup'; readonly group: number; readonly patch: Partial<Options> }
  | { readonly do: 'repeatCreate' | 'lag' | 'groupInfo'; readonly group: number }
  | { readonly do: 'holes'; readonly group: number; readonly maxRanges: number }
  | { readonly do: 'leases'; readonly group: number; readonly consumer: number | null; readonly pageSize: number }
  | { readonly do: 'deadLetters'; readonly group: number; readonly pageSize: number }
  | {
      readonly do: 'fetch'
      readonly group: number
      readonly limit: number
      readonly leaseMs: number | null
      readonly consumer: number | null
    }
  | { readonly do: 'settle'; readonly group: number; readonly items: readonly StepItem[] }
  /** Settles every `stride`-th of the leases that the group holds, forwards or backwards. */
  | ({ readonly do: 'settleEvery'; readonly group: number; readonly stride: number; readonly backwards: boolean } & How)
  | { readonly do: 'renew'; readonly group: number; readonly items: readonly StepRenewal[] }
  | ({ readonly do: 'settleClaims'; readonly group: number; readonly receipts: readonly StepReceipt[] } & How<
      'ack' | 'nack' | 'reject'
    >)
  | { readonly do: 'releaseConsumer'; readonly group: number; readonly consumer: number }
  | { readonly do: 'status' | 'expire' | 'evict' | 'restart' }
  | { readonly do: 'advance'; readonly ms: number }
  /** Moves the clock to the next time at which something is due, or `offMs` beside it. */
  | { readonly do: 'advanceToDue'; readonly offMs: number }

export interface How<O = SettleItem['outcome']> {
  readonly outcome: O
  readonly reason: string | null
  readonly delayMs: number | null
}

export interface StepAppend {
  readonly events: readonly StepEvent[]
  readonly key: number | null
  /** The expected sequence, from the high watermark. */
  readonly expected: number | null
}

/** `id` chooses one of a few ids; `position` asks for the generated id that many sequences from the high watermark. */
export interface StepEvent {
  readonly id: number | null
  readonly position: number | null
  /** Milliseconds from the start of the script. */
  readonly timestamp: number | null
  readonly content: number
}

export type StepStart =
  | { readonly kind: 'earliest' }
  | { readonly kind: 'latest' }
  /** So many sequences below the high watermark; above it when negative. */
  | { readonly kind: 'after'; readonly below: number }
  /** A time from the start of the script, or beside the timestamp of an event. */
  | { readonly kind: 'at'; readonly time: number }
  | { readonly kind: 'atEvent'; readonly event: number; readonly offMs: number }

/** One of the leases that the group holds, one of all leases there ever were, or some other text. */
export type StepLease =
  | { readonly live: number }
  | { readonly ever: number }
  | { readonly receiptOf: number }
  | { readonly text: string }

/** `own` is the receipt of the lease it stands beside; claims count back from the latest, of the group or of any. */
export type StepReceipt =
  | 'own'
  | { readonly claim: number }
  | { readonly claimOfAny: number }
  | { readonly leaseOf: number }
  | { readonly text: string }

export interface StepItem extends How {
  readonly lease: StepLease
  readonly receipt: StepReceipt | null
}

export interface StepRenewal {
  readonly lease: StepLease
  readonly receipt: StepReceipt | null
  readonly leaseMs: number | null
}

export const defaultOptions: Options = { maxAttempts: 5, leaseMs: 100, maxInFlight: null, backoff: null, paused: false }

const content = (text: string): Content => JSON.parse(text) as Content

/** Few, so that retries meet equal and other content: the second and the third differ in the order of members only. */
export const contents: readonly Content[] = [
  content('{"type":null,"key":null,"payload":{},"metadata":{}}'),
  content('{"type":"paid","key":"k","payload":{"a":1,"b":[{"x":1,"y":2}]},"metadata":{"producer":"p"}}'),
  content('{"type":"paid","key":"k","payload":{"b":[{"y":2,"x":1}],"a":1},"metadata":{"producer":"p"}}'),
  content('{"type":"paid","key":"k","payload":{"a":1,"b":[{"x":1,"y":2}]},"metadata":{}}'),
  content(
    '{"type":"","key":"","payload":{"":"\\ud800","__proto__":{"a":"\\n\\u2028"},"constructor":1},"metadata":{"":null}}',
  ),
]

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
