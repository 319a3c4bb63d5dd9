import { parseEvent } from '../../src/core/event.ts'
import { generateEventId, parseEventId } from '../../src/core/event-id.ts'
import type {
  Address,
  Append,
  Appended,
  Answer as CommandAnswer,
  ReplaySelector,
} from '../../src/core/partition/commands.ts'
import { parseConditions } from '../../src/core/query/condition.ts'
import { everything } from '../../src/core/query/query.ts'
import type { Answer, Event, EventInput, In, Json, Out } from './calls.ts'

export class Refused extends Error {
  readonly answer: Answer<never>
  constructor(answer: Answer<never>) {
    super('refused')
    this.answer = answer
  }
}

export const groupNotFound = new Refused({ refused: { code: 'group_not_found' } })

export function must(holds: boolean, rule: string): asserts holds {
  if (!holds) throw new Error(`broken promise of the machine: ${rule}`)
}

/** The answer to something that may be refused. */
export function plain<T>(ask: () => T): Answer<T> {
  try {
    return { value: ask() }
  } catch (fault) {
    if (fault instanceof Refused) return fault.answer
    throw fault
  }
}

/** What a selection of the model is to a partition. */
export function toSelector(selector: In<'replay'>['selector']): ReplaySelector {
  if (selector.kind !== 'type') return selector
  const conditions = parseConditions({ 'event.type': selector.type })
  if (!conditions.ok) throw new Error(conditions.failure.detail)
  return { kind: 'matches', selection: { ...everything, conditions: conditions.value }, limit: selector.limit }
}

/** Words of the model and what they are in the commands and answers of one partition. */
export class Wire {
  readonly address: Address

  constructor(address: Address) {
    this.address = address
  }

  /** The value of an answer; a refusal is thrown, in the words of the model. */
  unwrap<T>(answer: CommandAnswer<T>): T {
    if (answer.status === 'done') return answer.value
    if (answer.status === 'moved') throw groupNotFound
    const { detail: _, ...refused } = answer.failure as unknown as { [name: string]: Json } & { code: string }
    if ('partitions' in refused) refused.partitions = [0]
    if ('id' in refused) refused.id = this.plainId(refused.id as string)
    throw new Refused({ refused })
  }

  /** What the edge makes of an append request. */
  toAppend(request: In<'append'>, nowMs: number): Append {
    const events = request.events.map((event) => this.#parse(event))
    const { idempotencyKey: key, expectedSequence } = request
    const fingerprint = JSON.stringify([request.events, expectedSequence])
    return {
      lines: events.map(({ line }) => line).join('\n'),
      count: events.length,
      ids: events.flatMap(({ id }, index) => (id === null ? [] : [[index, id] as const])),
      times: events.flatMap(({ timestampMs }, index) => (timestampMs === null ? [] : [[index, timestampMs] as const])),
      terms: Uint32Array.from(events.flatMap(({ terms }) => terms)),
      atMs: nowMs,
      idempotency: key === null ? null : { key, fingerprint },
      expectedSequence,
    }
  }

  #parse({ id, timestampMs, content }: EventInput) {
    const chosen = id === null ? {} : { id: this.toPosition(id)[0] }
    const timestamp = timestampMs === null ? {} : { timestamp: new Date(timestampMs).toISOString() }
    const parsed = parseEvent({ ...content, ...timestamp, ...chosen }, '')
    if (!parsed.ok) throw new Error(parsed.failure.detail)
    return parsed.value
  }

  /** The events of an append's answer: a repeated one is in it, a new one follows from what was sent. */
  appended(request: In<'append'>, nowMs: number, { first, duplicates }: Appended): Out<'append'> {
    const repeated = new Map(duplicates.map(({ index, event }) => [index, this.toEvent(JSON.parse(event))]))
    let sequence = first
    const events = request.events.map(({ id, timestampMs, content }, index) => {
      const original = repeated.get(index)
      if (original !== undefined) return { duplicate: true, event: original }
      const event = { ...content, sequence, id: id ?? `generated:${sequence}`, timestampMs: timestampMs ?? nowMs }
      sequence += 1
      return { duplicate: false, event }
    })
    return { events }
  }

  /** An event id in the words of the partition, with the sequence that it names if it is a generated one. */
  toPosition(id: string): [id: string, sequence: number | null] {
    const position = /^generated:(\d+)$/.exec(id)
    if (position === null) return [id, null]
    const sequence = Number(position[1])
    return [generateEventId(this.address.uid, this.address.partition, sequence), sequence]
  }

  /** An event id in the words of the model. */
  plainId(id: string): string {
    const position = parseEventId(id, this.address.uid)
    if (position === null) return id
    must(position.partition === this.address.partition, 'a generated id names its own partition')
    return `generated:${position.sequence}`
  }

  toEvent(event: Json): Event {
    const { stream, partition, id, timestamp, ...rest } = event as Record<string, Json>
    must(stream === this.address.stream && partition === this.address.partition, 'an event says where it is')
    return {
      ...rest,
      id: this.plainId(id as string),
      timestampMs: Date.parse(timestamp as string),
    } as unknown as Event
  }

  /** Events as JSON texts with commas between them. */
  toEvents(events: string): Event[] {
    return (JSON.parse(`[${events}]`) as Json[]).map((event) => this.toEvent(event))
  }
}
