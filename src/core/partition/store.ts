import type { Cause } from '../delivery.ts'
import type { GroupOptions } from '../group.ts'
import type { Difference, Range, Run } from '../runs.ts'

/** A row of the log: consecutive events as lines of canonical JSON. */
export interface Batch {
  readonly first: number
  readonly last: number
  /** The timestamp of the events that carry none, in milliseconds since 1970. */
  readonly atMs: number
  readonly minTimeMs: number
  readonly maxTimeMs: number
  /** The greatest timestamp of all events up to this row. */
  readonly runMaxMs: number
  /** UTF-8 bytes of `lines`, and of all rows up to this one. */
  readonly bytes: number
  readonly totalBytes: number
  readonly lines: string
}

/** The end of the log. */
export type BatchHead = Pick<Batch, 'last' | 'runMaxMs'>

export interface NewBatch extends Omit<Batch, 'bytes' | 'totalBytes'> {
  readonly keys: readonly StoredKey[]
}

/** An idempotency key in the row that its request's first new event lies in. */
export interface StoredKey {
  readonly key: string
  readonly fingerprint: string
  readonly first: number
  readonly atMs: number
}

/** A lease or a delay. */
export interface Timed {
  readonly state: 'leased' | 'delayed'
  /** When the lease expires or the delay ends. */
  readonly dueMs: number
  readonly token: string | null
  readonly consumerId: string | null
  readonly leasedAtMs: number | null
  readonly leaseMs: number | null
  /** Why the delivery came back the last time, if it did. */
  readonly reason: string | null
}

export interface Ready {
  readonly reason: string | null
}

export interface Done {
  readonly state: 'skipped' | 'rejected'
}

export interface Tries {
  readonly attempts: number
}

export interface DeadLetter {
  readonly sequence: number
  readonly reason: string | null
  readonly cause: Cause
  readonly attempt: number
  readonly consumerId: string | null
  readonly atMs: number
}

export interface Group {
  /** The number that the group's rows carry in this partition. */
  readonly id: number
  readonly uid: string
  readonly name: string
  readonly revision: number
  readonly epoch: number
  readonly options: GroupOptions
  /** The next sequence never offered. */
  readonly cursor: number
}

/** One kind of exception of one partition, kept as runs per group. */
export interface RunTable<V> {
  /** Runs that overlap or touch one of the ascending `ranges`, each once, ascending. */
  around(group: number, ranges: readonly Range[]): Run<V>[]
  /** Runs that end at or after `sequence`, ascending; rows are read as they are asked for. */
  from(group: number, sequence: number): Iterable<Run<V>>
  write(group: number, difference: Difference<V>): void
}

export interface TimedTable extends RunTable<Timed> {
  /** When each lease and delay ends, and when a lease was granted or renewed; rows are read as they are asked for. */
  times(): Iterable<Range & { group: number; dueMs: number; grantedMs: number | null }>
  countLeased(group: number): number
  has(group: number, state: Timed['state']): boolean
  counts(group: number): { leased: number; delayed: number }
  /** Runs that a consumer holds, ascending; of all consumers when null. */
  leased(group: number, consumerId: string | null, from: number): Iterable<Run<Timed>>
}

export interface ReadyTable extends RunTable<Ready> {
  has(group: number): boolean
  count(group: number): number
}

export interface DoneTable extends RunTable<Done> {
  count(group: number, state: Done['state']): number
}

export interface LogStore {
  /** The end of the log as it stands; read once, and again after a fault. */
  head(): BatchHead | null
  /** UTF-8 bytes of all rows. */
  bytes(): number
  firstSequence(): number | null
  /** The row that holds `sequence` and the rows after it, ascending, read as they are asked for. */
  from(sequence: number): Iterable<Batch>
  /** The row that holds `sequence` and the rows before it, descending, read as they are asked for. */
  backwards(sequence: number): Iterable<Batch>
  /** The time bounds of the rows from the one that holds `sequence` on; null when there is none. */
  timesFrom(sequence: number): { minTimeMs: number; maxTimeMs: number } | null
  /** Bounds of the row that holds `sequence`. */
  boundsAt(sequence: number): { first: number; last: number; runMaxMs: number } | null
  /** The lowest and the greatest timestamp in the row that holds `sequence`. */
  timesAt(sequence: number): { minTimeMs: number; maxTimeMs: number } | null
  append(batches: readonly NewBatch[]): void
  sequencesOf(ids: readonly string[]): Map<string, number>
  addIds(ids: readonly { readonly id: string; readonly sequence: number }[]): void
  /** The idempotency keys of each row, newest row first, read as they are asked for. */
  keysBackwards(): Iterable<{ atMs: number; keys: readonly StoredKey[] }>
  /** The idempotency keys in the row that holds `sequence`. */
  keysAt(sequence: number): readonly StoredKey[]
}

/** What looking through all rows of a group has shown. */
export interface Census {
  /** What is wrong with them; null when they are sound. */
  readonly damage: string | null
  /** How many runs hold the frontier back: leased, delayed or available. */
  readonly openRuns: number
  /** How many deliveries are in each state that has rows. */
  readonly deliveries: Deliveries
}

export type Deliveries = Readonly<Record<'leased' | 'delayed' | 'available' | 'rejected' | 'skipped', number>>

export interface GroupStore {
  byUid(uid: string): Group | null
  byId(id: number): Group | null
  all(): Group[]
  insert(group: Omit<Group, 'id'>): number
  /** Forgets all that is known of the group's deliveries, and starts behind `cursor` - 1. */
  restart(id: number, epoch: number, cursor: number): void
  /** Forgets all of a group but that it is gone, also of one that has never been here. */
  remove(uid: string): void
  /** Whether a group is known to be gone. */
  isRemoved(uid: string): boolean
  updateOptions(id: number, revision: number, options: GroupOptions): void
  moveCursor(id: number, cursor: number): void
  /** Looks through all rows of the group. */
  census(id: number): Census
  /** First sequences of the first run of each kind that holds the frontier back, and the cursor. */
  edges(id: number): { cursor: number; firstTimed: number | null; firstReady: number | null }
}

export interface DeadLetterStore {
  add(group: number, letters: readonly DeadLetter[]): void
  remove(group: number, ranges: readonly Range[]): void
  at(group: number, sequence: number): DeadLetter | null
  after(group: number, sequence: number): Iterable<DeadLetter>
}

/** A stretch of the log with what a search needs to know to skip it. */
export interface Segment extends Range {
  readonly minTimeMs: number
  readonly maxTimeMs: number
  /** A Bloom filter over the terms of its events; null when it was not asked for. */
  readonly filter: Uint8Array | null
}

export interface SegmentStore {
  /** The last sequence that lies in a segment; 0 when there is none. */
  last(): number
  /** Adds a segment behind the last one; its time bounds are those of its rows. */
  add(segment: Range, filter: Uint8Array): void
  /** The segment that holds the start of a range and those behind it, read as they are asked for. */
  forwards(range: Range, withFilters: boolean): Iterable<Segment>
  /** The segment that holds the end of a range and those before it down to its start. */
  backwards(range: Range, withFilters: boolean): Iterable<Segment>
}

/** All that a partition keeps. Implemented in SQL by src/storage/partition.ts. */
export interface PartitionStore {
  readonly log: LogStore
  readonly segments: SegmentStore
  readonly groups: GroupStore
  readonly timed: TimedTable
  readonly ready: ReadyTable
  readonly done: DoneTable
  readonly tries: RunTable<Tries>
  readonly deadLetters: DeadLetterStore
  /** Runs `work` so that all it writes is kept, or nothing when it throws. */
  transaction<T>(work: () => T): T
}
