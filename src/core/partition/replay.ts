import { idOf } from '../event.ts'
import type { Selection } from '../query/query.ts'
import { type Range, type Run, toRanges, width } from '../runs.ts'
import type { Redriven, Replay, Replayed } from './commands.ts'
import type { Context } from './context.ts'
import { firstAtOrAfter } from './groups.ts'
import { lag } from './inspect.ts'
import { put } from './ledger.ts'
import { highWatermarkOf, linesOf } from './lines.ts'
import { rangeOf } from './query.ts'
import { Scan } from './scan.ts'
import type { Group } from './store.ts'

/** Reopens deliveries below the cursor (S5.1 to S5.6), or says what that would be. */
export function replay(context: Context, group: Group, { selector, resetAttempts, dryRun }: Replay): Replayed {
  const { lag: _, ...before } = lag(context, group)
  const selected = select(context, group, selector)
  const reopened = selected.ranges.reduce((sum, range) => sum + width(range), 0)
  if (!dryRun) reopen(context, group, selected.ranges, resetAttempts)
  const frontier = Math.min(before.frontier, (selected.ranges[0]?.first ?? Infinity) - 1)
  const { highWatermark } = before
  return { reopened, frontier, highWatermark, lag: highWatermark - frontier, inRange: selected.inRange }
}

/** The deliveries a selector picks, ascending; what was never offered is delivered anyway and is not among them. */
function select(context: Context, group: Group, selector: Replay['selector']): { ranges: Range[]; inRange: boolean } {
  const behind = (sequence: number): Range[] =>
    sequence + 1 < group.cursor ? [{ first: sequence + 1, last: group.cursor - 1 }] : []
  switch (selector.kind) {
    case 'after':
      return { ranges: behind(selector.sequence), inRange: true }
    case 'at': {
      const first = firstAtOrAfter(context, selector.timeMs)
      return { ranges: first === null ? [] : behind(first - 1), inRange: first !== null }
    }
    case 'matches': {
      const sequences = matching(context, group, selector.selection, selector.limit ?? Infinity)
      return { ranges: toRanges(sequences), inRange: true }
    }
  }
}

/** The first deliveries below the cursor that a selection matches, ascending, at most `limit`. */
export function matching(context: Context, group: Group, selection: Selection, limit: number): number[] {
  const scan = new Scan(context, selection)
  const sequences: number[] = []
  if (limit <= 0) return sequences
  for (const stretch of scan.stretches(rangeOf(selection, group.cursor - 1), false)) {
    for (const found of scan.within(stretch, false)) {
      if ('line' in found) sequences.push(found.line.sequence)
      if (sequences.length === limit) return sequences
    }
  }
  return sequences
}

/** Makes ranges of deliveries available, whatever their state. Each kind of row is rewritten once for all of them. */
function reopen(context: Context, { id }: Group, ranges: readonly Range[], resetAttempts: boolean): void {
  if (ranges.length > 0) context.memory.happenings.reopening(id, ranges[0]!.first)
  const nothing = ranges.map((range) => ({ ...range, value: null }))
  put(context, 'timed', id, nothing)
  put(context, 'done', id, nothing)
  put(
    context,
    'ready',
    id,
    ranges.map((range) => ({ ...range, value: { reason: null } })),
  )
  if (resetAttempts)
    put(
      context,
      'tries',
      id,
      ranges.map((range) => ({ ...range, value: { attempts: 0 } })),
    )
  if (ranges.length > 0) context.store.deadLetters.remove(id, ranges)
}

/** Reopens dead letters with attempt 0 (S5.9): all of them, or those among the given ids and sequences. */
export function redrive(
  context: Context,
  group: Group,
  {
    eventIds,
    sequences,
  }: { eventIds: readonly string[]; sequences: readonly number[] } | { eventIds: null; sequences: null },
): Redriven {
  const { store } = context
  const rejected =
    eventIds === null
      ? [...store.done.from(group.id, 1)].filter(isRejected)
      : rejectedAmong(context, group, [...store.log.sequencesOf(eventIds).values(), ...ofGenerated(context, sequences)])
  reopen(context, group, rejected, true)
  return { redriven: rejected.reduce((sum, range) => sum + width(range), 0), ...lag(context, group) }
}

/** Those whose event has its generated id: in the place of an event with a chosen one, the generated id names none. */
function ofGenerated(context: Context, sequences: readonly number[]): number[] {
  const highWatermark = highWatermarkOf(context.store)
  const there = sequences.filter((sequence) => sequence <= highWatermark).sort((a, b) => a - b)
  const lines = [...linesOf(context, toRanges(there))].filter(({ text }) => idOf(text, '') === '')
  return lines.map(({ sequence }) => sequence)
}

function rejectedAmong({ store }: Context, group: Group, sequences: readonly number[]): Range[] {
  const wanted = [...new Set(sequences)].sort((a, b) => a - b)
  if (wanted.length === 0) return []
  const runs = store.done.around(group.id, toRanges(wanted)).filter(isRejected)
  return toRanges(wanted.filter((sequence) => runs.some((run) => run.first <= sequence && sequence <= run.last)))
}

const isRejected = (run: Run<{ state: string }>): boolean => run.value.state === 'rejected'
