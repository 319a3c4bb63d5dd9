import type { StreamRecord } from '../../core/catalog/commands.ts'
import { limits, partitionBytes } from '../../core/limits.ts'
import type { GroupFigures, PartitionMetrics } from '../../core/partition/commands.ts'
import { allPartitions } from '../../core/route.ts'
import { addressOf, ask } from '../ask.ts'
import type { Call } from '../call.ts'
import { Exposition, labelsOf } from './exposition.ts'

/** How many partitions are asked at once: each may answer with the figures of a thousand groups. */
const WIDTH = 64

/**
 * The figures of streams as Prometheus reads them. Every partition is asked once for all its groups. One that does not
 * answer in time is down, and the rest is told; partitions beyond the bounds of a scrape are counted and not asked.
 */
export async function scrape(call: Call, streams: readonly StreamRecord[]): Promise<string> {
  const exposition = new Exposition()
  const sums = new GroupSums(exposition)
  const targets = firstPartitions(streams, limits.scrapePartitions)
  const deadline = startDeadline(limits.scrapeMs)
  let told = 0
  while (told < targets.length && exposition.length < limits.scrapeBytes && !deadline.isOver && !call.signal.aborted) {
    const wave = targets.slice(told, told + WIDTH)
    const asked = wave.map(({ stream, partition }) =>
      ask(call, addressOf(call, stream, partition), { type: 'metrics' }),
    )
    const answers = await Promise.all(asked.map((answer) => Promise.race([answer, deadline.over])))
    for (const [index, answer] of answers.entries()) {
      const { stream, partition } = wave[index]!
      // The catalog has just named the stream, so it has gone since.
      if (answer.status === 'moved') continue
      const isUp = answer.status === 'done'
      exposition.add('rheo_partition_up', labelsOf({ stream: stream.name, partition }), isUp)
      if (!isUp) continue
      tellPartition(exposition, stream.name, partition, answer.value, call.nowMs)
      sums.add(stream, answer.value)
    }
    told += wave.length
  }
  deadline.stop()
  sums.end()
  const all = streams.reduce((sum, { partitionCount }) => sum + partitionCount, 0)
  exposition.add('rheo_partition_max_bytes', '', partitionBytes(call.vars.RHEO_PARTITION_MAX_BYTES))
  exposition.add('rheo_scrape_partitions_left_out', '', all - told)
  return exposition.toString()
}

/** Whoever scrapes waits only so long: a partition that hangs must not keep it from what the others tell. */
function startDeadline(ms: number) {
  const { promise: over, resolve } = Promise.withResolvers<{ readonly status: 'late' }>()
  const deadline = { isOver: false, over, stop: () => clearTimeout(timer) }
  const timer = setTimeout(() => {
    deadline.isOver = true
    resolve({ status: 'late' })
  }, ms)
  return deadline
}

interface Target {
  readonly stream: StreamRecord
  readonly partition: number
}

function firstPartitions(streams: readonly StreamRecord[], limit: number): Target[] {
  const targets: Target[] = []
  for (const stream of streams) {
    for (const partition of allPartitions(stream.partitionCount)) {
      if (targets.length === limit) return targets
      targets.push({ stream, partition })
    }
  }
  return targets
}

function tellPartition(
  exposition: Exposition,
  stream: string,
  partition: number,
  { groups, ...own }: PartitionMetrics,
  nowMs: number,
): void {
  const labels = labelsOf({ stream, partition })
  exposition.add('rheo_partition_high_watermark', labels, own.highWatermark)
  exposition.add('rheo_partition_first_sequence', labels, own.firstSequence)
  exposition.add('rheo_partition_log_bytes', labels, own.bytes)
  exposition.add('rheo_partition_free_bytes', labels, Math.max(0, own.freeBytes))
  for (const { name, figures } of groups) {
    if (figures === null) continue
    const labels = labelsOf({ stream, group: name, partition })
    const { frontier, openRuns, oldestUnsettledMs } = figures
    const ageMs = oldestUnsettledMs === null ? 0 : Math.max(0, nowMs - oldestUnsettledMs)
    exposition.add('rheo_group_frontier', labels, frontier)
    exposition.add('rheo_group_lag', labels, own.highWatermark - frontier)
    exposition.add('rheo_group_oldest_unsettled_age_seconds', labels, ageMs / 1000)
    exposition.add('rheo_group_open_runs', labels, openRuns)
  }
}

const summed = {
  leased: 'rheo_group_in_flight',
  delayed: 'rheo_group_delayed',
  available: 'rheo_group_available',
  rejected: 'rheo_group_dead_letters',
} as const satisfies Partial<Record<keyof GroupFigures, string>>

const counts = ['leased', 'delayed', 'available', 'rejected'] as const

type Sum = Record<(typeof counts)[number] | 'told' | 'quarantined', number> & { paused: boolean }

/** What is told of a group over all partitions of its stream, and not at all when one of them is missing. */
class GroupSums {
  readonly #exposition: Exposition
  readonly #sums = new Map<string, Sum>()
  #stream: StreamRecord | null = null

  constructor(exposition: Exposition) {
    this.#exposition = exposition
  }

  /** Partitions of one stream come one after the other. */
  add(stream: StreamRecord, { groups }: PartitionMetrics): void {
    if (stream !== this.#stream) this.end()
    this.#stream = stream
    for (const { name, paused, figures } of groups) {
      const sum = this.#sums.get(name) ?? {
        leased: 0,
        delayed: 0,
        available: 0,
        rejected: 0,
        told: 0,
        quarantined: 0,
        paused,
      }
      this.#sums.set(name, sum)
      if (figures === null) sum.quarantined += 1
      else {
        sum.told += 1
        for (const count of counts) sum[count] += figures[count]
      }
    }
  }

  /** Tells the sums of the stream. */
  end(): void {
    for (const [group, sum] of this.#sums) {
      const labels = labelsOf({ stream: this.#stream!.name, group })
      this.#exposition.add('rheo_group_paused', labels, sum.paused)
      this.#exposition.add('rheo_group_quarantined_partitions', labels, sum.quarantined)
      // A sum that stands for fewer partitions looks like a group that has caught up.
      if (sum.told < this.#stream!.partitionCount) continue
      for (const count of counts) this.#exposition.add(summed[count], labels, sum[count])
    }
    this.#sums.clear()
  }
}
