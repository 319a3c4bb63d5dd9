import type { Code } from '../core/failure.ts'
import type { MediaType } from '../http/body.ts'
import type { Schema, Words } from './schema.ts'

/** The chapters of the reference, in their order. */
export const tags = {
  System: 'The service itself.',
  Streams: 'Named, partitioned, append-only logs. Consumption never deletes from them.',
  Events: 'Append, read and find immutable records.',
  Groups: 'Independent progress over a stream: an ack in one group never touches another.',
  Delivery: 'Lease events, and settle each lease before it ends by itself.',
  Progress: 'How far a group has come, and what holds it back.',
  Leases: 'Who holds what until when, as an operator sees it.',
  'Dead letters': 'Deliveries that were given up, with their reason.',
  Replay: 'Give a group its history again, all of it or the part that matters.',
} as const

/** A call that can be made as it stands. */
export interface Example {
  readonly title: string
  readonly status: number
  readonly query?: Readonly<Record<string, string | number>>
  readonly headers?: Readonly<Record<string, string>>
  /** The media type of the body; `application/json` unless told. */
  readonly type?: MediaType
  /** A body that is JSON. */
  readonly body?: unknown
  /** A body that is text. */
  readonly text?: string
  /** What is answered, more or less, where that is JSON. */
  readonly answer?: unknown
  /** Whether the answer has no end, so that the call has to have one. */
  readonly isEndless?: true
}

/** What a status is answered with; without content it has no body. */
export interface Answered {
  readonly description: string
  readonly content?: Readonly<Record<string, Schema>>
}

/** What is said of an operation; method, path, scope and checks are the route's own. */
export interface Described {
  readonly id: string
  readonly tag: keyof typeof tags
  readonly summary: string
  /** CommonMark. */
  readonly description: string
  /** Words to each query parameter; with its schema where the route checks by hand. */
  readonly query?: Words
  /** Headers of requests that it reads, beside those that all do. */
  readonly headers?: readonly string[]
  readonly body?: Partial<Readonly<Record<MediaType, Schema>>>
  readonly answers: Readonly<Record<number, Answered>>
  /** Codes of its own, beside those that any call may get. */
  readonly codes: readonly Code[]
  readonly examples: readonly [Example, ...Example[]]
  /** The same call by the SDK; null where it has none. */
  readonly sdk: string | null
}

/** Operations by method and path, as the routes have them. */
export type Operations = Readonly<Record<string, Described>>

/** A JSON body, or answer. */
export const json = (schema: Schema) => ({ 'application/json': schema })

/** The answer to what leaves nothing to say. */
export const nothing = (description: string): Answered => ({ description })

/** What lists by pages take. */
export const paging = {
  limit: 'How many at most.',
  after: 'Where to go on: the `nextCursor` of the page before.',
} as const
export const NEXT_CURSOR = 'Where to go on; null at the end.'

/** A lease and a claim, as examples have them. */
export const LEASE = '0.1.zGjnJrOQfSZHwnWrXgYkaQ'
export const RECEIPT = '0.1.1.1.zGjnJrOQfSZHwnWrXgYkaQ'

const NOW = '2026-03-15T12:00:00.000Z'
export const LATER = '2026-03-15T12:00:30.000Z'

/** What examples show of the story that they tell. */
export const shown = {
  now: NOW,
  stream: { name: 'orders', partitionCount: 2, createdAt: NOW },
  event: {
    id: 'payment-1',
    stream: 'orders',
    partition: 0,
    sequence: 1,
    timestamp: NOW,
    type: 'paid',
    key: 'customer-7',
    payload: { order: 'A-1', total: 12.5, currency: 'EUR' },
    metadata: { correlation_id: 'A-1', producer: 'payments' },
  },
  group: {
    name: 'billing',
    stream: 'orders',
    createdAt: NOW,
    maxAttempts: 3,
    leaseMs: 30_000,
    start: { '0': 0, '1': 0 },
    maxInFlight: null,
    backoff: { baseMs: 1_000, factor: 2, maxMs: 43_200_000 },
    paused: false,
  },
  lag: { frontier: 0, highWatermark: 4, lag: 4 },
} as const

/** A lease of that event. */
export const shownLease = {
  leaseId: LEASE,
  receipt: RECEIPT,
  stream: 'orders',
  group: 'billing',
  partition: 0,
  sequence: 1,
  eventId: 'payment-1',
  attempt: 1,
  consumerId: 'worker-1',
  leasedAt: NOW,
  expiresAt: LATER,
  event: shown.event,
}
