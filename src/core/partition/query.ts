import { compareKeys, type Key, type Order, type Selection } from '../query/query.ts'
import type { Range } from '../runs.ts'
import type { QueryPage, QueryRequest } from './commands.ts'
import type { Context } from './context.ts'
import { eventTextOf, highWatermarkOf, linesOf } from './lines.ts'
import { Scan, type Stretch } from './scan.ts'

/**
 * One partition's part of a page (S6.4, S6.5): its next matches behind `position`, at most `limit` of them. Bounded by
 * what it looks at: `next` says how far it has come, null that there is nothing more.
 */
export function query(context: Context, request: QueryRequest): QueryPage {
  const highWatermark = request.highWatermark ?? highWatermarkOf(context.store)
  const range = rangeOf(request.selection, highWatermark)
  const page =
    request.order.by === 'sequence' ? bySequence(context, request, range) : byTimestamp(context, request, range)
  return { ...page, highWatermark }
}

/** The sequences that a selection allows. */
export const rangeOf = ({ after, until }: Selection, highWatermark: number): Range => ({
  first: after + 1,
  last: Math.min(highWatermark, until ?? highWatermark),
})

type Page = Omit<QueryPage, 'highWatermark'>

function bySequence(context: Context, request: QueryRequest, { first, last }: Range): Page {
  const { selection, order, position, limit, maxBytes, maxLooked } = request
  const { descending } = order
  const range =
    position === null
      ? { first, last }
      : descending
        ? { first, last: Math.min(last, position.sequence - 1) }
        : { first: Math.max(first, position.sequence + 1), last }
  const scan = new Scan(context, selection)
  const matches: QueryPage['matches'][number][] = []
  let bytes = 0
  for (const stretch of scan.stretches(range, descending)) {
    // What lies before a stretch has been skipped by its segment's filter, which counts as looked at.
    if (scan.looked > maxLooked) return { matches, next: justBefore(stretch, descending) }
    for (const found of scan.within(stretch, descending)) {
      if (!('line' in found)) {
        if (scan.looked > maxLooked) return { matches, next: { timestampMs: 0, sequence: found.sequence } }
        continue
      }
      bytes += found.line.bytes
      if (bytes > maxBytes && matches.length > 0) return { matches, next: matches.at(-1)!.key }
      const key = { timestampMs: found.timestampMs, sequence: found.line.sequence }
      matches.push({ key, event: bytes > maxBytes ? null : eventTextOf(context, found.line) })
      if (matches.length === limit || bytes >= maxBytes) return { matches, next: key }
    }
  }
  return { matches, next: null }
}

const justBefore = ({ first, last }: Range, descending: boolean): Key => ({
  timestampMs: 0,
  sequence: descending ? last + 1 : first - 1,
})

/**
 * The order by timestamp is not that of the log: the stretches are gone through by their earliest (descending: latest)
 * time, keeping the best matches, until no further stretch can hold a better one.
 */
function byTimestamp(context: Context, request: QueryRequest, range: Range): Page {
  const { selection, order, position, limit, maxBytes, maxLooked } = request
  const scan = new Scan(context, selection)
  const edge = (stretch: Stretch): number => (order.descending ? -stretch.maxTimeMs : stretch.minTimeMs)
  const stretches = [...scan.stretches(range, false)]
    .filter((stretch) => position === null || !endsBefore(stretch, order, position))
    .sort((a, b) => edge(a) - edge(b))
  let best: Key[] = []
  let isWhole = true
  for (const stretch of stretches) {
    const boundary: Key = {
      timestampMs: order.descending ? stretch.maxTimeMs : stretch.minTimeMs,
      sequence: order.descending ? Number.MAX_SAFE_INTEGER : 0,
    }
    if (best.length === limit && compareKeys(order, best.at(-1)!, boundary) < 0) {
      isWhole = false
      break
    }
    if (scan.looked > maxLooked) {
      const certain = best.filter((candidate) => compareKeys(order, candidate, boundary) < 0)
      if (certain.length > 0) {
        best = certain
        isWhole = false
        break
      }
      // All before the boundary has been looked at. A page must come further than the one before; where it cannot, as
      // the times of the log overlap too much, looking goes on.
      if (position === null || compareKeys(order, boundary, position) > 0) return { matches: [], next: boundary }
    }
    for (const found of scan.within(stretch, false)) {
      if (!('line' in found)) continue
      const candidate = { timestampMs: found.timestampMs, sequence: found.line.sequence }
      if (position === null || compareKeys(order, candidate, position) > 0) best.push(candidate)
      // Sorting now and then keeps memory in bounds at little cost.
      if (best.length > 4 * limit) {
        best = top(best, order, limit)
        isWhole = false
      }
    }
    if (best.length > limit) isWhole = false
    best = top(best, order, limit)
  }
  const matches: QueryPage['matches'][number][] = []
  let bytes = 0
  // Only places are kept while looking: a thousand events of the greatest size would not fit into memory.
  const lines = linesOf(
    context,
    best.map(({ sequence }) => ({ first: sequence, last: sequence })),
  )
  for (const line of lines) {
    bytes += line.bytes
    if (bytes > maxBytes && matches.length > 0) return { matches, next: matches.at(-1)!.key }
    matches.push({ key: best[matches.length]!, event: bytes > maxBytes ? null : eventTextOf(context, line) })
  }
  return { matches, next: isWhole ? null : matches.at(-1)!.key }
}

const top = (candidates: readonly Key[], order: Order, limit: number): Key[] =>
  candidates.toSorted((a, b) => compareKeys(order, a, b)).slice(0, limit)

/** Whether all that a stretch can hold comes before a position or at it. */
function endsBefore(stretch: Stretch, order: Order, position: Key): boolean {
  return order.descending ? stretch.minTimeMs > position.timestampMs : stretch.maxTimeMs < position.timestampMs
}
