import { call, ofGroup } from './call.ts'
import type { StreamEvent } from './event.ts'
import type { PartitionLag } from './inspect.ts'
import type { CallOptions, Send } from './request.ts'
import type { ListOptions } from './stream.ts'

/** A rejected delivery with its reason. */
export interface DeadLetter {
  readonly partition: number
  readonly sequence: number
  readonly eventId: string
  readonly reason: string | null
  readonly cause: 'rejected' | 'max_attempts' | 'lease_expired'
  readonly attempt: number
  readonly consumerId: string | null
  readonly deadLetteredAt: string
  readonly event: StreamEvent
}

/** Which dead letters are redriven. */
export type Redriven = { readonly eventIds: readonly string[] } | { readonly all: true }

/** The dead letters of groups. */
export interface DeadLetters {
  /** A page of a group's dead letters, by partition and sequence. `nextCursor` is null at the end. */
  list(
    stream: string,
    group: string,
    options?: ListOptions & { readonly partition?: number | undefined },
  ): Promise<{ readonly deadLetters: readonly DeadLetter[]; readonly nextCursor: string | null }>
  /**
   * Opens dead letters again with fresh attempts, 1 to 1 000 chosen ones or all. Ids that are none are not counted. Not
   * repeated when there was no answer; repeating it oneself is safe.
   *
   * @example await rheo.deadLetters.redrive('orders', 'billing', { all: true })
   */
  redrive(
    stream: string,
    group: string,
    which: Redriven,
    options?: CallOptions,
  ): Promise<{
    readonly redriven: number
    readonly partitions: Readonly<Record<string, PartitionLag & { readonly redriven: number }>>
  }>
}

export const deadLettersOf = (send: Send): DeadLetters => ({
  list: (stream, group, options) => call(send, 'GET', ofGroup(stream, group, 'dead-letters'), 'read', options),
  redrive: (stream, group, which, options) =>
    call(send, 'POST', ofGroup(stream, group, 'dead-letters', 'redrive'), 'refused', { ...options, ...which }),
})
