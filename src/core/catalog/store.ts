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
  /** The revision that every partition has; 0 until the group is there at all. */
  readonly syncedRevision: number
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
  changeOptions(uid: string, options: GroupOptions, revision: number): void
  markSynced(uid: string, revision: number): void
  /** Groups that some partition does not have as they should be. */
  unsynced(): GroupRow[]
  transaction<T>(work: () => T): T
}
