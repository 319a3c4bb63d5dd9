import type { PartitionLag } from '../client/index.ts'
import { table } from './table.ts'

type Lags = Readonly<Record<string, PartitionLag & { readonly reopened?: number }>>

/** Lag by partition, with its sum; with what was opened again where that is told. */
export function lagTable(partitions: Lags): string {
  const entries = Object.entries(partitions)
  const tells = entries.some(([, one]) => one.reopened !== undefined)
  const heads = ['PARTITION', 'FRONTIER', 'HIGH WATERMARK', 'LAG', ...(tells ? ['REOPENED'] : [])]
  const rows = entries.map(([partition, one]) => [
    partition,
    one.frontier,
    one.highWatermark,
    one.lag,
    ...(tells ? [one.reopened ?? 0] : []),
  ])
  const sum = (of: (one: Lags[string]) => number) => entries.reduce((total, [, one]) => total + of(one), 0)
  const total = ['all', '', '', sum((one) => one.lag), ...(tells ? [sum((one) => one.reopened ?? 0)] : [])]
  return table(heads, entries.length > 1 ? [...rows, total] : rows)
}
