import type { StreamRecord } from '../core/catalog/commands.ts'
import { eventText, type NewEvent } from '../core/event.ts'
import { generateEventId } from '../core/event-id.ts'
import { type Failure, failed, failure, ok, type Result } from '../core/failure.ts'
import {
  type Answer,
  type Append,
  type Appended,
  done,
  type Idempotency,
  moved,
  refused,
} from '../core/partition/commands.ts'
import { route } from '../core/route.ts'
import { formatTime } from '../core/time.ts'
import { addressOf, ask, askCatalog } from './ask.ts'
import { toBase64Url } from './base64url.ts'
import type { Call, Names } from './call.ts'
import { type AppendRequest, pathOfEvent } from './contract/append.ts'
import { onStream } from './directory.ts'
import { indicesByPartition } from './indices.ts'
import { isGone, worstOf } from './worst.ts'

/** What became of one event; `event` is its JSON text. */
export type EventOutcome =
  | { readonly ok: true; readonly event: string; readonly duplicate: boolean }
  | { readonly ok: false; readonly failure: Failure }

/** What became of an append, event by event in input order. */
export interface AppendOutcome {
  readonly outcomes: readonly EventOutcome[]
  /** How many partitions the events went to. */
  readonly touched: number
}

/** Appends events to their partitions, all at once and each partition's share as a whole (S2.4). */
export async function append(call: Call, names: Names, request: AppendRequest): Promise<Result<AppendOutcome>> {
  const outcomes: EventOutcome[] = new Array(request.events.length)
  // Nothing is sent for no events, so that no partition would notice a stream that has gone.
  if (request.events.length === 0) {
    const found = await askCatalog(call, { type: 'stream', stream: names.stream })
    return found.ok ? ok({ outcomes, touched: 0 }) : found
  }
  const touched = new Set<number>()
  let open = request.events.map((_, index) => index)
  const sent = await onStream(call, names, async (stream): Promise<Answer<null>> => {
    const routed = routeAll(request, stream.partitionCount)
    if (!routed.ok) return refused(routed.failure)
    const partitions = routed.value
    const idempotency = await idempotencyOf(request, partitions)
    const shares = indicesByPartition(open, (index) => partitions[index]!)
    open = []
    const sendTo = async (partition: number, indices: readonly number[]): Promise<void> => {
      touched.add(partition)
      const events = indices.map((index) => request.events[index]!)
      const command = appendOf(events, call.nowMs, idempotency, request.expectedSequence)
      const answer = await ask(call, addressOf(call, stream, partition), { type: 'append', append: command })
      if (answer.status === 'moved') return void open.push(...indices)
      const texts = answer.status === 'done' ? textsOf(events, stream, partition, answer.value, call.nowMs) : []
      for (const [at, index] of indices.entries()) {
        outcomes[index] = answer.status === 'done' ? texts[at]! : failed(answer.failure)
      }
    }
    await Promise.all([...shares].map(([partition, indices]) => sendTo(partition, indices)))
    return open.length > 0 ? moved : done(null)
  })
  if (!sent.ok) {
    // What is in stays in, so the answer says so, unless the stream has gone and took it along.
    if (open.length === outcomes.length || isGone(sent.failure)) return sent
    for (const index of open) outcomes[index] = failed(sent.failure)
  }
  return ok({ outcomes, touched: touched.size })
}

/** The failure of an append of which not all is in; null when all is. */
export function appendFailure(outcomes: readonly EventOutcome[]): Failure | null {
  // Events of one partition share their failure, which is counted once.
  const failures = new Set(outcomes.flatMap((outcome) => (outcome.ok ? [] : [outcome.failure])))
  return failures.size === 0 ? null : worstOf([...failures])
}

/** The partition of every event; fails at the first that has none, or when a condition spans several. */
function routeAll({ form, events, expectedSequence }: AppendRequest, partitionCount: number): Result<number[]> {
  const partitions: number[] = []
  for (const [index, event] of events.entries()) {
    const partition = route(event, partitionCount, pathOfEvent(form, index))
    if (!partition.ok) return partition
    partitions.push(partition.value)
  }
  if (expectedSequence !== null && partitions.some((partition) => partition !== partitions[0])) {
    const detail = 'expectedSequence: the events go to more than one partition'
    return failed(failure('invalid_request', detail, { field: 'expectedSequence' }))
  }
  return ok(partitions)
}

/** A request's key with the digest that tells its repeat from another request. */
async function idempotencyOf(request: AppendRequest, partitions: readonly number[]): Promise<Idempotency | null> {
  if (request.idempotencyKey === null) return null
  const parts = request.events.map((event, index) => `${partitions[index]} ${event.line}`)
  const text = `${request.expectedSequence}\n${parts.join('\n')}`
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return { key: request.idempotencyKey, fingerprint: toBase64Url(new Uint8Array(digest)).slice(0, 22) }
}

function appendOf(
  events: readonly NewEvent[],
  atMs: number,
  idempotency: Idempotency | null,
  expectedSequence: number | null,
): Append {
  const ids: [number, string][] = []
  const times: [number, number][] = []
  for (const [index, { id, timestampMs }] of events.entries()) {
    if (id !== null) ids.push([index, id])
    if (timestampMs !== null) times.push([index, timestampMs])
  }
  const lines = events.map(({ line }) => line).join('\n')
  return { lines, count: events.length, ids, times, terms: termsOf(events), atMs, idempotency, expectedSequence }
}

/**
 * The terms of all events, in one array. A typed one is carried faster, but for a few numbers; made from an iterable it
 * takes ten times as long.
 */
function termsOf(events: readonly NewEvent[]): ArrayLike<number> {
  if (events.length === 1) return events[0]!.terms
  const terms = new Uint32Array(events.reduce((sum, event) => sum + event.terms.length, 0))
  let at = 0
  for (const event of events) for (const term of event.terms) terms[at++] = term
  return terms
}

/** The events of one partition as it took them: those that are no duplicates have the sequences from `first` on. */
function textsOf(
  events: readonly NewEvent[],
  stream: StreamRecord,
  partition: number,
  appended: Appended,
  nowMs: number,
): EventOutcome[] {
  const at = formatTime(nowMs)
  const duplicates = new Map(appended.duplicates.map(({ index, event }) => [index, event]))
  let sequence = appended.first
  return events.map(({ line }, index) => {
    const original = duplicates.get(index)
    if (original !== undefined) return { ok: true, event: original, duplicate: true }
    const generatedId = generateEventId(stream.uid, partition, sequence)
    const event = eventText(line, { stream: stream.name, partition, sequence, generatedId, at })
    sequence++
    return { ok: true, event, duplicate: false }
  })
}
