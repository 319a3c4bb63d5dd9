import type { Lease, NewEvent, StreamEvent } from './wire.ts'

/** An append request and what is known of it. */
export type Append = {
  events: NewEvent[]
  /** `in` with the answered events, or `maybe` when its answer was lost and it could not be sent again. */
  outcome: 'in' | 'maybe'
  answered: StreamEvent[]
  /** It was in already when it was sent again: a kill had taken its answer. */
  wasFound: boolean
}

/** A lease that a fetch answered, and when that fetch was sent. */
export type Leased = { lease: Lease; sentAt: number }

/** An ack of a lease that was answered ok, and when the answer came. */
export type Acked = { leaseId: string; attempt: number; answeredAt: number }

/** All that clients know of one delivery of one group. */
export type Delivery = {
  leased: Leased[]
  acked: Acked[]
  /** An ack was sent and nobody knows what it did: its answer was lost, or named fewer leases than it was for. */
  maybeAcked: boolean
  /** A reject was sent, whatever its answer. */
  rejectSent: boolean
}

/** What the clients of a run have seen, for the audit. Times are steps of one counter, so `before` is never a tie. */
export type Journal = {
  appends: Append[]
  /** By group, then by `partition/sequence`. */
  groups: Map<string, Map<string, Delivery>>
  /** Answers that no kill explains. */
  faults: string[]
  /** The next step. */
  step(): number
  /** The delivery of a lease. */
  delivery(lease: Lease): Delivery
}

export function createJournal(groups: readonly string[]): Journal {
  const deliveries = new Map(groups.map((group) => [group, new Map<string, Delivery>()]))
  let steps = 0
  return {
    appends: [],
    groups: deliveries,
    faults: [],
    step() {
      steps += 1
      return steps
    },
    delivery({ group, partition, sequence }) {
      const ofGroup = deliveries.get(group)!
      const position = positionOf(partition, sequence)
      const known = ofGroup.get(position)
      if (known !== undefined) return known
      const delivery = { leased: [], acked: [], maybeAcked: false, rejectSent: false }
      ofGroup.set(position, delivery)
      return delivery
    },
  }
}

/** A place in the log as text. */
export function positionOf(partition: number, sequence: number): string {
  return `${partition}/${sequence}`
}
