import type {
  Answer,
  Call,
  CallName,
  Event,
  EventInput,
  In,
  Json,
  Options,
  Out,
  Ref,
  Refusal,
  SettleItem,
} from './calls.ts'
import {
  become,
  bury,
  count,
  type Delivery,
  deadLettersOf,
  groupInfoOf,
  holesOf,
  lagOf,
  leaseOf,
  unleased,
} from './delivery.ts'
import { equal } from './equal.ts'

class Refused extends Error {
  readonly refusal: Refusal
  constructor(code: string, data: Record<string, Json> = {}) {
    super(code)
    this.refusal = { code, ...data }
  }
}

/**
 * One partition and its groups by the letter of S2 to S4: one object for each delivery of each group, and everything
 * is found by looking through all of them. To be checked by eye, never to be fast.
 */
export class Reference implements Record<CallName, unknown> {
  nowMs = 0
  /** Event n is `events[n - 1]`, and so is its delivery among those of a group. */
  readonly events: Event[] = []
  readonly groups = new Map<string, { options: Options; readonly deliveries: Delivery[] }>()
  /** The group and the sequences of each claim. */
  readonly claims: { group: string; sequences: number[] }[] = []
  /** What was asked under an idempotency key, and where its events are. */
  readonly requests = new Map<string, { request: string; sequences: number[] }>()

  run(call: Call, nowMs: number): Answer<unknown> {
    this.nowMs = Math.max(this.nowMs, nowMs)
    this.expire()
    try {
      return { value: (this[call.type] as (input: unknown, nowMs: number) => unknown).call(this, call, nowMs) }
    } catch (error) {
      if (error instanceof Refused) return { refused: error.refusal }
      throw error
    }
  }

  /** Before every call: all that is due by now happens, at the time it was due (S4.2, S4.4). */
  expire(): Out<'expire'> {
    for (const { options, deliveries } of this.groups.values()) {
      for (const delivery of deliveries) {
        if (delivery.untilMs === null || delivery.untilMs > this.nowMs) continue
        const kills = delivery.state === 'leased' && delivery.attempt >= options.maxAttempts
        if (kills) bury(delivery, 'lease_expired', null, delivery.untilMs)
        else become(delivery, 'available')
      }
    }
    return {}
  }

  // The log (S2)

  append({ events, idempotencyKey, expectedSequence }: In<'append'>, nowMs: number): Out<'append'> {
    const request = JSON.stringify([events, expectedSequence])
    const earlier = idempotencyKey === null ? undefined : this.requests.get(idempotencyKey)
    if (earlier !== undefined) {
      if (earlier.request !== request) throw new Refused('id_conflict', { idempotencyKey })
      return { events: earlier.sequences.map((sequence) => ({ duplicate: true, event: this.events[sequence - 1]! })) }
    }
    const highWatermark = this.events.length
    const fresh: Event[] = []
    const answers = events.map((input) => {
      const original = this.original(input, fresh)
      if (original !== undefined) return { duplicate: true, event: original }
      const sequence = highWatermark + fresh.length + 1
      const { id, timestampMs, content } = input
      const event = { ...content, sequence, id: id ?? `generated:${sequence}`, timestampMs: timestampMs ?? nowMs }
      fresh.push(event)
      return { duplicate: false, event }
    })
    // A request that brings nothing new is not compared (S2.8), and its key is not kept: nothing is there to hold it.
    if (fresh.length === 0) return { events: answers }
    if (expectedSequence !== null && expectedSequence !== highWatermark) {
      throw new Refused('sequence_conflict', { expectedSequence, highWatermark })
    }
    this.events.push(...fresh)
    for (const { deliveries } of this.groups.values()) {
      deliveries.push(...fresh.map(({ sequence }) => unleased(sequence, 'undelivered')))
    }
    const sequences = answers.map(({ event }) => event.sequence)
    if (idempotencyKey !== null) this.requests.set(idempotencyKey, { request, sequences })
    return { events: answers }
  }

  appends({ requests }: In<'appends'>, nowMs: number): Out<'appends'> {
    const answers = requests.map(({ agoMs, ...request }) => this.run({ type: 'append', ...request }, nowMs - agoMs))
    return { answers: answers as Answer<Out<'append'>>[] }
  }

  /** The event that already has the id, if any. */
  original({ id, timestampMs, content }: EventInput, fresh: readonly Event[]): Event | undefined {
    if (id === null) return undefined
    // An id of the generated form names a position that was there before the request, or nothing (S2.6).
    const isGenerated = id.startsWith('generated:')
    const original = (isGenerated ? this.events : [...this.events, ...fresh]).find((event) => event.id === id)
    if (original === undefined && !isGenerated) return undefined
    const { type, key, payload, metadata } = original ?? {}
    const isSame = equal({ type, key, payload, metadata }, content)
    if (isSame && (timestampMs === null || timestampMs === original?.timestampMs)) return original
    throw new Refused('id_conflict', { id })
  }

  read({ after, limit }: In<'read'>): Out<'read'> {
    return { events: this.events.slice(after, after + limit), highWatermark: this.events.length }
  }

  status(): Out<'status'> {
    return { highWatermark: this.events.length }
  }

  // Groups (S3)

  resolveStart({ start }: In<'resolveStart'>): Out<'resolveStart'> {
    const highWatermark = this.events.length
    switch (start.kind) {
      case 'earliest':
        return { start: 0 }
      case 'latest':
        return { start: highWatermark }
      case 'after':
        if (start.sequence > highWatermark) throw new Refused('invalid_start', { partitions: [0] })
        return { start: start.sequence }
      case 'at': {
        const first = this.events.find(({ timestampMs }) => timestampMs >= start.timeMs)
        return { start: first === undefined ? highWatermark : first.sequence - 1 }
      }
    }
  }

  createGroup({ group, start, options }: In<'createGroup'>): Out<'createGroup'> {
    const resolved = this.resolveStart({ start })
    const deliveries = this.events.map(({ sequence }) =>
      unleased(sequence, sequence <= resolved.start ? 'skipped' : 'undelivered'),
    )
    this.groups.set(group, { options, deliveries })
    return resolved
  }

  repeatCreate({ group }: In<'repeatCreate'>): Out<'repeatCreate'> {
    this.group(group)
    return {}
  }

  patchGroup({ group, patch }: In<'patchGroup'>): Out<'patchGroup'> {
    const known = this.group(group)
    known.options = { ...known.options, ...patch }
    return {}
  }

  group(name: string) {
    const group = this.groups.get(name)
    if (group === undefined) throw new Refused('group_not_found')
    return group
  }

  fetch({ group, limit, leaseMs, consumerId }: In<'fetch'>): Out<'fetch'> {
    const { options, deliveries } = this.group(group)
    const work = deliveries.filter(({ state }) => state === 'available' || state === 'undelivered')
    const room = options.maxInFlight === null ? limit : options.maxInFlight - count(deliveries, 'leased')
    if (options.paused) return { leases: [], reason: 'paused' }
    if (work.length > 0 && room <= 0) return { leases: [], reason: 'in_flight_limit' }
    if (work.length === 0 && count(deliveries, 'delayed') > 0) return { leases: [], reason: 'all_delayed' }
    if (work.length === 0 && count(deliveries, 'leased') > 0) return { leases: [], reason: 'all_leased' }
    if (work.length === 0) return { leases: [], reason: 'caught_up' }

    const taken = work.slice(0, Math.min(limit, room))
    const claim = this.claims.push({ group, sequences: taken.map(({ sequence }) => sequence) }) - 1
    const granted = { claim, consumerId, leasedAtMs: this.nowMs, leaseMs: leaseMs ?? options.leaseMs }
    const leases = taken.map((delivery) => {
      become(delivery, 'leased', this.nowMs + granted.leaseMs)
      delivery.attempt += 1
      delivery.lease = { ...granted }
      return { claim, ...leaseOf(delivery, this.events), event: this.events[delivery.sequence - 1]! }
    })
    return { leases, reason: null }
  }

  // Leases (S4)

  /** The delivery whose current lease this is. */
  held(group: string, ref: Ref): Delivery | undefined {
    if ('text' in ref || ref.sequence === null || this.claims[ref.claim]?.group !== group) return undefined
    const delivery = this.group(group).deliveries[ref.sequence - 1]
    return delivery?.lease?.claim === ref.claim ? delivery : undefined
  }

  each<I extends { lease: Ref; receipt: Ref | null }>(
    group: string,
    items: readonly I[],
    settle: (delivery: Delivery, item: I) => void,
  ): Out<'settle'> {
    this.group(group)
    const results = items.map((item) => {
      const delivery = this.held(group, item.lease)
      if (delivery === undefined) return { ok: false, code: 'stale_lease' } as const
      const receipt = { claim: delivery.lease!.claim, sequence: null }
      if (item.receipt !== null && !equal(item.receipt, receipt))
        return { ok: false, code: 'receipt_mismatch' } as const
      settle(delivery, item)
      return { ok: true, state: delivery.state, untilMs: delivery.untilMs } as const
    })
    return { results }
  }

  settle({ group, items }: In<'settle'>): Out<'settle'> {
    return this.each(group, items, (delivery, item) => this.end(group, delivery, item))
  }

  renew({ group, items }: In<'renew'>): Out<'renew'> {
    return this.each(group, items, (delivery, { leaseMs }) => {
      delivery.lease!.leaseMs = leaseMs ?? delivery.lease!.leaseMs
      delivery.untilMs = this.nowMs + delivery.lease!.leaseMs
    })
  }

  settleClaims({ group, receipts, ...how }: In<'settleClaims'>): Out<'settleClaims'> {
    this.group(group)
    const results = receipts.map((receipt) => {
      if ('text' in receipt || receipt.sequence !== null) return { ok: false, code: 'stale_lease' } as const
      const { claim } = receipt
      const claimed = this.claims[claim]!.sequences
      const held = claimed.flatMap((sequence) => this.held(group, { claim, sequence }) ?? [])
      if (held.length === 0) return { ok: false, code: 'stale_lease' } as const
      for (const delivery of held) this.end(group, delivery, how)
      return { ok: true, count: held.length, lost: claimed.length - held.length } as const
    })
    return { results }
  }

  releaseConsumer({ group, consumerId }: In<'releaseConsumer'>): Out<'releaseConsumer'> {
    const held = this.group(group).deliveries.filter(({ lease }) => lease !== null && lease.consumerId === consumerId)
    for (const delivery of held) this.end(group, delivery, { outcome: 'release', reason: null, delayMs: null })
    return { released: held.length }
  }

  /** Ends a lease as its holder asks (S4.5, S4.7). */
  end(group: string, delivery: Delivery, { outcome, reason, delayMs }: Omit<SettleItem, 'lease' | 'receipt'>) {
    const { maxAttempts, backoff } = this.group(group).options
    const { attempt } = delivery
    if (outcome === 'ack') return become(delivery, 'acked')
    if (outcome === 'reject') return bury(delivery, 'rejected', reason, this.nowMs)
    if (outcome === 'release') {
      delivery.attempt -= 1
      return become(delivery, 'available')
    }
    if (attempt >= maxAttempts) return bury(delivery, 'max_attempts', reason, this.nowMs)
    const grownMs = backoff === null ? 0 : Math.min(backoff.maxMs, backoff.baseMs * backoff.factor ** (attempt - 1))
    const delay = delayMs ?? Math.round(grownMs)
    delivery.reason = reason
    if (delay > 0) become(delivery, 'delayed', this.nowMs + delay)
    else become(delivery, 'available')
  }

  // What can be seen (S4.9 to S4.11, S5.8, S5.10)

  lag({ group }: In<'lag'>): Out<'lag'> {
    return lagOf(this.group(group).deliveries)
  }

  holes({ group, maxRanges }: In<'holes'>): Out<'holes'> {
    return holesOf(this.group(group).deliveries, this.events, maxRanges)
  }

  groupInfo({ group }: In<'groupInfo'>): Out<'groupInfo'> {
    return groupInfoOf(this.group(group).deliveries, this.events)
  }

  leases({ group, consumerId }: In<'leases'>): Out<'leases'> {
    const held = this.group(group).deliveries.filter(({ lease }) => lease !== null)
    const asked = held.filter(({ lease }) => consumerId === null || lease!.consumerId === consumerId)
    return { leases: asked.map((delivery) => leaseOf(delivery, this.events)) }
  }

  deadLetters({ group }: In<'deadLetters'>): Out<'deadLetters'> {
    return { deadLetters: deadLettersOf(this.group(group).deliveries, this.events) }
  }
}
