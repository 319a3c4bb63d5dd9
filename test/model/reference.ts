import type { Answer, Call, CallName, In, Options, Out, Ref, SettleItem } from './calls.ts'
import * as seen from './delivery.ts'
import { become, bury, count, type Delivery, leaseOf, reopen, unleased } from './delivery.ts'
import { equal } from './equal.ts'
import { ReferenceLog, Refused } from './log.ts'

/**
 * One partition and its groups by the letter of S2 to S4: one object for each delivery of each group, and everything
 * is found by looking through all of them. To be checked by eye, never to be fast.
 */
export class Reference extends ReferenceLog implements Record<CallName, unknown> {
  nowMs = 0
  /** Delivery n of a group is `deliveries[n - 1]`. */
  readonly groups = new Map<string, { options: Options; deliveries: Delivery[] }>()
  /** The group and the sequences of each claim. */
  readonly claims: { group: string; sequences: number[] }[] = []

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

  /** When leases and delays end, from a time on. */
  duesFrom(timeMs: number): number[] {
    const deliveries = [...this.groups.values()].flatMap((group) => group.deliveries)
    return deliveries.flatMap(({ untilMs }) => (untilMs === null || untilMs < timeMs ? [] : [untilMs]))
  }

  // The log (S2), and what it means to the groups

  override append(request: In<'append'>, nowMs: number): Out<'append'> {
    const answer = super.append(request, nowMs)
    for (const { deliveries } of this.groups.values()) {
      for (const { sequence } of this.events.slice(deliveries.length))
        deliveries.push(unleased(sequence, 'undelivered'))
    }
    return answer
  }

  appends({ requests }: In<'appends'>, nowMs: number): Out<'appends'> {
    const answers = requests.map(({ agoMs, ...request }) => this.run({ type: 'append', ...request }, nowMs - agoMs))
    return { answers: answers as Answer<Out<'append'>>[] }
  }

  /** The event with an id, and what became of it in each group. */
  event({ id }: In<'event'>): Out<'event'> {
    const event = this.events.find((one) => one.id === id)
    if (event === undefined) return { found: null }
    const deliveries = [...this.groups].map(([group, known]) =>
      seen.infoOf(group, known.deliveries[event.sequence - 1]!),
    )
    return { found: { event, deliveries } }
  }

  // Groups (S3)

  createGroup({ group, start, options }: In<'createGroup'>): Out<'createGroup'> {
    const resolved = this.resolveStart({ start })
    this.groups.set(group, { options, deliveries: this.deliveriesAfter(resolved.start) })
    return resolved
  }

  /** All deliveries of a group that begins behind a sequence (S3.3). */
  deliveriesAfter(start: number): Delivery[] {
    return this.events.map(({ sequence }) => unleased(sequence, sequence <= start ? 'skipped' : 'undelivered'))
  }

  removeGroup({ group }: In<'removeGroup'>): Out<'removeGroup'> {
    this.group(group)
    this.groups.delete(group)
    return {}
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

  // Replay, reset, redrive (S5)

  replay({ group, selector, resetAttempts, dryRun }: In<'replay'>): Out<'replay'> {
    const { deliveries } = this.group(group)
    const selected = this.selected(selector)
    // What was never offered is delivered anyway.
    const offered = deliveries.filter(({ sequence, state }) => state !== 'undelivered' && selected(sequence))
    const limit = selector.kind === 'type' ? (selector.limit ?? offered.length) : offered.length
    const reopened = offered.slice(0, limit)
    const { frontier, highWatermark } = this.lag({ group })
    const after = Math.min(frontier, (reopened[0]?.sequence ?? Number.POSITIVE_INFINITY) - 1)
    if (!dryRun) for (const delivery of reopened) reopen(delivery, resetAttempts)
    return { reopened: reopened.length, frontier: after, highWatermark, lag: highWatermark - after }
  }

  selected(selector: In<'replay'>['selector']): (sequence: number) => boolean {
    if (selector.kind === 'after') return (sequence) => sequence > selector.sequence
    if (selector.kind === 'type') return (sequence) => this.events[sequence - 1]!.type === selector.type
    const first = this.events.find(({ timestampMs }) => timestampMs >= selector.timeMs)
    if (first === undefined) throw new Refused('no_events_in_range')
    return (sequence) => sequence >= first.sequence
  }

  redrive({ group, eventIds }: In<'redrive'>): Out<'redrive'> {
    const dead = this.group(group).deliveries.filter(({ letter }) => letter !== null)
    const chosen = dead.filter(({ sequence }) => eventIds?.includes(this.events[sequence - 1]!.id) ?? true)
    for (const delivery of chosen) reopen(delivery, true)
    return { redriven: chosen.length, ...this.lag({ group }) }
  }

  reset({ group, start }: In<'reset'>): Out<'reset'> {
    const known = this.group(group)
    known.deliveries = this.deliveriesAfter(this.resolveStart({ start }).start)
    return this.lag({ group })
  }

  // What can be seen (S4.9 to S4.11, S5.8, S5.10)

  lag({ group }: In<'lag'>): Out<'lag'> {
    return seen.lagOf(this.group(group).deliveries)
  }

  holes({ group, maxRanges }: In<'holes'>): Out<'holes'> {
    return seen.holesOf(this.group(group).deliveries, this.events, maxRanges)
  }

  groupInfo({ group }: In<'groupInfo'>): Out<'groupInfo'> {
    return seen.groupInfoOf(this.group(group).deliveries, this.events)
  }

  leases({ group, consumerId }: In<'leases'>): Out<'leases'> {
    const held = this.group(group).deliveries.filter(({ lease }) => lease !== null)
    const asked = held.filter(({ lease }) => consumerId === null || lease!.consumerId === consumerId)
    return { leases: asked.map((delivery) => leaseOf(delivery, this.events)) }
  }

  deadLetters({ group }: In<'deadLetters'>): Out<'deadLetters'> {
    return { deadLetters: seen.deadLettersOf(this.group(group).deliveries, this.events) }
  }
}
