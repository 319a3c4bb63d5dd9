import { call } from './call.ts'
import type { JsonObject, StreamEvent } from './event.ts'
import type { DeliveryState } from './inspect.ts'
import type { CallOptions, Send } from './request.ts'

export interface ReadOptions extends CallOptions {
  /** 0 unless given. */
  readonly partition?: number | undefined
  /** Read begins behind this sequence; 0 unless given. */
  readonly after?: number | undefined
  /** 1 to 1 000; 100 unless given. */
  readonly limit?: number | undefined
}

/** A part of a partition, in order. */
export interface ReadPage<P = JsonObject> {
  readonly events: readonly StreamEvent<P>[]
  /** The `after` of the next page; null at the high watermark. */
  readonly nextAfter: number | null
  readonly highWatermark: number
}

/** What became of an event in one group. */
export interface Delivery {
  readonly group: string
  readonly state: DeliveryState
  readonly attempt: number
  readonly consumerId?: string
  readonly expiresAt?: string
  readonly dueAt?: string
  readonly reason?: string
  /** Why it is a dead letter. */
  readonly cause?: string
}

/** An event that was looked up, and what became of it in each group when that was asked. */
export interface FoundEvent<P = JsonObject> {
  readonly event: StreamEvent<P>
  readonly groups?: readonly Delivery[]
}

export interface EventOptions extends CallOptions {
  /** Where to look; everywhere unless given. A chosen id may be there in several partitions. */
  readonly partition?: number | undefined
  /** Whether to tell what became of the event in each group. */
  readonly groups?: boolean | undefined
}

export const read = <P>(send: Send, stream: string, options: ReadOptions): Promise<ReadPage<P>> =>
  call(send, 'GET', ['streams', stream, 'events'], 'read', options)

export const findEvent = <P>(send: Send, stream: string, id: string, options: EventOptions): Promise<FoundEvent<P>> =>
  call(send, 'GET', ['streams', stream, 'events', id], 'read', options)
