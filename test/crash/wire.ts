/** An event as the server answers it; the tests number theirs in the payload. */
export type StreamEvent = {
  id: string
  stream: string
  partition: number
  sequence: number
  type: string | null
  key: string | null
  timestamp: string
  payload: { number: number; padding?: string }
  metadata: Record<string, unknown>
}

/** An event as it is sent. */
export type NewEvent = { payload: { number: number; padding?: string }; id?: string; key?: string; partition?: number }

export type Lease = {
  leaseId: string
  receipt: string
  group: string
  partition: number
  sequence: number
  attempt: number
  event: StreamEvent
}

export type Fetched = { leases: Lease[]; reason?: string }

/** What became of one lease of a settle call. */
export type SettleResult = { leaseId: string; ok: boolean; state?: string; code?: string }

/** What became of one claim of a settle call. */
export type ClaimResult = { receipt: string; ok: boolean; count?: number; lost?: number; code?: string }

export type DeadLetter = { partition: number; sequence: number; eventId: string; cause: string; attempt: number }

export type Lag = {
  partitions: Record<string, { frontier: number; highWatermark: number; lag: number }>
  lag: number
}
