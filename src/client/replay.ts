import { call, ofGroup } from './call.ts'
import type { Time } from './event.ts'
import type { Start } from './group.ts'
import type { PartitionLag } from './inspect.ts'
import type { Selection } from './query.ts'
import type { CallOptions, Send } from './request.ts'

/** Some partitions of a stream: one, several, or all when neither is given. */
export interface Scope {
  readonly partition?: number | undefined
  readonly partitions?: readonly number[] | undefined
}

/** Which deliveries are opened again: exactly one of the three. */
export interface ReplaySelector {
  /** Everything above a sequence, in all partitions of the scope, or by partition. */
  readonly fromSequence?: number | Readonly<Record<number, number>> | undefined
  /** By partition everything from just before the first event at or after this time. */
  readonly from?: Time | undefined
  /** Exactly the matches; all of them, or the first `limit`. */
  readonly query?: (Selection & { readonly limit?: number | undefined }) | undefined
}

export interface ReplayOptions extends ReplaySelector, Scope, CallOptions {
  /** Attempts are kept unless this is true, so that the next failure may make a dead letter. */
  readonly resetAttempts?: boolean | undefined
  /** Answers what would be, and changes nothing. */
  readonly dryRun?: boolean | undefined
}

export interface ResetOptions extends Start, Scope, CallOptions {
  /** Attempts, leases and dead letters in the scope are forgotten; that has to be confirmed. */
  readonly confirm: true
}

/** How far each partition of the scope is after the call, and how many deliveries were opened again there. */
export interface Replayed {
  readonly reopened: number
  readonly partitions: Readonly<Record<string, PartitionLag & { readonly reopened: number }>>
}

/**
 * What gives a group events again. The log and other groups never change. None is repeated when there was no answer,
 * because events may have been handled again in between; repeating it oneself is safe. What ends half-way is an
 * `AmbiguousError` whose `data.done` says what is done.
 */
export interface Replaying {
  /**
   * Opens deliveries again that were offered before; those that never were come anyway.
   *
   * @example await rheo.groups.replay('orders', 'billing', { query: { where: { type: 'refunded' } } })
   * @throws InvalidReplayError, NoEventsInRangeError
   */
  replay(stream: string, group: string, options: ReplayOptions): Promise<Replayed>
  /**
   * Starts the group over.
   *
   * @example await rheo.groups.reset('orders', 'billing', { confirm: true, start: 'latest' })
   * @throws InvalidStartError
   */
  reset(
    stream: string,
    group: string,
    options: ResetOptions,
  ): Promise<{ readonly partitions: Readonly<Record<string, PartitionLag>> }>
}

export const replayingOf = (send: Send): Replaying => ({
  replay: (stream, group, options) =>
    call(send, 'POST', ofGroup(stream, group, 'replay'), options.dryRun ? 'read' : 'refused', options),
  reset: (stream, group, options) => call(send, 'POST', ofGroup(stream, group, 'reset'), 'refused', options),
})
