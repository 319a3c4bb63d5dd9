import type { ListedLease } from '../../client/index.ts'

/** What one consumer holds. */
export interface Holder {
  /** Null for leases that were fetched without a name. */
  readonly consumerId: string | null
  readonly count: number
  readonly partitions: readonly number[]
  readonly firstExpiry: string
  readonly lastExpiry: string
}

/** Leases by who holds them, those with most first. */
export function holdersOf(leases: readonly ListedLease[]): Holder[] {
  const byConsumer = new Map<string | null, ListedLease[]>()
  for (const lease of leases) {
    const held = byConsumer.get(lease.consumerId)
    if (held === undefined) byConsumer.set(lease.consumerId, [lease])
    else held.push(lease)
  }
  return [...byConsumer]
    .map(([consumerId, held]) => {
      const expiries = held.map(({ expiresAt }) => expiresAt).sort()
      return {
        consumerId,
        count: held.length,
        partitions: [...new Set(held.map(({ partition }) => partition))].sort((a, b) => a - b),
        firstExpiry: expiries[0]!,
        lastExpiry: expiries.at(-1)!,
      }
    })
    .sort((a, b) => b.count - a.count || (a.consumerId ?? '').localeCompare(b.consumerId ?? ''))
}
