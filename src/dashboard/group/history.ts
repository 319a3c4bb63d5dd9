import type { Group, GroupInfo } from '../../client/index.ts'
import { type Sample, withSample } from './chart.ts'

type Named = Pick<Group, 'stream' | 'name' | 'createdAt'>

/** What was read of groups while this tab was open, so that coming back to one does not begin anew. */
const histories = new Map<string, readonly Sample[]>()

const keyOf = ({ stream, name, createdAt }: Named): string => `${stream} ${name} ${createdAt}`

/** Keeps how far a group is now. */
export function keepSample(group: GroupInfo): void {
  const lags = Object.entries(group.lag.partitions).map(([partition, { lag }]) => [partition, lag])
  const sample: Sample = { at: Date.now(), lags: Object.fromEntries(lags) }
  histories.set(keyOf(group), withSample(samplesOf(group), sample))
}

export const samplesOf = (group: Named): readonly Sample[] => histories.get(keyOf(group)) ?? []
