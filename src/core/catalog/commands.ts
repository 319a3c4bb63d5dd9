import type { GroupOptions, Start } from '../group.ts'

/** A stream as the catalog knows it. `uid` is never given to another stream, and neither it nor the count changes. */
export interface StreamRecord {
  readonly name: string
  readonly uid: string
  readonly partitionCount: number
  readonly createdAtMs: number
}

/** A group as the catalog knows it. `starts` holds the last skipped sequence of each partition. */
export interface GroupRecord {
  readonly name: string
  readonly uid: string
  readonly stream: string
  readonly createdAtMs: number
  readonly options: GroupOptions
  readonly starts: readonly number[]
}

/** Every command of a tenant's catalog with its parameters and its outcome. Names are checked by the caller. */
export interface CatalogCommands {
  /** `maxStreams` is what the tenant's quota leaves of the limit. */
  createStream: { in: { name: string; partitionCount: number; maxStreams: number }; out: StreamRecord }
  stream: { in: { stream: string }; out: StreamRecord }
  /** Streams with a name greater than `after`, by name. */
  streams: { in: { after: string; limit: number }; out: { streams: readonly StreamRecord[]; more: boolean } }
  /** `maxGroups` is what the tenant's quota leaves of the limit. */
  createGroup: {
    in: { stream: string; name: string; options: GroupOptions; start: Start; maxGroups: number }
    out: GroupRecord
  }
  /** A group that every partition has; `group_not_found` before. */
  group: { in: { stream: string; group: string }; out: { stream: StreamRecord; group: GroupRecord } }
  groups: {
    in: { stream: string; after: string; limit: number }
    out: { groups: readonly GroupRecord[]; more: boolean }
  }
  /** Lets a group start over in the given partitions, in all when null. */
  resetGroup: {
    in: { stream: string; group: string; start: Start; partitions: readonly number[] | null }
    out: { stream: StreamRecord; group: GroupRecord }
  }
  deleteGroup: { in: { stream: string; group: string }; out: Record<never, never> }
  deleteStream: { in: { stream: string }; out: Record<never, never> }
  patchGroup: { in: { stream: string; group: string; patch: Partial<GroupOptions> }; out: GroupRecord }
}

export type CatalogCommandName = keyof CatalogCommands
export type CatalogCommand<N extends CatalogCommandName = CatalogCommandName> = {
  [K in N]: { readonly type: K } & Readonly<CatalogCommands[K]['in']>
}[N]
export type CatalogOut<N extends CatalogCommandName> = CatalogCommands[N]['out']
