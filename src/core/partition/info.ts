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
