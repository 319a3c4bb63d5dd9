import type { DeadLetterInfo, QueryPage, QueryRequest } from '../../src/core/partition/commands.ts'
import type { Key } from '../../src/core/query/query.ts'
import type { Random } from '../crash/random.ts'
import type { Letter, Position, SeenEvent } from '../history/history.ts'
import { ofKind } from './operator.ts'
import { KINDS, kindOf, seenEvent } from './producer.ts'
import type { Routine } from './timeline.ts'
import type { Answered, Group, World } from './world.ts'

const PAGE = 3
const MAX_BYTES = 1_000_000

/** Looks at everything that can be seen, one thing after the other. */
export function* look(world: World, random: Random, name: string, isOver: () => boolean): Routine {
  while (!isOver()) {
    yield* world.timeline.sleep(random.integer(20, 400))
    const partition = random.integer(0, world.partitions.length - 1)
    const groups = world.groups.filter(({ isThere }) => isThere)
    const group = groups[random.integer(0, groups.length - 1)]
    const way = random.next()
    if (way < 0.2) yield* readLog(world, name, partition)
    else if (way < 0.35) yield* search(world, name, partition, random.integer(0, KINDS - 1))
    else if (group === undefined) continue
    else if (way < 0.6) yield* readLag(world, name, partition, group)
    else if (way < 0.85) yield* readHoles(world, name, partition, group)
    else yield* readLetters(world, name, partition, group)
  }
}

function* readLog(world: World, name: string, partition: number): Routine {
  const asked = world.newAsked()
  const command = { type: 'read', after: 0, limit: 1_000, maxBytes: MAX_BYTES } as const
  const answered = yield* world.ask(name, partition, asked, () => command)
  if (answered?.answer.status !== 'done') return
  const { events, highWatermark } = answered.answer.value
  const seen = (JSON.parse(`[${events}]`) as Parameters<typeof seenEvent>[0][]).map(seenEvent)
  world.history.readings.push({ ...asked, partition, events: seen, highWatermark, selects: () => true })
}

/** Pages through a search to its end; given up when a page does not come. */
function* search(world: World, name: string, partition: number, kind: number): Routine {
  const descending = kind % 2 === 1
  const order = { by: 'sequence' as const, descending }
  const first = world.newAsked()
  const events: SeenEvent[] = []
  let position: Key | null = null
  let highWatermark: number | null = null
  for (;;) {
    const query: QueryRequest = {
      ...{ selection: ofKind(kind), order, position, highWatermark },
      limit: PAGE,
      maxBytes: MAX_BYTES,
      maxLooked: 2_000,
    }
    const answered: Answered<'query'> | null = yield* world.ask<'query'>(name, partition, world.newAsked(), () => ({
      type: 'query',
      query,
    }))
    if (answered?.answer.status !== 'done') return
    const page: QueryPage = answered.answer.value
    first.answered ??= answered.step
    events.push(...page.matches.map(({ event }) => seenEvent(JSON.parse(event!))))
    if (page.next === null) {
      const ascending = descending ? events.toReversed() : events
      const selects = (number: number) => kindOf(number) === kind
      const reading = { ...first, partition, events: ascending, highWatermark: page.highWatermark, selects }
      world.history.readings.push(reading)
      return
    }
    highWatermark = page.highWatermark
    position = page.next
  }
}

function* readLag(world: World, name: string, partition: number, { uid }: Group): Routine {
  const asked = world.newAsked()
  const answered = yield* world.ask(name, partition, asked, () => ({ type: 'lag', group: uid }))
  if (answered?.answer.status !== 'done') return
  world.history.positions.push({ ...asked, group: uid, partition, ...answered.answer.value, holes: null })
}

function* readHoles(world: World, name: string, partition: number, { uid }: Group): Routine {
  const asked = world.newAsked()
  const answered = yield* world.ask(name, partition, asked, () => ({ type: 'holes', group: uid, maxRanges: 1_000 }))
  if (answered?.answer.status !== 'done') return
  const { frontier, highWatermark, holes, blockedBy } = answered.answer.value
  if ((blockedBy === null) !== (holes.length === 0) || (blockedBy !== null && blockedBy.sequence !== frontier + 1)) {
    world.history.surprises.push(`${uid} in ${partition}: ${blockedBy?.sequence} blocks the frontier ${frontier}`)
  }
  const position: Position = {
    ...asked,
    group: uid,
    partition,
    frontier,
    highWatermark,
    lag: highWatermark - frontier,
    holes,
  }
  world.history.positions.push(position)
}

function* readLetters(world: World, name: string, partition: number, { uid }: Group): Routine {
  const asked = world.newAsked()
  const command = { type: 'deadLetters', group: uid, after: 0, limit: 1_000, maxBytes: MAX_BYTES } as const
  const answered = yield* world.ask(name, partition, asked, () => command)
  if (answered?.answer.status !== 'done') return
  const letters = answered.answer.value.deadLetters.map((letter) => toLetter(partition, letter))
  world.history.listings.push({ ...asked, group: uid, letters })
}

/** A dead letter as the checks want it. */
export const toLetter = (partition: number, { sequence, cause, attempt, event }: DeadLetterInfo): Letter => ({
  ...{ partition, sequence, cause, attempt },
  number: (JSON.parse(event) as { payload: { number: number } }).payload.number,
})
