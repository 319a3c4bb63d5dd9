import type { Clock } from '../clock.ts'
import type { JsonObject, StreamEvent } from '../event.ts'
import type { Lease } from '../lease.ts'
import type { OnConsumeEvent } from './event.ts'
import type { Outcome } from './outcome.ts'

/** What consumers and lease streams have in common. */
export interface ConsumeOptions {
  readonly stream: string
  readonly group: string
  /** How many leases are held at most, those that wait included: 1 to 1 000. */
  readonly maxDemand?: number | undefined
  /** How long a lease lasts, in milliseconds; the group's unless given. Leases are renewed at half of it. */
  readonly leaseMs?: number | undefined
  /** How long an idle fetch waits at the server, in milliseconds: 0 to 20 000, which is what it is unless given. */
  readonly pollMs?: number | undefined
  /** The partitions to take from; all unless given. There is no rebalancing. */
  readonly partitions?: readonly number[] | undefined
  /** How the leases are listed; made up unless given. */
  readonly consumerId?: string | undefined
  /** Told what happens. */
  readonly onEvent?: OnConsumeEvent | undefined
  /**
   * Stops everything at once when it aborts: no more calls, and leases are left to expire. A `drain` is kinder.
   */
  readonly signal?: AbortSignal | undefined
}

/** What a handler knows beside the event. Read-only. */
export interface HandlerContext<P = JsonObject, S = undefined> {
  /** 1 on the first lease of the delivery. */
  readonly attempt: number
  readonly lease: Lease<P>
  /** Aborts when the lease is lost or the handler's time is over: the outcome does not count any more, or soon will not. */
  readonly signal: AbortSignal
  /** What `setup` gave. */
  readonly setup: S
}

export interface ConsumerOptions<P = JsonObject, S = undefined> extends ConsumeOptions {
  /**
   * Works on one event and returns `ack`, `retry(reason, { delayMs })` or `reject(reason)`. A throw is a retry with its
   * reason, and so is any other value.
   */
  readonly handler: (event: StreamEvent<P>, context: HandlerContext<P, S>) => Outcome | Promise<Outcome>
  /** How many handlers run at once; 1 unless given, which keeps each partition's order. */
  readonly concurrency?: number | undefined
  /** Runs before the first fetch; what it gives is in every handler's context. When it throws, the consumer does not start. */
  readonly setup?: (() => S | Promise<S>) | undefined
  /**
   * How long a handler may take, in milliseconds, up to 24 days; ten times the length of its lease unless given. Then its signal aborts
   * and its lease is renewed no more.
   */
  readonly handlerTimeoutMs?: number | undefined
}

const MAX_DEMAND = 1_000
const MAX_POLL_MS = 20_000

/** A whole number of a range, or a `RangeError` that names the option. */
export function bounded(name: string, value: number, min: number, max: number): number {
  if (Number.isSafeInteger(value) && value >= min && value <= max) return value
  throw new RangeError(`${name} must be an integer from ${min} to ${max}, and is ${value}`)
}

export const demandOf = (value: number): number => bounded('maxDemand', value, 1, MAX_DEMAND)

export const pollMsOf = (value = MAX_POLL_MS): number => bounded('pollMs', value, 0, MAX_POLL_MS)

export const consumerIdOf = ({ consumerId }: ConsumeOptions, clock: Clock): string =>
  consumerId ?? `consumer-${Math.floor(clock.random() * 2 ** 48).toString(36)}`

/** How many lengths of its lease a handler has, unless it is told otherwise. */
export const LEASES_PER_HANDLER = 10
