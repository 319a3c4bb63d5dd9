import { parseEvent } from '../../src/core/event.ts'
import type { Append as AppendCommand, Appended } from '../../src/core/partition/commands.ts'
import type { Random } from '../crash/random.ts'
import type { Append, SeenEvent } from '../history/history.ts'
import type { Routine } from './timeline.ts'
import type { Answered, World } from './world.ts'

/** How a producer makes a repeat safe; by nothing, it sends once. */
const safeties = ['ids', 'key', 'ids and key', 'nothing'] as const
/** An idempotency key is remembered for ten minutes of the partition's time; with less to spare it counts as forgotten. */
export const KEY_MS = 540_000

/** What numbers are searched for: every event is of one of so many kinds. */
export const KINDS = 4
export const kindOf = (number: number): number => number % KINDS

/** Appends until the run is to end, each request until it is answered if that is safe. */
export function* produce(world: World, random: Random, name: string, nextNumber: () => number): Routine {
  while (!world.isDraining) {
    yield* world.timeline.sleep(random.integer(1, 300))
    yield* appendOnce(world, random, name, nextNumber)
  }
}

function* appendOnce(world: World, random: Random, name: string, nextNumber: () => number): Routine {
  const safety = safeties[random.integer(0, safeties.length - 1)]!
  const partition = random.integer(0, world.partitions.length - 1)
  const numbers = Array.from({ length: random.chance(0.5) ? 1 : random.integer(2, 6) }, nextNumber)
  const events = numbers.map((number) => ({ number, id: safety.includes('ids') ? `event-${number}` : null }))
  const isSafe = safety !== 'nothing'
  const append: Append = { ...world.newAsked(), partition, events, isSafe, copies: 0, seen: null }
  world.history.appends.push(append)
  // Producers' clocks differ, so timestamps are in no order.
  const skewMs = random.chance(0.3) ? random.integer(-60_000, 60_000) : 0
  const key = safety.includes('key') ? `key-${numbers[0]}` : null
  const object = world.partitions[partition]!
  const sentAtMs = object.nowMs
  const make = () => {
    append.copies += 1
    // Between a request and its repeat the partition's clock may have jumped beyond what a key is remembered for.
    if (safety === 'key' && Math.abs(object.nowMs - sentAtMs) > KEY_MS) append.isSafe = false
    return { type: 'append' as const, append: toCommand(append, key, world.timeline.nowMs + skewMs) }
  }
  const seen = ({ answer, step }: Answered<'append'>) => {
    if (answer.status === 'done') {
      append.answered ??= step
      append.seen ??= toSeen(append, answer.value)
    } else if (answer.status === 'moved' || answer.failure.code !== 'partition_full') {
      world.history.surprises.push(`append of ${numbers.join()}: ${JSON.stringify(answer)}`)
    }
  }
  while (append.seen === null) {
    const asked = { sent: append.sent, answered: null }
    yield* world.ask(name, partition, asked, make, seen)
    if (!isSafe) return
    if (append.seen === null) yield* world.timeline.sleep(random.integer(10, 1_000))
  }
}

/** What the edge makes of a request. */
function toCommand({ events }: Append, key: string | null, atMs: number): AppendCommand {
  const parsed = events.map(({ number, id }) => {
    const event = parseEvent({ payload: { number, kind: kindOf(number) }, ...(id === null ? {} : { id }) }, '')
    if (!event.ok) throw new Error(event.failure.detail)
    return event.value
  })
  return {
    lines: parsed.map(({ line }) => line).join('\n'),
    count: events.length,
    ids: parsed.flatMap(({ id }, index) => (id === null ? [] : [[index, id] as const])),
    times: [],
    terms: Uint32Array.from(parsed.flatMap(({ terms }) => terms)),
    atMs,
    idempotency: key === null ? null : { key, fingerprint: events.map(({ number }) => number).join() },
    expectedSequence: null,
  }
}

/** The events of an answer: a repeated one is in it, the others have the sequences from `first` on. */
function toSeen({ events, partition }: Append, { first, duplicates }: Appended): SeenEvent[] {
  const repeated = new Map(duplicates.map(({ index, event }) => [index, seenEvent(JSON.parse(event))]))
  let sequence = first
  return events.map(({ number, id }, index) => {
    const original = repeated.get(index)
    if (original !== undefined) return original
    const seen = { partition, sequence, id: id ?? `evt_7h3q_${partition}_${sequence}`, number }
    sequence += 1
    return seen
  })
}

/** An event of an answer, as the checks want it. */
export const seenEvent = (event: {
  partition: number
  sequence: number
  id: string
  payload: { number: number }
}): SeenEvent => ({
  partition: event.partition,
  sequence: event.sequence,
  id: event.id,
  number: event.payload.number,
})
