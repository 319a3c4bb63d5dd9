import type { Cause, DeadLetter, DeliveryInfo, Event, Out, State } from './calls.ts'

/** One event on its way to one group. */
export interface Delivery {
  readonly sequence: number
  state: State
  attempt: number
  /** What the last nack said. */
  reason: string | null
  /** When the lease expires or the delay ends. */
  untilMs: number | null
  lease: { claim: number; consumerId: string | null; leasedAtMs: number; leaseMs: number } | null
  letter: { reason: string | null; cause: Cause; consumerId: string | null; deadLetteredAtMs: number } | null
}

export const unleased = (sequence: number, state: 'undelivered' | 'skipped'): Delivery => ({
  sequence,
  state,
  attempt: 0,
  reason: null,
  untilMs: null,
  lease: null,
  letter: null,
})

export function become(delivery: Delivery, state: State, untilMs: number | null = null): void {
  delivery.state = state
  delivery.untilMs = untilMs
  delivery.lease = null
}

export function bury(delivery: Delivery, cause: Cause, reason: string | null, deadLetteredAtMs: number): void {
  const { consumerId } = delivery.lease!
  become(delivery, 'rejected')
  delivery.letter = { reason, cause, consumerId, deadLetteredAtMs }
}

/** Makes a delivery available again, whatever it was; why it once came back is forgotten with what it was. */
export function reopen(delivery: Delivery, resetAttempts: boolean): void {
  become(delivery, 'available')
  delivery.reason = null
  delivery.letter = null
  if (resetAttempts) delivery.attempt = 0
}

/** Whether the delivery is a hole. */
export const isOpen = ({ state }: Delivery): boolean => !['acked', 'rejected', 'skipped'].includes(state)

export const count = (deliveries: readonly Delivery[], state: State): number =>
  deliveries.filter((delivery) => delivery.state === state).length

// What can be seen of a group's deliveries. Event n is `events[n - 1]`, delivery n is `deliveries[n - 1]`.

export function lagOf(deliveries: readonly Delivery[]): Out<'lag'> {
  const highWatermark = deliveries.length
  const frontier = (deliveries.find(isOpen)?.sequence ?? highWatermark + 1) - 1
  return { frontier, highWatermark, lag: highWatermark - frontier }
}

export function holesOf(deliveries: readonly Delivery[], events: readonly Event[], maxRanges: number): Out<'holes'> {
  const ranges: { first: number; last: number; state: State; attempt: number }[] = []
  for (const { sequence, state, attempt } of deliveries.filter(isOpen)) {
    const range = ranges.at(-1)
    if (range?.last === sequence - 1 && range.state === state && range.attempt === attempt) range.last = sequence
    else ranges.push({ first: sequence, last: sequence, state, attempt })
  }
  const { frontier, highWatermark } = lagOf(deliveries)
  const blockedBy = blockerOf(deliveries.find(isOpen), events)
  return { frontier, highWatermark, blockedBy, holes: ranges.slice(0, maxRanges), more: ranges.length > maxRanges }
}

function blockerOf(delivery: Delivery | undefined, events: readonly Event[]): Out<'holes'>['blockedBy'] {
  if (delivery === undefined) return null
  const { sequence, state, attempt, reason, untilMs, lease } = delivery
  return {
    sequence,
    eventId: events[sequence - 1]!.id,
    state,
    attempt,
    consumerId: lease?.consumerId ?? null,
    expiresAtMs: state === 'leased' ? untilMs : null,
    dueAtMs: state === 'delayed' ? untilMs : null,
    reason,
  }
}

/** What became of an event in a group. */
export function infoOf(group: string, delivery: Delivery): DeliveryInfo {
  const { state, attempt, reason, untilMs, lease, letter } = delivery
  const isOver = !isOpen(delivery)
  return {
    group,
    state,
    attempt,
    consumerId: letter?.consumerId ?? lease?.consumerId ?? null,
    expiresAtMs: state === 'leased' ? untilMs : null,
    dueAtMs: state === 'delayed' ? untilMs : null,
    reason: isOver ? (letter?.reason ?? null) : reason,
    cause: letter?.cause ?? null,
  }
}

export function groupInfoOf(deliveries: readonly Delivery[], events: readonly Event[]): Out<'groupInfo'> {
  const blocker = blockerOf(deliveries.find(isOpen), events)
  return {
    lag: lagOf(deliveries),
    inFlight: count(deliveries, 'leased'),
    delayed: count(deliveries, 'delayed'),
    available: count(deliveries, 'available'),
    deadLetters: count(deliveries, 'rejected'),
    oldestUnsettled:
      blocker === null
        ? null
        : {
            sequence: blocker.sequence,
            eventId: blocker.eventId,
            timestampMs: events[blocker.sequence - 1]!.timestampMs,
            state: blocker.state,
          },
  }
}

export function leaseOf(delivery: Delivery, events: readonly Event[]): Out<'leases'>['leases'][number] {
  const { sequence, attempt, untilMs, lease } = delivery
  const { consumerId, leasedAtMs } = lease!
  return { sequence, eventId: events[sequence - 1]!.id, attempt, consumerId, leasedAtMs, expiresAtMs: untilMs! }
}

export function deadLettersOf(deliveries: readonly Delivery[], events: readonly Event[]): DeadLetter[] {
  return deliveries.flatMap(({ sequence, attempt, letter }) => {
    const event = events[sequence - 1]!
    return letter === null ? [] : [{ sequence, eventId: event.id, attempt, ...letter, event }]
  })
}
