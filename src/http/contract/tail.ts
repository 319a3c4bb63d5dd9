import * as v from 'valibot'
import { failed, failure, ok, type Result } from '../../core/failure.ts'
import { limits } from '../../core/limits.ts'
import { type Condition, parseConditions } from '../../core/query/condition.ts'
import { check, invalidRequest } from './check.ts'
import { checkQuery } from './query.ts'
import { object, parameter, partition, sequence } from './values.ts'

const query = object({
  partition: v.optional(parameter(partition)),
  after: v.optional(v.string()),
  where: v.optional(v.string()),
})

/** Where a tail begins: at the end of the log, behind a sequence, or at a position that a tail has given. */
export type TailStart =
  | { readonly kind: 'now' }
  | { readonly kind: 'after'; readonly sequence: number }
  | { readonly kind: 'position'; readonly text: string; readonly field: string }

/** A tail as a client asks for it; `partition` is null for all. */
export interface TailRequest {
  readonly partition: number | null
  readonly start: TailStart
  readonly conditions: readonly Condition[]
}

/** Checks the parameters of a tail. A client that comes again says where it was by a header, over what the URL says. */
export function checkTail(request: Request): Result<TailRequest> {
  const parameters = checkQuery(query, request.url)
  if (!parameters.ok) return parameters
  const { partition = null, after, where } = parameters.value
  const start = startOf(after, request.headers.get('Last-Event-ID'))
  if (!start.ok) return start
  const conditions = conditionsOf(where)
  return conditions.ok ? ok({ partition, start: start.value, conditions: conditions.value }) : conditions
}

function startOf(after: string | undefined, lastEventId: string | null): Result<TailStart> {
  const isNumber = after !== undefined && /^-?\d+$/.test(after)
  const numbered = check(object({ after: v.optional(parameter(sequence)) }), isNumber ? { after } : {})
  if (!numbered.ok) return numbered
  if (lastEventId) return ok({ kind: 'position', text: lastEventId, field: 'Last-Event-ID' })
  if (after === undefined) return ok({ kind: 'now' })
  if (isNumber) return ok({ kind: 'after', sequence: numbered.value.after! })
  return ok({ kind: 'position', text: after, field: 'after' })
}

function conditionsOf(where: string | undefined): Result<readonly Condition[]> {
  if (where === undefined) return ok([])
  if (where.length > limits.whereLength) {
    return invalidRequest('where', `is longer than ${limits.whereLength} characters`)
  }
  let input: unknown
  try {
    input = JSON.parse(where)
  } catch {
    return failed(failure('invalid_query', 'where: must be JSON', { field: 'where' }))
  }
  return parseConditions(input)
}
