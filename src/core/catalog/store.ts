import type { GroupOptions, Start } from '../group.ts'
import type { GroupRecord, StreamRecord } from './commands.ts'

/** A group with what the catalog must know to bring it to all partitions. */
export interface GroupRow extends GroupRecord {
  readonly streamUid: string
  /** The start its creator asked for; tells a repeated create from another one. */
  readonly requestedStart: Start
  readonly requestedOptions: GroupOptions
  /** Grows with each change of the options. */
  readonly revision: number
  /** How often the group was reset in each partition. */
  readonly epochs: readonly number[]
  /** The revision that every partition has; 0 until the group is there at all. */
  readonly syncedRevision: number
}

/** A stream or a group that is gone for callers, and whose rows some partition may still hold. */
export interface Doomed {
  readonly stream: StreamRecord
  /** The group; null when the whole stream is meant. */
  readonly group: { readonly uid: string; readonly name: string } | null
}

/** All that a catalog keeps. Implemented in SQL by src/storage/catalog.ts. */
export interface CatalogStore {
  stream(name: string): StreamRecord | null
  streams(after: string, limit: number): StreamRecord[]
  countStreams(): number
  addStream(stream: StreamRecord): void
  group(streamUid: string, name: string): GroupRow | null
  /** Groups that every partition has, by name. */
  groups(streamUid: string, after: string, limit: number): GroupRow[]
  countGroups(streamUid: string): number
  addGroup(group: GroupRow): void
  /** Writes the options, starts, epochs and revision of a group that is there. */
  changeGroup(group: GroupRow): void
  markSynced(uid: string, revision: number): void
  removeGroup(uid: string): void
  /** Removes a stream with its groups. */
  removeStream(uid: string): void
  addDoomed(doomed: Doomed): void
  removeDoomed(doomed: Doomed): void
  doomed(): Doomed[]
  /** Groups that some partition does not have as they should be. */
  unsynced(): GroupRow[]
  transaction<T>(work: () => T): T
}
