import type { StreamRecord } from '../core/catalog/commands.ts'
import { failed, failure, ok, type Result } from '../core/failure.ts'
import { limits } from '../core/limits.ts'
import { type Answer, done, type QueryPage, refused } from '../core/partition/commands.ts'
import { compareKeys, type Key, type Order } from '../core/query/query.ts'
import { allPartitions } from '../core/route.ts'
import { addressOf, ask } from './ask.ts'
import { fromBase64Url, toBase64Url } from './base64url.ts'
import type { Call, Names } from './call.ts'
import type { SearchRequest } from './contract/search.ts'
import { onStream } from './directory.ts'
import { allOf } from './gather.ts'

/** How much of its log a partition looks at for one page: some tens of milliseconds. */
export const LOOKED_CHARACTERS = 8_000_000
const MIN_SHARE_BYTES = 65_536

/** Where an event stands among those of all partitions. */
interface Place extends Key {
  readonly partition: number
}

/** How far a listing has come; every page of it sees each partition up to the same event (S6.5). */
interface Cursor {
  readonly highWatermarks: readonly number[]
  readonly place: Place
}

/** A match at its place; `event` is null when it was too large to come along. */
interface Found {
  readonly place: Place
  readonly event: string | null
}

/** A page of matches as JSON texts, in order, and the cursor of the next one; null at the end. */
export interface SearchPage {
  readonly events: readonly string[]
  readonly nextCursor: string | null
}

/** Finds the page of a search that its cursor names, of at most `limit` events. */
export const search = (call: Call, names: Names, request: SearchRequest, limit: number): Promise<Result<SearchPage>> =>
  onStream(call, names, async (stream): Promise<Answer<SearchPage>> => {
    const cursor = await readCursor(stream, request)
    if (!cursor.ok) return refused(cursor.failure)
    const { selection, order } = request
    const partitions = allPartitions(stream.partitionCount)
    const maxBytes = Math.max(MIN_SHARE_BYTES, Math.floor(limits.answerBytes / partitions.length))
    const pages = allOf(
      await Promise.all(
        partitions.map((partition) =>
          ask(call, addressOf(call, stream, partition), {
            type: 'query',
            query: {
              selection,
              order,
              position: cursor.value === null ? null : positionIn(partition, order, cursor.value.place),
              highWatermark: cursor.value?.highWatermarks[partition] ?? null,
              limit,
              maxBytes,
              maxLooked: LOOKED_CHARACTERS,
            },
          }),
        ),
      ),
    )
    if (pages.status !== 'done') return pages
    const { found, place } = merge(pages.value, order, limit)
    const events = allOf(await Promise.all(found.map((one) => textOf(call, stream, one))))
    if (events.status !== 'done') return events
    const highWatermarks = pages.value.map((page) => page.highWatermark)
    const nextCursor = place === null ? null : await writeCursor(stream, request, { highWatermarks, place })
    return done({ events: events.value, nextCursor })
  })

/** By sequence, then partition; or by timestamp, then partition and sequence (S6.4). */
function comparePlaces(order: Order, a: Place, b: Place): number {
  const sign = order.descending ? -1 : 1
  const byTime = order.by === 'timestamp' ? a.timestampMs - b.timestampMs : a.sequence - b.sequence
  return sign * (byTime !== 0 ? byTime : a.partition - b.partition) || compareKeys(order, a, b)
}

/**
 * Merges the parts of a page. Beyond the place to which a partition has come that still has more, its events are not
 * known yet: the page ends there.
 */
function merge(pages: readonly QueryPage[], order: Order, limit: number): { found: Found[]; place: Place | null } {
  const horizons = pages.flatMap(({ next }, partition) => (next === null ? [] : [{ ...next, partition }]))
  const horizon = horizons.reduce<Place | null>(
    (nearest, place) => (nearest === null || comparePlaces(order, place, nearest) < 0 ? place : nearest),
    null,
  )
  const found = pages
    .flatMap(({ matches }, partition) => matches.map(({ key, event }) => ({ place: { ...key, partition }, event })))
    .filter(({ place }) => horizon === null || comparePlaces(order, place, horizon) <= 0)
    .sort((a, b) => comparePlaces(order, a.place, b.place))
  let bytes = 0
  const page = found.slice(0, limit).filter(({ event }, index) => {
    const length = event?.length ?? limits.eventBytes
    const fits = index === 0 || bytes + length <= limits.answerBytes
    bytes = fits ? bytes + length : Number.POSITIVE_INFINITY
    return fits
  })
  return { found: page, place: page.length < found.length ? page.at(-1)!.place : horizon }
}

/**
 * The text of a match. One that is larger than its partition's share is read by itself: all partitions together would
 * otherwise bring 256 MiB into the memory that the isolate's other requests live in.
 */
async function textOf(call: Call, stream: StreamRecord, { place, event }: Found): Promise<Answer<string>> {
  if (event !== null) return done(event)
  const command = { type: 'read', after: place.sequence - 1, limit: 1, maxBytes: limits.eventBytes } as const
  const answer = await ask(call, addressOf(call, stream, place.partition), command)
  return answer.status === 'done' ? done(answer.value.events) : answer
}

/** Where a partition goes on behind a place that may lie in another partition. */
function positionIn(partition: number, order: Order, { timestampMs, sequence, partition: at }: Place): Key {
  if (partition === at) return { timestampMs, sequence }
  // Whether an event of this partition that is level with the place comes before it, and so has been shown.
  const isShown = order.descending ? partition > at : partition < at
  if (order.by === 'timestamp') {
    const everything = order.descending ? 0 : Number.MAX_SAFE_INTEGER
    const nothing = order.descending ? Number.MAX_SAFE_INTEGER : 0
    return { timestampMs, sequence: isShown ? everything : nothing }
  }
  return { timestampMs, sequence: isShown ? sequence : order.descending ? sequence + 1 : sequence - 1 }
}

const cursorNotFound = failed(
  failure('cursor_not_found', 'cursor: is no cursor that this query gave', { field: 'cursor' }),
)

/** A cursor is its content and a digest over that, the query and the stream: no other query takes it. */
async function writeCursor(stream: StreamRecord, request: SearchRequest, cursor: Cursor): Promise<string> {
  const { timestampMs, partition, sequence } = cursor.place
  const content = JSON.stringify([...cursor.highWatermarks, timestampMs, partition, sequence])
  return toBase64Url(new TextEncoder().encode(`${await digestOf(stream, request, content)}${content}`))
}

const DIGEST_CHARACTERS = 22

async function readCursor(stream: StreamRecord, request: SearchRequest): Promise<Result<Cursor | null>> {
  if (request.cursor === null) return ok(null)
  const text = fromBase64Url(request.cursor)
  if (text === null) return cursorNotFound
  const content = text.slice(DIGEST_CHARACTERS)
  const isOurs = text === `${await digestOf(stream, request, content)}${content}`
  if (!isOurs || toBase64Url(new TextEncoder().encode(text)) !== request.cursor) return cursorNotFound
  const numbers = JSON.parse(content) as number[]
  const [timestampMs, partition, sequence] = numbers.slice(stream.partitionCount) as [number, number, number]
  return ok({ highWatermarks: numbers.slice(0, stream.partitionCount), place: { timestampMs, partition, sequence } })
}

async function digestOf({ uid }: StreamRecord, { selection, order }: SearchRequest, content: string): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify([uid, selection, order, content]))
  return toBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))).slice(0, DIGEST_CHARACTERS)
}
