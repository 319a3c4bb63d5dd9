import type {
  Blocker,
  Content,
  DeadLetter,
  Event,
  EventInput,
  In,
  Json,
  Lease,
  Out,
  Ref,
  Start,
} from '../model/calls.ts'
import type * as wire from './wire.ts'

/** A call that the server refused, with the code and the data that the code promises. */
export class Refused extends Error {
  readonly refused: { readonly code: string; readonly [data: string]: Json }

  constructor(problem: { readonly code: string; readonly [member: string]: unknown }) {
    super(problem.code)
    const data = (promised[problem.code] ?? []).filter((name) => name in problem)
    this.refused = { code: problem.code, ...Object.fromEntries(data.map((name) => [name, problem[name] as Json])) }
  }
}

/** The data of refusals that the model knows; what else a problem says is for people. */
const promised: Readonly<Record<string, readonly string[]>> = {
  id_conflict: ['id', 'idempotencyKey'],
  sequence_conflict: ['expectedSequence', 'highWatermark'],
  invalid_start: ['partitions'],
}

export function must(holds: boolean, rule: string): asserts holds {
  if (!holds) throw new Error(`broken promise of the contract: ${rule}`)
}

export const toTime = (timeMs: number): string => new Date(timeMs).toISOString()

const fromTime = (time: string | null | undefined): number | null => (time == null ? null : Date.parse(time))

/** The members of an object that are not null. */
export const given = (members: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null))

/** A start in the body of a create or a reset. */
export function toStart(start: Start): Record<string, unknown> {
  if (start.kind === 'after') return { startAfter: start.sequence }
  return start.kind === 'at' ? { startAt: toTime(start.timeMs) } : { start: start.kind }
}

export function toSelector(selector: In<'replay'>['selector']): Record<string, unknown> {
  if (selector.kind === 'after') return { fromSequence: selector.sequence }
  if (selector.kind === 'at') return { from: toTime(selector.timeMs) }
  return { query: { where: { 'event.type': selector.type }, ...given({ limit: selector.limit }) } }
}

/** Words of the model and what they are on the wire, for one partition of a stream. */
export class PartitionWords {
  readonly partition: number
  readonly #stream: string
  readonly #claims: { receipt: string; leaseIds: Map<number, string> }[] = []
  /** What generated ids of this partition begin with, learned from the first one. */
  #generated: string | null = null

  constructor(stream: string, partition: number) {
    this.#stream = stream
    this.partition = partition
  }

  toInput({ id, timestampMs, content }: EventInput): Content & wire.NewEvent {
    return { ...content, ...given({ id: id && this.toId(id), timestamp: timestampMs && toTime(timestampMs) }) }
  }

  /** Generated ids hold the sequence; the suite takes it that they end with it, to name positions that are not there. */
  toId(id: string): string {
    const sequence = /^generated:(\d+)$/.exec(id)?.[1]
    if (sequence === undefined) return id
    must(this.#generated !== null, 'an event with a generated id comes before the first use of one')
    return this.#generated + sequence
  }

  plainId(id: string): string {
    const prefix = this.#generated
    return prefix !== null && id.startsWith(prefix) ? `generated:${id.slice(prefix.length)}` : id
  }

  toEvent({ stream, partition, id, timestamp, duplicate: _, ...rest }: wire.StreamEvent): Event {
    must(stream === this.#stream && partition === this.partition, 'an event says where it is')
    return { ...rest, id: this.plainId(id), timestampMs: Date.parse(timestamp) } as Event
  }

  /** The events of an append's answer, beside those that were sent. */
  appended(inputs: readonly EventInput[], events: readonly wire.StreamEvent[]): Out<'append'> {
    must(events.length === inputs.length, 'an append answers with each of its events')
    for (const [index, { id, sequence }] of events.entries()) {
      if (inputs[index]!.id !== null || !id.endsWith(`${sequence}`)) continue
      this.#generated ??= id.slice(0, -`${sequence}`.length)
    }
    return { events: events.map((event) => ({ duplicate: event.duplicate === true, event: this.toEvent(event) })) }
  }

  /**
   * The leases of one partition in the answer of a fetch by `group`. Each receipt is a claim; there are several when
   * the server came to the partition again after others had not filled the limit.
   */
  fetched(group: string, leases: readonly wire.Lease[]): Lease[] {
    const claims = new Map<string, number>()
    return leases.map(({ leaseId, receipt, stream, group: name, partition, leasedAt, expiresAt, ...lease }) => {
      must(stream === this.#stream && partition === this.partition && name === group, 'a lease says where it is')
      const claim = claims.get(receipt) ?? this.#claims.push({ receipt, leaseIds: new Map() }) - 1
      claims.set(receipt, claim)
      this.#claims[claim]!.leaseIds.set(lease.sequence, leaseId)
      const [leasedAtMs, expiresAtMs] = [Date.parse(leasedAt), Date.parse(expiresAt)]
      const [eventId, event] = [this.plainId(lease.eventId), this.toEvent(lease.event)]
      return { ...lease, claim, leasedAtMs, expiresAtMs, eventId, event }
    })
  }

  /** A lease id, a receipt, or a text that is neither. */
  toText(ref: Ref): string {
    if ('text' in ref) return ref.text
    const claim = this.#claims[ref.claim]!
    return ref.sequence === null ? claim.receipt : claim.leaseIds.get(ref.sequence)!
  }

  toHoles({ blockedBy, holes, more, ...rest }: wire.PartitionHoles, maxRanges: number): Out<'holes'> {
    const blocker = blockedBy && this.#toBlocker(blockedBy)
    const isCut = more || holes.length > maxRanges
    return { ...rest, blockedBy: blocker, holes: holes.slice(0, maxRanges), more: isCut } as Out<'holes'>
  }

  #toBlocker({ expiresAt, dueAt, eventId, ...rest }: NonNullable<wire.PartitionHoles['blockedBy']>): Blocker {
    const times = { expiresAtMs: fromTime(expiresAt), dueAtMs: fromTime(dueAt) }
    return { ...rest, ...times, eventId: this.plainId(eventId) } as Blocker
  }

  toListedLease({
    partition,
    leasedAt,
    expiresAt,
    eventId,
    ...rest
  }: wire.ListedLease): Omit<Lease, 'claim' | 'event'> {
    must(partition === this.partition, 'a listed lease says where it is')
    const times = { leasedAtMs: Date.parse(leasedAt), expiresAtMs: Date.parse(expiresAt) }
    return { ...rest, ...times, eventId: this.plainId(eventId) }
  }

  toDeadLetter({ partition, eventId, deadLetteredAt, event, ...rest }: wire.DeadLetter): DeadLetter {
    must(partition === this.partition, 'a dead letter says where it is')
    const deadLetteredAtMs = Date.parse(deadLetteredAt)
    return { ...rest, deadLetteredAtMs, eventId: this.plainId(eventId), event: this.toEvent(event) } as DeadLetter
  }
}

/** What became of an event, as the server lists it. */
export interface WireDelivery {
  group: string
  state: string
  attempt: number
  consumerId?: string
  expiresAt?: string
  dueAt?: string
  reason?: string
  cause?: string
}

export function toDelivery({ expiresAt, dueAt, ...delivery }: WireDelivery) {
  const absent = { consumerId: null, reason: null, cause: null }
  return { ...absent, ...delivery, expiresAtMs: fromTime(expiresAt), dueAtMs: fromTime(dueAt) }
}

/** What became of a settled lease, or of a claim. */
export function toResult(verb: string, { leaseId: _, receipt: __, ...settled }: wire.Settled) {
  if (!settled.ok || settled.count !== undefined) return settled
  const { ok, state, dueAt, expiresAt } = settled
  if (verb === 'renew') return { ok, state: 'leased', untilMs: fromTime(expiresAt) }
  return { ok, state, untilMs: fromTime(dueAt) }
}
