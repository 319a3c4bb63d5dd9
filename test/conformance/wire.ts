/** The shapes of the wire contract that tests read. Only what is asserted is named; everything else stays unknown. */

/** An event as the server answers it. `duplicate` is there only on the answer of an append. */
export interface StreamEvent {
  id: string
  stream: string
  partition: number
  sequence: number
  type: string | null
  key: string | null
  timestamp: string
  payload: Record<string, unknown>
  metadata: Record<string, unknown>
  duplicate?: boolean
}

/** What a producer may send for one event. Values are unknown on purpose: tests send wrong ones, too. */
export interface NewEvent {
  type?: unknown
  key?: unknown
  payload?: unknown
  metadata?: unknown
  id?: unknown
  timestamp?: unknown
  partition?: unknown
}

export interface Lease {
  leaseId: string
  receipt: string
  stream: string
  group: string
  partition: number
  sequence: number
  eventId: string
  attempt: number
  consumerId: string | null
  leasedAt: string
  expiresAt: string
  event: StreamEvent
}

export interface Fetched {
  leases: Lease[]
  reason?: string
}

/** The answer of one settle call, and of an item of many. */
export interface Settled {
  leaseId?: string
  receipt?: string
  ok: boolean
  state?: string
  dueAt?: string
  expiresAt?: string
  code?: string
  count?: number
  lost?: number
}

export interface SettledMany extends Partial<Fetched> {
  results: Settled[]
  settled: number
  failed: number
  fetchError?: { code: string }
}

export interface PartitionLag {
  frontier: number
  highWatermark: number
  lag: number
}

export interface GroupLag {
  stream: string
  group: string
  partitions: Record<string, PartitionLag>
  lag: number
}

/** The answer of a replay; of a redrive the counts are called `redriven`. */
export interface Replayed {
  reopened: number
  partitions: Record<string, PartitionLag & { reopened: number }>
}

export interface Redriven {
  redriven: number
  partitions: Record<string, PartitionLag>
}

export interface HoleRange {
  first: number
  last: number
  state: string
  attempt: number
}

export interface PartitionHoles {
  frontier: number
  highWatermark: number
  blockedBy: null | {
    sequence: number
    eventId: string
    state: string
    attempt: number
    consumerId: string | null
    expiresAt: string | null
    dueAt: string | null
    reason: string | null
  }
  holes: HoleRange[]
  more: boolean
}

export interface GroupOptions {
  name: string
  stream: string
  createdAt: string
  maxAttempts: number
  leaseMs: number
  start: Record<string, number>
  maxInFlight: number | null
  backoff: null | { baseMs: number; factor: number; maxMs: number }
  paused: boolean
}

export interface GroupInfo extends GroupOptions {
  lag: { partitions: Record<string, PartitionLag>; lag: number }
  inFlight: number
  delayed: number
  available: number
  deadLetters: number
  oldestUnsettled: null | {
    partition: number
    sequence: number
    eventId: string
    timestamp: string
    ageMs: number
    state: string
  }
}

/** A lease as it is listed: who holds what until when, without the token that settles it. */
export interface ListedLease {
  partition: number
  sequence: number
  eventId: string
  attempt: number
  consumerId: string | null
  leasedAt: string
  expiresAt: string
}

export interface DeadLetter {
  partition: number
  sequence: number
  eventId: string
  reason: string | null
  cause: string
  attempt: number
  consumerId: string | null
  deadLetteredAt: string
  event: StreamEvent
}

export interface StreamInfo {
  name: string
  partitionCount: number
  createdAt: string
  partitions: Record<string, { firstSequence: number; highWatermark: number; bytes: number }>
}
