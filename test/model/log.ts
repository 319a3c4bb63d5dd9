import type { Event, EventInput, In, Json, Out, Refusal } from './calls.ts'
import { equal } from './equal.ts'

/** How the model refuses a call; nothing has changed then. */
export class Refused extends Error {
  readonly refusal: Refusal
  constructor(code: string, data: Record<string, Json> = {}) {
    super(code)
    this.refusal = { code, ...data }
  }
}

/** The events of one partition by the letter of S2: a list, looked through from its beginning. */
export class ReferenceLog {
  /** Event n is `events[n - 1]`. */
  readonly events: Event[] = []
  /** What was asked under an idempotency key, and where its events are. */
  readonly requests = new Map<string, { request: string; sequences: number[] }>()

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
    const sequences = answers.map(({ event }) => event.sequence)
    if (idempotencyKey !== null) this.requests.set(idempotencyKey, { request, sequences })
    return { events: answers }
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
}
