import type { Cause, DeliveryState } from '../delivery.ts'

/*
 * What a partition tells of itself and its groups. Times are milliseconds since 1970.
 */

export interface PartitionLag {
  readonly frontier: number
  readonly highWatermark: number
  readonly lag: number
}

export interface Hole {
  readonly first: number
  readonly last: number
  readonly state: DeliveryState
  readonly attempt: number
}

/** The delivery that holds the frontier back. Times are milliseconds since 1970. */
export interface Blocker {
  readonly sequence: number
  readonly eventId: string
  readonly state: DeliveryState
  readonly attempt: number
  readonly consumerId: string | null
  readonly expiresAtMs: number | null
  readonly dueAtMs: number | null
  readonly reason: string | null
}

export interface Holes {
  readonly frontier: number
  readonly highWatermark: number
  readonly blockedBy: Blocker | null
  readonly holes: readonly Hole[]
  readonly more: boolean
}

export interface GroupInfo {
  readonly lag: PartitionLag
  readonly inFlight: number
  readonly delayed: number
  readonly available: number
  readonly deadLetters: number
  readonly oldestUnsettled: OldestUnsettled | null
}

export interface OldestUnsettled {
  readonly sequence: number
  readonly eventId: string
  readonly timestampMs: number
  readonly state: DeliveryState
}

export interface LeaseInfo {
  readonly sequence: number
  readonly eventId: string
  readonly attempt: number
  readonly consumerId: string | null
  readonly leasedAtMs: number
  readonly expiresAtMs: number
}

/** A dead letter; `event` is JSON text. */
export interface DeadLetterInfo {
  readonly sequence: number
  readonly eventId: string
  readonly reason: string | null
  readonly cause: Cause
  readonly attempt: number
  readonly consumerId: string | null
  readonly deadLetteredAtMs: number
  readonly event: string
}

export interface PartitionStatus {
  readonly firstSequence: number
  readonly highWatermark: number
  readonly bytes: number
}

/** A partition's figures, with those of all its groups. */
export interface PartitionMetrics extends PartitionStatus {
  /** How much larger the database may grow before it takes no more events; Infinity where that is not bounded. */
  readonly freeBytes: number
  readonly groups: readonly GroupMetrics[]
}

/** What a partition counts of a group; null when the group is in quarantine, where nothing can be told. */
export interface GroupMetrics {
  readonly name: string
  readonly paused: boolean
  readonly figures: GroupFigures | null
}

export interface GroupFigures {
  readonly frontier: number
  readonly leased: number
  readonly delayed: number
  readonly available: number
  readonly rejected: number
  /** Runs of what is leased, delayed or available. */
  readonly openRuns: number
  /** The timestamp of the first event behind the frontier; null when there is none. */
  readonly oldestUnsettledMs: number | null
}
