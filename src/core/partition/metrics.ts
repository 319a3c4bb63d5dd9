import type { GroupFigures, PartitionMetrics } from './commands.ts'
import type { Context } from './context.ts'
import { frontierOf } from './frontier.ts'
import { lineAt, timestampOf } from './lines.ts'
import { status } from './read.ts'
import type { Group } from './store.ts'

/**
 * The figures of a partition and of all its groups. Deliveries are counted in memory as their rows change, so that a
 * group costs the same few rows however many of its deliveries are open. Of a group that is damaged, or in `failing`
 * because what is due in it cannot be ended, nothing is told.
 */
export function metrics(context: Context, failing: ReadonlyMap<number, unknown>, freeBytes: number): PartitionMetrics {
  const own = status(context)
  const timeOf = oldestTimes(context, own.highWatermark)
  const groups = context.store.groups.all().map((group) => ({
    name: group.name,
    paused: group.options.paused,
    figures: failing.has(group.id) ? null : figuresOf(context, group, timeOf),
  }))
  return { ...own, freeBytes, groups }
}

function figuresOf({ store, memory }: Context, group: Group, timeOf: (sequence: number) => number | null) {
  const { damage, openRuns, deliveries } = memory.census(group.id)
  if (damage !== null) return null
  const { leased, delayed, available, rejected } = deliveries
  const frontier = frontierOf(store.groups.edges(group.id))
  const oldestUnsettledMs = timeOf(frontier + 1)
  return { frontier, leased, delayed, available, rejected, openRuns, oldestUnsettledMs } satisfies GroupFigures
}

/** The timestamps of events, each looked up once: groups that keep up stand at the same one. */
function oldestTimes(context: Context, highWatermark: number): (sequence: number) => number | null {
  const known = new Map<number, number>()
  return (sequence) => {
    if (sequence > highWatermark) return null
    const timeMs = known.get(sequence) ?? timeAt(context, sequence)
    known.set(sequence, timeMs)
    return timeMs
  }
}

/** Most rows of the log hold events of one time, and then their text need not be read. */
function timeAt(context: Context, sequence: number): number {
  const times = context.store.log.timesAt(sequence)
  return times !== null && times.minTimeMs === times.maxTimeMs
    ? times.minTimeMs
    : timestampOf(lineAt(context, sequence))
}
