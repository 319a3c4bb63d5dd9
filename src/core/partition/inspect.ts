import type { DeliveryState } from '../delivery.ts'
import { type Range, type Run, valuesOver } from '../runs.ts'
import type { Blocker, DeadLetterInfo, GroupInfo, Hole, Holes, LeaseInfo, PartitionLag } from './commands.ts'
import type { Context } from './context.ts'
import { frontierOf } from './frontier.ts'
import { attemptsOver } from './ledger.ts'
import { eventIdOf, eventTextOf, highWatermarkOf, lineAt, linesOf, takeLines, timestampOf } from './lines.ts'
import type { DeadLetter, Group, Ready, Timed } from './store.ts'

/** Frontier, high watermark and lag, read together (S4.10). */
export function lag({ store }: Context, group: Group): PartitionLag {
  const frontier = frontierOf(store.groups.edges(group.id))
  const highWatermark = highWatermarkOf(store)
  return { frontier, highWatermark, lag: highWatermark - frontier }
}

interface Open {
  readonly state: DeliveryState
  readonly timed: Timed | null
  readonly reason: string | null
}

/** All that is not terminal from `sequence` on, ascending; rows are read as they are asked for. */
function* openRuns(context: Context, group: Group, sequence: number, highWatermark: number): Generator<Run<Open>> {
  const { store } = context
  const timed = store.timed.from(group.id, sequence)[Symbol.iterator]()
  const ready = store.ready.from(group.id, sequence)[Symbol.iterator]()
  try {
    let nextTimed: IteratorResult<Run<Timed>> = timed.next()
    let nextReady: IteratorResult<Run<Ready>> = ready.next()
    while (!nextTimed.done || !nextReady.done) {
      if (nextReady.done || (!nextTimed.done && nextTimed.value.first < nextReady.value.first)) {
        const { first, last, value } = nextTimed.value as Run<Timed>
        yield { first, last, value: { state: value.state, timed: value, reason: value.reason } }
        nextTimed = timed.next()
      } else {
        const { first, last, value } = nextReady.value
        yield { first, last, value: { state: 'available', timed: null, reason: value.reason } }
        nextReady = ready.next()
      }
    }
  } finally {
    // Whoever has seen enough leaves them half read, and a table that is being read cannot be dropped.
    timed.return?.()
    ready.return?.()
  }
  if (group.cursor <= highWatermark) {
    yield { first: group.cursor, last: highWatermark, value: { state: 'undelivered', timed: null, reason: null } }
  }
}

/** How many open runs are looked at before their attempts are read in one statement. */
const CHUNK_RUNS = 256

/** What blocks a group, and its holes as maximal ranges of one state and attempt (S4.11). */
export function holes(context: Context, group: Group, maxRanges: number): Holes {
  const position = lag(context, group)
  const { frontier, highWatermark } = position
  const found: { first: number; last: number; state: DeliveryState; attempt: number }[] = []
  let chunk: Run<Open>[] = []
  const flush = () => {
    for (const hole of withAttempts(context, group, chunk)) {
      const previous = found.at(-1)
      const joins = previous !== undefined && previous.last + 1 === hole.first
      if (joins && previous.state === hole.state && previous.attempt === hole.attempt) previous.last = hole.last
      else found.push({ ...hole })
    }
    chunk = []
  }
  for (const run of openRuns(context, group, frontier + 1, highWatermark)) {
    chunk.push(run)
    if (chunk.length === CHUNK_RUNS) flush()
    if (found.length > maxRanges) break
  }
  flush()
  const more = found.length > maxRanges
  return {
    frontier,
    highWatermark,
    blockedBy: blocker(context, group, position),
    holes: found.slice(0, maxRanges),
    more,
  }
}

function withAttempts(context: Context, group: Group, runs: readonly Run<Open>[]): Hole[] {
  const offered = runs.filter((run) => run.value.state !== 'undelivered')
  const tries = attemptsOver(context.store, group.id, offered)
  return runs.flatMap((run) =>
    run.value.state === 'undelivered'
      ? [{ first: run.first, last: run.last, state: run.value.state, attempt: 0 }]
      : valuesOver([run], tries, { attempts: 1 }).map(({ first, last, value }) => ({
          first,
          last,
          state: run.value.state,
          attempt: value.attempts,
        })),
  )
}

/** The first delivery after the frontier, if there is one. */
function blocker(context: Context, group: Group, { frontier, highWatermark }: PartitionLag): Blocker | null {
  for (const run of openRuns(context, group, frontier + 1, highWatermark)) {
    const { state, timed, reason } = run.value
    const sequence = frontier + 1
    const [hole] = withAttempts(context, group, [{ ...run, first: sequence, last: sequence }])
    return {
      sequence,
      eventId: eventIdOf(context, lineAt(context, sequence)),
      state,
      attempt: hole!.attempt,
      consumerId: timed?.consumerId ?? null,
      expiresAtMs: state === 'leased' ? timed!.dueMs : null,
      dueAtMs: state === 'delayed' ? timed!.dueMs : null,
      reason,
    }
  }
  return null
}

/** Where a group stands in this partition. */
export function groupInfo(context: Context, group: Group): GroupInfo {
  const { store } = context
  const { leased, delayed } = store.timed.counts(group.id)
  const position = lag(context, group)
  const blockedBy = blocker(context, group, position)
  return {
    lag: position,
    inFlight: leased,
    delayed,
    available: store.ready.count(group.id),
    deadLetters: store.done.count(group.id, 'rejected'),
    oldestUnsettled:
      blockedBy === null
        ? null
        : {
            sequence: blockedBy.sequence,
            eventId: blockedBy.eventId,
            timestampMs: timestampOf(lineAt(context, blockedBy.sequence)),
            state: blockedBy.state,
          },
  }
}

/** Who holds what until when, behind the sequence `after` (S5.10); one entry more than `limit` means that there are more. */
export function leases(
  context: Context,
  group: Group,
  request: { consumerId: string | null; after: number; limit: number },
): { leases: LeaseInfo[]; more: boolean } {
  const runs: Run<Timed>[] = []
  let room = request.limit + 1
  for (const run of context.store.timed.leased(group.id, request.consumerId, request.after + 1)) {
    const first = Math.max(run.first, request.after + 1)
    const last = Math.min(run.last, first + room - 1)
    runs.push({ first, last, value: run.value })
    room -= last - first + 1
    if (room === 0) break
  }
  const attempts = attemptsOver(context.store, group.id, runs)
  const lines = linesOf(context, runs)
  const found = runs.flatMap((run) =>
    valuesOver([run], attempts, { attempts: 1 }).flatMap((part) =>
      sequencesOf(part).map((sequence): LeaseInfo => {
        const line = lines.next().value!
        return {
          sequence,
          eventId: eventIdOf(context, line),
          attempt: part.value.attempts,
          consumerId: run.value.consumerId,
          leasedAtMs: run.value.leasedAtMs!,
          expiresAtMs: run.value.dueMs,
        }
      }),
    ),
  )
  lines.return(undefined)
  return { leases: found.slice(0, request.limit), more: found.length > request.limit }
}

const sequencesOf = ({ first, last }: Range): number[] =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at)

/** Dead letters behind the sequence `after`, with their events (S5.8). */
export function deadLetters(
  context: Context,
  group: Group,
  request: { after: number; limit: number; maxBytes: number },
): { deadLetters: DeadLetterInfo[]; more: boolean } {
  const letters: DeadLetter[] = []
  for (const letter of context.store.deadLetters.after(group.id, request.after)) {
    letters.push(letter)
    if (letters.length > request.limit) break
  }
  const ranges = letters.map(({ sequence }) => ({ first: sequence, last: sequence }))
  const { lines } = takeLines(linesOf(context, ranges), request.limit, request.maxBytes)
  const found = lines.map((line, index): DeadLetterInfo => {
    const { sequence, reason, cause, attempt, consumerId, atMs } = letters[index]!
    const event = eventTextOf(context, line)
    return {
      sequence,
      eventId: eventIdOf(context, line),
      reason,
      cause,
      attempt,
      consumerId,
      deadLetteredAtMs: atMs,
      event,
    }
  })
  return { deadLetters: found, more: letters.length > found.length }
}
