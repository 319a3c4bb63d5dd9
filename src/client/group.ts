import { call, ofGroup } from './call.ts'
import type { Time } from './event.ts'
import type { Inspecting } from './inspect.ts'
import { inspectingOf } from './inspect.ts'
import type { Replaying } from './replay.ts'
import { replayingOf } from './replay.ts'
import type { CallOptions, Send } from './request.ts'
import type { ConfirmOptions, ListOptions } from './stream.ts'

/** Pauses before retries: `min(maxMs, baseMs * factor^(attempt-1))`. */
export interface Backoff {
  /** 1 to 3 600 000. */
  readonly baseMs: number
  /** 1 to 10; 2 unless given. */
  readonly factor?: number | undefined
  /** 1 to 43 200 000, which is what it is unless given. */
  readonly maxMs?: number | undefined
}

/** Options of a group that can be changed. */
export interface GroupOptions {
  /** After so many leases that ended badly a delivery becomes a dead letter: 1 to 1 000, 5 unless given. */
  readonly maxAttempts?: number | undefined
  /** How long a lease lasts: 10 to 43 200 000 milliseconds, 30 000 unless given. */
  readonly leaseMs?: number | undefined
  /** How many deliveries of each partition may be leased at once: 1 to 100 000, unlimited unless given. */
  readonly maxInFlight?: number | undefined
  /** Retries come at once unless given. */
  readonly backoff?: Backoff | undefined
  /** A paused group gives no leases; settling goes on. */
  readonly paused?: boolean | undefined
}

/** Where a group begins; one of the three, `earliest` without any. What lies before is skipped. */
export interface Start {
  readonly start?: 'earliest' | 'latest' | undefined
  /** A sequence for all partitions, or sequences by partition; partitions that are missing start at 0. */
  readonly startAfter?: number | Readonly<Record<number, number>> | undefined
  /** In each partition the first event whose timestamp is at or after this. */
  readonly startAt?: Time | undefined
}

/** A consumer group: named, independent progress over a stream. */
export interface Group {
  readonly name: string
  readonly stream: string
  readonly createdAt: string
  readonly maxAttempts: number
  readonly leaseMs: number
  /** The last skipped sequence by partition; 0 where nothing is. */
  readonly start: Readonly<Record<string, number>>
  readonly maxInFlight: number | null
  readonly backoff: { readonly baseMs: number; readonly factor: number; readonly maxMs: number } | null
  readonly paused: boolean
}

type Patch = { readonly [K in keyof GroupOptions]: GroupOptions[K] | null }

/** Consumer groups, as an operator handles them. */
export interface Groups extends Inspecting, Replaying {
  /**
   * Creates a group. Everything before its start counts as done, so its lag is right from the first moment.
   *
   * Not repeated when there was no answer. After an `AmbiguousError` the server finishes what it has begun; asking again
   * with the same options succeeds, or is an `AlreadyExistsError` once it is done.
   *
   * @example await rheo.groups.create('orders', 'billing', { maxAttempts: 3, start: 'latest' })
   * @throws StreamNotFoundError, AlreadyExistsError, InvalidStartError
   */
  create(stream: string, name: string, options?: GroupOptions & Start & CallOptions): Promise<Group>
  /** A page of a stream's groups, by name. `nextCursor` is null at the end. */
  list(
    stream: string,
    options?: ListOptions,
  ): Promise<{ readonly groups: readonly Group[]; readonly nextCursor: string | null }>
  /** Replaces the options that are given; `null` restores a default. */
  update(stream: string, group: string, options: Patch & CallOptions): Promise<Group>
  /** Deletes a group with its progress and dead letters. Events stay. */
  delete(stream: string, group: string, options: ConfirmOptions): Promise<void>
}

export const groupsOf = (send: Send): Groups => ({
  ...inspectingOf(send),
  ...replayingOf(send),
  create: (stream, name, options) => call(send, 'POST', ['streams', stream, 'groups'], 'refused', { ...options, name }),
  list: (stream, options) => call(send, 'GET', ['streams', stream, 'groups'], 'read', options),
  update: (stream, group, options) => call(send, 'PATCH', ofGroup(stream, group), 'repeatable', options),
  delete: (stream, group, options) => call(send, 'DELETE', ofGroup(stream, group), 'refused', options),
})
