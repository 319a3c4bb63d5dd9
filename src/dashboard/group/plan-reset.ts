import type { PartitionLag, ResetOptions, Rheo } from '../../client/index.ts'
import { FormError } from '../form.ts'
import { inTurns } from '../rows.ts'

type Plan = Record<string, PartitionLag>

/**
 * What a reset would do now. The server has no dry run of one, and needs none: where each partition starts follows from
 * its high watermark, or for a time from its first event at or after it.
 *
 * @throws FormError for what the server would refuse
 */
export async function planReset(rheo: Rheo, stream: string, group: string, options: ResetOptions): Promise<Plan> {
  const lag = await rheo.groups.lag(stream, group, { signal: options.signal })
  const known = Object.keys(lag.partitions)
  const scope = options.partitions?.map(String) ?? known
  const missing = scope.filter((partition) => !known.includes(partition))
  if (missing.length > 0) throw new FormError(`Partitions: there is none numbered ${missing.join(', ')}`)
  const plan: Plan = {}
  await inTurns(scope, 4, async (partition) => {
    const { highWatermark } = lag.partitions[partition]!
    const frontier = await startIn(rheo, stream, Number(partition), highWatermark, options)
    if (frontier > highWatermark) {
      throw new FormError(`After sequence: partition ${partition} ends at ${highWatermark}`)
    }
    plan[partition] = { frontier, highWatermark, lag: highWatermark - frontier }
  })
  return Object.fromEntries(scope.map((partition) => [partition, plan[partition]!]))
}

async function startIn(
  rheo: Rheo,
  stream: string,
  partition: number,
  highWatermark: number,
  { start, startAfter, startAt, signal }: ResetOptions,
): Promise<number> {
  if (typeof startAfter === 'number') return startAfter
  if (startAt === undefined) return start === 'latest' ? highWatermark : 0
  for await (const event of rheo.streamQuery(stream, { where: { partition }, from: startAt, limit: 1, signal })) {
    return event.sequence - 1
  }
  return highWatermark
}
