import { idOf, sameContent } from '../event.ts'
import { parseEventId } from '../event-id.ts'
import { type Failure, failure } from '../failure.ts'
import { toRanges } from '../runs.ts'
import { BatchWriter } from './batch-writer.ts'
import { type Answer, type Append, type Appended, done, refused } from './commands.ts'
import type { Context } from './context.ts'
import type { KeyMemory } from './key-memory.ts'
import { eventTextOf, type Line, lineAt, linesOf } from './lines.ts'
import type { SegmentBuilder } from './segment-builder.ts'
import type { StoredKey } from './store.ts'

/** Events of this command that are not in the log yet, and ids that are known to it. */
interface Draft {
  readonly writer: BatchWriter
  readonly lines: Map<number, Line>
  readonly ids: Map<string, number>
  readonly newIds: { id: string; sequence: number }[]
  readonly keys: StoredKey[]
  freeBytes: number
}

/** What the machine keeps in memory for appends. */
export interface Memory {
  readonly keys: KeyMemory
  readonly segments: SegmentBuilder
}

/**
 * Appends the requests in order, each of them whole or not at all, and packs what is new into common rows of the log.
 * A request sees the events of those before it. `freeBytes` is how much longer the log may become.
 */
export function append(
  context: Context,
  memory: Memory,
  appends: readonly Append[],
  freeBytes: number,
): Answer<Appended>[] {
  const { log } = context.store
  const chosen = appends.flatMap(({ ids }) => ids.map(([, id]) => id))
  const draft: Draft = {
    writer: new BatchWriter(log.head()),
    lines: new Map(),
    ids: chosen.length === 0 ? new Map() : log.sequencesOf(chosen),
    newIds: [],
    keys: [],
    freeBytes,
  }
  const before = draft.writer.last
  const answers = appends.map((request) => appendOne(context, memory.keys, draft, request))
  if (draft.writer.last === before) return answers
  log.append(draft.writer.finish())
  if (draft.newIds.length > 0) log.addIds(draft.newIds)
  for (const key of draft.keys) memory.keys.add(log, key)
  memory.segments.add(
    context,
    before,
    draft.writer.last,
    appends.map(({ terms }) => terms),
  )
  return answers
}

function appendOne(context: Context, keyMemory: KeyMemory, draft: Draft, request: Append): Answer<Appended> {
  const { idempotency, expectedSequence } = request
  const { writer } = draft
  if (idempotency !== null) {
    const stored =
      draft.keys.findLast(({ key }) => key === idempotency.key) ??
      keyMemory.find(context.store.log, idempotency.key, context.nowMs)
    if (stored !== null) {
      if (stored.fingerprint !== idempotency.fingerprint) return refused(otherRequest(idempotency.key))
      return done(repeats(context, draft, stored.first, originals(context, draft, request, stored.first)))
    }
    if (keyMemory.room(context.store.log, context.nowMs) <= draft.keys.length) return refused(manyKeys(context))
  }
  const texts = request.lines.split('\n')
  const ids = new Map(request.ids)
  const times = new Map(request.times)
  const first = writer.last + 1
  const newIds = new Map<string, number>()
  const fresh: { line: Line; timeMs: number | null }[] = []
  const repeated = new Map<number, number>()
  for (const [index, text] of texts.entries()) {
    const id = ids.get(index)
    if (id !== undefined) {
      const known = newIds.get(id) ?? sequenceOf(context, draft, id)
      if (known === 'conflict') return refused(conflict(id))
      if (known !== null) {
        const original = fresh[known - first]?.line ?? lineOf(context, draft, known)
        if (!sameContent(original.text, original.atMs, text) || idOf(original.text, id) !== id)
          return refused(conflict(id))
        repeated.set(index, known)
        continue
      }
      newIds.set(id, first + fresh.length)
    }
    const line = { sequence: first + fresh.length, text, atMs: request.atMs, bytes: text.length }
    fresh.push({ line, timeMs: times.get(index) ?? null })
  }
  if (fresh.length > 0 && expectedSequence !== null && expectedSequence !== writer.last) {
    const detail = `the last sequence is ${writer.last}, not ${expectedSequence}`
    return refused(failure('sequence_conflict', detail, { expectedSequence, highWatermark: writer.last }))
  }
  const bytes = fresh.reduce((sum, { line }) => sum + line.bytes, 0)
  if (bytes > draft.freeBytes) return refused(full(context.address.partition))
  draft.freeBytes -= bytes
  for (const { line, timeMs } of fresh) {
    draft.lines.set(line.sequence, line)
    writer.add(line.text, timeMs, request.atMs)
    if (line.sequence === first && idempotency !== null) {
      const stored = { ...idempotency, first, atMs: context.nowMs }
      writer.addKey(stored)
      draft.keys.push(stored)
    }
  }
  for (const [id, sequence] of newIds) {
    draft.ids.set(id, sequence)
    draft.newIds.push({ id, sequence })
  }
  return done(repeats(context, draft, first, repeated))
}

/** The sequence that an id stands for; null when it is new, `conflict` when it names a position that is not its own. */
function sequenceOf(context: Context, draft: Draft, id: string): number | 'conflict' | null {
  const { uid, partition } = context.address
  const position = parseEventId(id, uid)
  if (position === null) return draft.ids.get(id) ?? null
  return position.partition === partition && position.sequence <= draft.writer.last ? position.sequence : 'conflict'
}

/** Where the events of a repeated request lie: those that were new then have the sequences from `first` on. */
function originals(context: Context, draft: Draft, request: Append, first: number): Map<number, number> {
  const ids = new Map(request.ids)
  const sequences = new Map<number, number>()
  let next = first
  for (let index = 0; index < request.count; index++) {
    const id = ids.get(index)
    const known = id === undefined ? null : sequenceOf(context, draft, id)
    const sequence = typeof known === 'number' ? known : next
    sequences.set(index, sequence)
    if (sequence === next) next += 1
  }
  return sequences
}

const lineOf = (context: Context, draft: Draft, sequence: number): Line =>
  draft.lines.get(sequence) ?? lineAt(context, sequence)

function repeats(context: Context, draft: Draft, first: number, sequences: ReadonlyMap<number, number>): Appended {
  const stored = [...new Set(sequences.values())].filter((sequence) => !draft.lines.has(sequence))
  const lines = new Map(draft.lines)
  for (const line of linesOf(context, toRanges(stored.sort((a, b) => a - b)))) lines.set(line.sequence, line)
  const duplicates = [...sequences].map(([index, sequence]) => ({
    index,
    event: eventTextOf(context, lines.get(sequence)!),
  }))
  return { first, duplicates }
}

const full = (partition: number): Failure =>
  failure('partition_full', `partition ${partition} is full and takes no more events`, { partition })

const manyKeys = ({ address: { partition } }: Context): Failure =>
  failure('overloaded', `partition ${partition} remembers as many idempotency keys as it can`, { partition })

const conflict = (id: string): Failure =>
  failure('id_conflict', `the id ${JSON.stringify(id)} belongs to another event of this partition`, { id })

const otherRequest = (idempotencyKey: string): Failure =>
  failure('id_conflict', 'the idempotency key belongs to another request', { idempotencyKey })
