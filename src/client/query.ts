import { call } from './call.ts'
import type { Json, JsonObject, StreamEvent, Time } from './event.ts'
import type { CallOptions, Send } from './request.ts'

/** Operators on one field; all of them must hold. Numbers compare with numbers, strings with strings by code point. */
export interface Operators {
  readonly eq?: Json
  readonly ne?: Json
  readonly in?: readonly Json[]
  readonly gt?: number | string
  readonly gte?: number | string
  readonly lt?: number | string
  readonly lte?: number | string
  readonly prefix?: string
  readonly exists?: boolean
}

/**
 * Conditions by field, all of which must hold. A bare name is the event's own `type`, `key` or `partition`, one of the
 * five lineage names of metadata, or else a top-level field of the payload. Paths begin with `event.`, `payload.` or
 * `metadata.`. A plain value means equality.
 */
export type Where = Readonly<Record<string, null | boolean | number | string | readonly Json[] | Operators>>

/** Which events are meant. All bounds hold together. */
export interface Selection {
  readonly where?: Where | undefined
  /** Inclusive. */
  readonly from?: Time | undefined
  /** Inclusive. */
  readonly to?: Time | undefined
  /** Exclusive. */
  readonly afterSequence?: number | undefined
  /** Inclusive. */
  readonly untilSequence?: number | undefined
}

/** A search over all partitions of a stream. */
export interface Query extends Selection {
  /** By sequence, then partition, unless given; or by timestamp. */
  readonly order?: 'sequence' | 'timestamp' | undefined
  readonly descending?: boolean | undefined
  /** How many events at most: of a page 1 to 1 000, 100 unless given; of `streamQuery` in all, without bound unless given. */
  readonly limit?: number | undefined
}

/** A page of matches. It may be short, even empty: only a `nextCursor` of null is the end. */
export interface QueryPage<P = JsonObject> {
  readonly events: readonly StreamEvent<P>[]
  readonly nextCursor: string | null
}

export const query = <P>(
  send: Send,
  stream: string,
  options: Query & CallOptions & { readonly cursor?: string | undefined },
): Promise<QueryPage<P>> => call(send, 'POST', ['streams', stream, 'query'], 'read', options)

const PAGE_EVENTS = 1_000

/** Page by page and not as one stream of lines: a page that fails is asked for again, a broken stream could not go on. */
export async function* streamQuery<P>(
  send: Send,
  stream: string,
  { limit = Number.POSITIVE_INFINITY, ...options }: Query & CallOptions,
): AsyncGenerator<StreamEvent<P>, void, undefined> {
  let left = limit
  let cursor: string | undefined
  do {
    // A limit of 0 or below is asked, too, so that it is refused as everywhere.
    const page: QueryPage<P> = await query(send, stream, { ...options, limit: Math.min(left, PAGE_EVENTS), cursor })
    yield* page.events
    left -= page.events.length
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined && left > 0)
}
