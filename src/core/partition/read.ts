import type { CommandOut, PartitionStatus } from './commands.ts'
import type { Context } from './context.ts'
import { eventTextOf, highWatermarkOf, linesOf, takeLines } from './lines.ts'

/** Events behind the sequence `after`, ascending. */
export function read(
  context: Context,
  { after, limit, maxBytes }: { after: number; limit: number; maxBytes: number },
): CommandOut<'read'> {
  const highWatermark = highWatermarkOf(context.store)
  const range = { first: after + 1, last: highWatermark }
  const { lines } = takeLines(range.first > range.last ? [] : linesOf(context, [range]), limit, maxBytes)
  const events = lines.map((line) => eventTextOf(context, line)).join(',')
  return { events, count: lines.length, last: lines.at(-1)?.sequence ?? after, highWatermark }
}

/** Bounds and size of the log. An empty one says where its first event will be. */
export function status({ store }: Context): PartitionStatus {
  const head = store.log.head()
  const highWatermark = head?.last ?? 0
  return { firstSequence: store.log.firstSequence() ?? highWatermark + 1, highWatermark, bytes: head?.totalBytes ?? 0 }
}
