import type { Api, Json } from './api.ts'
import { table } from './print.ts'

/** Fetches all there is, and gives the tokens names that a reader can follow. */
export function fetchAll(api: Api, group: string, consumerId: string): Promise<Json[]> {
  return fetchSome(api, group, { consumerId, limit: 100 })
}

/** Fetches with a body of its own, and gives the tokens names that a reader can follow. */
export async function fetchSome(api: Api, group: string, body: Json): Promise<Json[]> {
  const { consumerId } = body
  const { leases } = await api.call('POST', `${group}/fetch`, { body, expect: 200, show: summary })
  for (const lease of leases) {
    api.name(lease.leaseId, `${consumerId}'s lease of ${lease.partition}/${lease.sequence}`)
    api.name(lease.receipt, `${consumerId}'s receipt of partition ${lease.partition}`)
  }
  return leases
}

/** Four members of each lease say enough on a line. */
function summary(body: Json): Json {
  if (body.leases.length === 0) return body
  return { leases: body.leases.map(pick('partition', 'sequence', 'attempt', 'expiresAt')) }
}

/** The lag of a group, read without a word unless `show` says otherwise. */
export function lagOf(api: Api, group: string, show: ((body: Json) => Json) | 'quiet' = 'quiet'): Promise<Json> {
  return api.call('GET', `${group}/lag`, { expect: 200, show })
}

/** The lag of a group, a row per partition. */
export function printLag(lag: Json): void {
  const rows: [string, Json][] = Object.entries(lag.partitions)
  table(
    ['partition', 'frontier', 'high watermark', 'lag'],
    rows.map(([partition, row]) => [Number(partition), row.frontier, row.highWatermark, row.lag]),
  )
}

/** What blocks the frontier of a partition, as the holes name it. */
export function blocker(body: Json, partition: number): Json {
  return pick('sequence', 'state', 'attempt', 'consumerId', 'expiresAt')(body.partitions[partition].blockedBy)
}

/** The lease of one event among many. */
export function leaseOf(leases: Json[], partition: number, sequence: number): Json {
  return leases.find((lease) => lease.partition === partition && lease.sequence === sequence)
}

/** The receipts of a fetch: one per partition, each for all the leases taken from it. */
export function receiptsOf(leases: Json[]): string[] {
  return [...new Set<string>(leases.map((lease) => lease.receipt))]
}

/** The sequence of an event. */
export function sequenceOf(event: Json): number {
  return event.sequence
}

/** Takes the named members of an answer and leaves the rest. */
export function pick(...names: string[]): (body: Json) => Json {
  return (body) => Object.fromEntries(names.map((name) => [name, body?.[name]]))
}
