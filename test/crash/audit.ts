import { isDeepStrictEqual } from 'node:util'
import { type Append, type Delivery, type Journal, positionOf } from './journal.ts'
import type { DeadLetter, StreamEvent } from './wire.ts'

/** The partitions of a stream as they were read after the run, in the order they were read. */
export type Log = StreamEvent[][]

/** Says in a sentence each what the log breaks of what the producers were told; none if all is well. */
export function auditLog(journal: Journal, log: Log): string[] {
  const places = new Map<number, StreamEvent[]>()
  for (const event of log.flat()) {
    const { number } = event.payload
    places.set(number, [...(places.get(number) ?? []), event])
  }
  const sent = new Set(journal.appends.flatMap(({ events }) => events.map(({ payload }) => payload.number)))
  return [
    ...log.flatMap(notDense),
    ...[...places.keys()].filter((number) => !sent.has(number)).map((number) => `event ${number} was never sent`),
    ...[...places]
      .filter(([, copies]) => copies.length > 1)
      .map(([number, copies]) => `event ${number} is there ${copies.length} times: ${copies.map(placeOf).join(', ')}`),
    ...journal.appends.flatMap((append) => [...missing(append, places), ...torn(append, places)]),
  ]
}

function notDense(events: StreamEvent[], partition: number): string[] {
  return events
    .filter((event, index) => event.sequence !== index + 1 || event.partition !== partition)
    .slice(0, 1)
    .map((event) => `partition ${partition} is not dense: ${placeOf(event)} is where the next sequence should be`)
}

/** Acknowledged events that are not where, or not what, the answer said. */
function missing({ events, outcome, answered }: Append, places: Map<number, StreamEvent[]>): string[] {
  if (outcome === 'maybe') return []
  if (answered.length !== events.length) return [`${events.length} events were answered as ${answered.length}`]
  return events.flatMap(({ payload: { number }, id, partition }, index) => {
    const [event] = places.get(number) ?? []
    if (event === undefined) return [`event ${number} is missing, though it was acknowledged`]
    if (!isDeepStrictEqual(event, answered[index])) return [`event ${number} is not what was acknowledged`]
    if (id !== undefined && event.id !== id) return [`event ${number} has the id ${event.id} instead of ${id}`]
    if (partition !== undefined && event.partition !== partition) return [`event ${number} is at ${placeOf(event)}`]
    return []
  })
}

/** A batch is atomic per partition: what is there of it in one partition follows one another, in input order. */
function torn({ events, outcome }: Append, places: Map<number, StreamEvent[]>): string[] {
  const there = events.flatMap(({ payload }) => places.get(payload.number)?.slice(0, 1) ?? [])
  const ofPartitions = [...Map.groupBy(there, ({ partition }) => partition).values()]
  const torn = ofPartitions.find((own) => own.some(({ sequence }, index) => sequence !== own[0]!.sequence + index))
  if (torn !== undefined) return [`a batch is torn or out of order: ${torn.map(placeOf).join(', ')}`]
  // Of a batch that may be in, events with the same explicit partition or key must be in together.
  if (outcome === 'in') return []
  const routes = Map.groupBy(events, ({ partition, key }) => `${partition} ${key}`)
  return [...routes].flatMap(([route, own]) => {
    const count = own.filter(({ payload }) => places.has(payload.number)).length
    return count === 0 || count === own.length ? [] : [`${count} of ${own.length} events of a batch to ${route} are in`]
  })
}

/** Says in a sentence each what one group's deliveries break of what its consumers were told. */
export function auditGroup(
  group: string,
  deliveries: ReadonlyMap<string, Delivery>,
  log: Log,
  deadLetters: readonly DeadLetter[],
): string[] {
  const dead = new Map(deadLetters.map((letter) => [positionOf(letter.partition, letter.sequence), letter]))
  const events = new Map(log.flat().map((event) => [positionOf(event.partition, event.sequence), event]))
  const strangers = [...deliveries.keys(), ...dead.keys()].filter((position) => !events.has(position))
  const leaseIds = [...deliveries.values()].flatMap(({ leased }) => leased.map(({ lease }) => lease.leaseId))
  const violations = [...events].flatMap(([position, event]) => {
    const delivery = deliveries.get(position) ?? { leased: [], acked: [], maybeAcked: false, rejectSent: false }
    return [...auditLeases(delivery, event), ...auditEnd(delivery, dead.get(position))].map(
      (what) => `${position} ${what}`,
    )
  })
  return [
    ...strangers.map((position) => `${position} was delivered, but is not in the log`),
    ...(new Set(leaseIds).size === leaseIds.length ? [] : ['a lease id was given twice']),
    ...(dead.size === deadLetters.length ? [] : ['a dead letter is listed twice']),
    ...violations,
  ].map((what) => `${group}: ${what}`)
}

function auditLeases({ leased, acked }: Delivery, event: StreamEvent): string[] {
  const attempts = leased.map(({ lease }) => lease.attempt)
  const again = acked.flatMap((ack) =>
    leased
      .filter(({ lease, sentAt }) => sentAt > ack.answeredAt || lease.attempt > ack.attempt)
      .map(({ lease }) => `was delivered again (attempt ${lease.attempt}) after its attempt ${ack.attempt} was acked`),
  )
  return [
    ...again,
    ...(new Set(attempts).size === attempts.length ? [] : [`was leased twice at one attempt: ${attempts.join()}`]),
    ...(leased.every(({ lease }) => isDeepStrictEqual(lease.event, event)) ? [] : ['was delivered as another event']),
    ...(acked.length > 1 ? [`was acked ${acked.length} times`] : []),
  ]
}

function auditEnd({ acked, maybeAcked, rejectSent }: Delivery, letter: DeadLetter | undefined): string[] {
  if (acked.length > 0) return letter === undefined ? [] : ['was acked and is a dead letter']
  if (letter === undefined) return maybeAcked ? [] : ['is neither acked nor a dead letter']
  return letter.cause === 'rejected' && !rejectSent ? ['is a dead letter as rejected, though nobody rejected it'] : []
}

function placeOf({ partition, sequence }: StreamEvent): string {
  return positionOf(partition, sequence)
}
