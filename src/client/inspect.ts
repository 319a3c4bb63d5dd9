import { call, ofGroup } from './call.ts'
import type { Group } from './group.ts'
import type { CallOptions, Send } from './request.ts'
import type { ListOptions } from './stream.ts'

/** States of a delivery. */
export type DeliveryState = 'undelivered' | 'available' | 'delayed' | 'leased' | 'acked' | 'rejected' | 'skipped'

/** How far a group is in one partition; read in one moment. */
export interface PartitionLag {
  /** Every sequence up to here is done. */
  readonly frontier: number
  /** The last sequence. */
  readonly highWatermark: number
  /** `highWatermark - frontier`. */
  readonly lag: number
}

/** How far a group is. */
export interface GroupLag {
  readonly stream: string
  readonly group: string
  readonly partitions: Readonly<Record<string, PartitionLag>>
  /** The sum over the partitions. */
  readonly lag: number
}

/** A group with its counts. */
export interface GroupInfo extends Group {
  readonly lag: Pick<GroupLag, 'partitions' | 'lag'>
  readonly inFlight: number
  readonly delayed: number
  /** Open again, such as after a nack; what was never offered is not counted. */
  readonly available: number
  readonly deadLetters: number
  readonly oldestUnsettled: {
    readonly partition: number
    readonly sequence: number
    readonly eventId: string
    readonly timestamp: string
    readonly ageMs: number
    readonly state: DeliveryState
  } | null
}

/** What stands between a group's frontier and the high watermark of one partition. */
export interface PartitionHoles {
  readonly frontier: number
  readonly highWatermark: number
  /** The first hole: what keeps the frontier where it is. */
  readonly blockedBy: {
    readonly sequence: number
    readonly eventId: string
    readonly state: DeliveryState
    readonly attempt: number
    readonly consumerId: string | null
    readonly expiresAt: string | null
    readonly dueAt: string | null
    readonly reason: string | null
  } | null
  /** Maximal ranges of one state and attempt, 1 000 at most. */
  readonly holes: readonly {
    readonly first: number
    readonly last: number
    readonly state: DeliveryState
    readonly attempt: number
  }[]
  /** Whether there are more. */
  readonly more: boolean
}

/** A lease as it is listed: who holds what until when, without the token that settles it. */
export interface ListedLease {
  readonly partition: number
  readonly sequence: number
  readonly eventId: string
  readonly attempt: number
  readonly consumerId: string | null
  readonly leasedAt: string
  readonly expiresAt: string
}

/** What there is to see of a group. Every call throws `StreamNotFoundError` or `GroupNotFoundError` without it. */
export interface Inspecting {
  get(stream: string, group: string, options?: CallOptions): Promise<GroupInfo>
  /** @example const { lag } = await rheo.groups.lag('orders', 'billing') */
  lag(stream: string, group: string, options?: CallOptions): Promise<GroupLag>
  /** What blocks the frontier, by partition. */
  holes(
    stream: string,
    group: string,
    options?: CallOptions & { readonly partition?: number | undefined },
  ): Promise<{ readonly partitions: Readonly<Record<string, PartitionHoles>> }>
  /** A page of the leases held, of all consumers or one. `nextCursor` is null at the end. */
  leases(
    stream: string,
    group: string,
    options?: ListOptions & { readonly consumerId?: string | undefined },
  ): Promise<{ readonly leases: readonly ListedLease[]; readonly nextCursor: string | null }>
  /** Gives back everything that a consumer holds, such as one that has died: available at once, attempts refunded. */
  releaseConsumer(
    stream: string,
    group: string,
    consumerId: string,
    options?: CallOptions,
  ): Promise<{ readonly released: number }>
}

export const inspectingOf = (send: Send): Inspecting => ({
  get: (stream, group, options) => call(send, 'GET', ofGroup(stream, group), 'read', options),
  lag: (stream, group, options) => call(send, 'GET', ofGroup(stream, group, 'lag'), 'read', options),
  holes: (stream, group, options) => call(send, 'GET', ofGroup(stream, group, 'holes'), 'read', options),
  leases: (stream, group, options) => call(send, 'GET', ofGroup(stream, group, 'leases'), 'read', options),
  releaseConsumer: (stream, group, consumerId, options) =>
    call(send, 'POST', ofGroup(stream, group, 'leases', 'release'), 'refused', { ...options, consumerId }),
})
