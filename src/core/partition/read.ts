import { joined } from '../json.ts'
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
  const events = joined(lines.map((line) => eventTextOf(context, line)))
  return { events, count: lines.length, last: lines.at(-1)?.sequence ?? after, highWatermark }
}

/** Bounds and size of the log. An empty one says where its first event will be. */
export function status({ store }: Context): PartitionStatus {
  const { log } = store
  const highWatermark = highWatermarkOf(store)
  return { firstSequence: log.firstSequence() ?? highWatermark + 1, highWatermark, bytes: log.bytes() }
}
