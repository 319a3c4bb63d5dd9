import * as v from 'valibot'
import { ok, type Result } from '../../core/failure.ts'
import { limits } from '../../core/limits.ts'
import { parseConditions } from '../../core/query/condition.ts'
import type { Order, Selection } from '../../core/query/query.ts'
import { check } from './check.ts'
import { boolean, integer, object, sequence, time } from './values.ts'

/** The parts of a body that select events. */
export const selectionFields = {
  where: v.optional(v.unknown()),
  from: v.optional(time),
  to: v.optional(time),
  afterSequence: v.optional(sequence),
  untilSequence: v.optional(sequence),
}

/** The body of a search. */
export const search = object({
  ...selectionFields,
  order: v.optional(v.picklist(['sequence', 'timestamp'], 'must be sequence or timestamp'), 'sequence'),
  descending: v.optional(boolean, false),
  limit: v.optional(integer(1, Number.MAX_SAFE_INTEGER)),
  cursor: v.optional(v.string('must be a string')),
})

/** A search as a client asks for it. */
export interface SearchRequest {
  readonly selection: Selection
  readonly order: Order
  /** Null when the client names none. */
  readonly limit: number | null
  readonly cursor: string | null
}

interface SelectionFields {
  where?: unknown
  from?: number | undefined
  to?: number | undefined
  afterSequence?: number | undefined
  untilSequence?: number | undefined
}

/** What a checked body selects. */
export function selectionOf(fields: SelectionFields): Result<Selection> {
  const conditions = parseConditions(fields.where === undefined ? {} : fields.where)
  if (!conditions.ok) return conditions
  const { from = null, to = null, afterSequence = 0, untilSequence = null } = fields
  return ok({ conditions: conditions.value, fromMs: from, toMs: to, after: afterSequence, until: untilSequence })
}

/** Checks the body of a search. A page is limited, a stream of lines need not be. */
export function checkSearch(input: unknown, isStreamed: boolean): Result<SearchRequest> {
  const body = check(search, input)
  if (!body.ok) return body
  const selection = selectionOf(body.value)
  if (!selection.ok) return selection
  const { order, descending, limit = null, cursor = null } = body.value
  if (!isStreamed && limit !== null) {
    const bounded = check(object({ limit: integer(1, limits.pageItems) }), { limit })
    if (!bounded.ok) return bounded
  }
  return ok({ selection: selection.value, order: { by: order, descending }, limit, cursor })
}
