import { call, ofGroup } from './call.ts'
import type { RheoError } from './errors.ts'
import type { JsonObject } from './event.ts'
import type { Lease } from './lease.ts'
import type { Scope } from './replay.ts'
import type { CallOptions, Send } from './request.ts'

/** Why a fetch gave nothing: the first that holds over the partitions that were asked. */
export type EmptyReason = 'paused' | 'in_flight_limit' | 'all_delayed' | 'all_leased' | 'caught_up'

/** A fetch that does not wait. */
export interface FetchNowOptions extends Scope {
  /** How many deliveries at most, over all partitions: 1 to 1 000, 10 unless given. */
  readonly limit?: number | undefined
  /** 10 to 43 200 000 milliseconds; the group's unless given. */
  readonly leaseMs?: number | undefined
  /** Who holds the leases, for those who look: 1 to 128 characters. */
  readonly consumerId?: string | undefined
}

export interface FetchOptions extends FetchNowOptions, CallOptions {
  /** How long the server waits for work when there is none: 0 to 20 000 milliseconds, 0 unless given. */
  readonly waitMs?: number | undefined
}

/** What a fetch gave. `reason` is there when it gave nothing. */
export interface Fetched<P = JsonObject> {
  readonly leases: readonly Lease<P>[]
  readonly reason?: EmptyReason
}

/** The fetch of a settle call, which fails for itself. */
export type AlsoFetched<P = JsonObject> = Fetched<P> | { readonly error: RheoError }

/**
 * An answer that was lost took its leases along. Another fetch would be right, but whether to make it is the caller's to
 * say: it costs an attempt of what was lost.
 */
export const fetchLeases = <P>(send: Send, stream: string, group: string, options: FetchOptions): Promise<Fetched<P>> =>
  call(send, 'POST', ofGroup(stream, group, 'fetch'), 'refused', options)
