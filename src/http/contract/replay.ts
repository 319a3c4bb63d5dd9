import * as v from 'valibot'
import { failed, failure, ok, type Result } from '../../core/failure.ts'
import type { Start } from '../../core/group.ts'
import { isObject } from '../../core/json.ts'
import { limits } from '../../core/limits.ts'
import type { ReplaySelector } from '../../core/partition/commands.ts'
import { parseTime } from '../../core/time.ts'
import { check, invalidRequest } from './check.ts'
import { scopeOf } from './fetch.ts'
import { startFields, startOf } from './group.ts'
import { selectionFields, selectionOf } from './search.ts'
import { boolean, integer, list, object, partition, sequence, text } from './values.ts'

/** A replay as a client asks for it. `partitions` is null for all; a map of sequences says its partitions itself. */
export interface ReplayRequest {
  readonly selectorOf: (partition: number) => ReplaySelector
  readonly kind: ReplaySelector['kind']
  readonly partitions: readonly number[] | null
  readonly resetAttempts: boolean
  readonly dryRun: boolean
}

const scopeFields = {
  partition: v.optional(partition),
  partitions: v.optional(list(partition, 0, limits.partitions)),
}

/** The body of a replay. */
export const replay = object({
  fromSequence: v.optional(v.unknown()),
  from: v.optional(v.unknown()),
  query: v.optional(v.unknown()),
  ...scopeFields,
  resetAttempts: v.optional(boolean, false),
  dryRun: v.optional(boolean, false),
})

/** The query in the body of a replay. */
export const replayQuery = object({ ...selectionFields, limit: v.optional(integer(1, Number.MAX_SAFE_INTEGER)) })

const invalidReplay = (field: string, detail: string) =>
  failed(failure('invalid_replay', `${field}: ${detail}`, { field }))

/** Checks the body of a replay: exactly one well-formed selector (S5.2). */
export function checkReplay(input: unknown): Result<ReplayRequest> {
  const body = check(replay, input)
  if (!body.ok) return body
  const { fromSequence, from, query, resetAttempts, dryRun } = body.value
  const [name, second] = (['fromSequence', 'from', 'query'] as const).filter((one) => body.value[one] !== undefined)
  if (name === undefined) return invalidReplay('body', 'needs one of fromSequence, from and query')
  if (second !== undefined) return invalidReplay(second, `cannot stand beside ${name}`)
  const scope = scopeOf(body.value, '')
  if (!scope.ok) return scope
  const common = { partitions: scope.value, resetAttempts, dryRun }
  if (name === 'from') {
    const timeMs = typeof from === 'string' ? parseTime(from) : null
    if (timeMs === null) return invalidReplay('from', 'must be an RFC 3339 time, such as 2026-03-15T12:00:00.000Z')
    return ok({ ...common, kind: 'at', selectorOf: () => ({ kind: 'at', timeMs }) })
  }
  if (name === 'query') return queryReplay(query, common)
  if (!isObject(fromSequence)) {
    if (!v.is(sequence, fromSequence))
      return invalidReplay('fromSequence', 'must be a sequence, or a map of them by partition')
    return ok({ ...common, kind: 'after', selectorOf: () => ({ kind: 'after', sequence: fromSequence }) })
  }
  if (scope.value !== null) return invalidReplay('fromSequence', 'a map names its partitions itself')
  return mapReplay(fromSequence, common)
}

type Common = Pick<ReplayRequest, 'partitions' | 'resetAttempts' | 'dryRun'>

function mapReplay(sequences: Record<string, unknown>, common: Common): Result<ReplayRequest> {
  const partitions: number[] = []
  for (const [partition, value] of Object.entries(sequences)) {
    const field = `fromSequence.${partition}`
    if (!/^(0|[1-9]\d{0,2})$/.test(partition)) return invalidReplay(field, 'is no partition')
    if (!v.is(sequence, value)) return invalidReplay(field, 'must be a sequence')
    partitions.push(Number(partition))
  }
  if (partitions.length === 0) return invalidReplay('fromSequence', 'names no partition')
  const selectorOf = (partition: number): ReplaySelector => ({
    kind: 'after',
    sequence: sequences[partition] as number,
  })
  return ok({ ...common, partitions, kind: 'after', selectorOf })
}

function queryReplay(query: unknown, common: Common): Result<ReplayRequest> {
  if (!isObject(query)) return invalidReplay('query', 'must be an object')
  const body = check(replayQuery, query)
  if (!body.ok) {
    const { field } = body.failure as { field: string }
    const isUnknown = !Object.hasOwn(replayQuery.pipe[1].entries, field)
    return isUnknown
      ? invalidRequest(`query.${field}`, 'is not known here')
      : invalidReplay('query', body.failure.detail)
  }
  const selection = selectionOf(body.value)
  if (!selection.ok) return selection
  const selector = { kind: 'matches', selection: selection.value, limit: body.value.limit ?? null } as const
  return ok({ ...common, kind: 'matches', selectorOf: () => selector })
}

/** The body of a reset. */
export const reset = object({ confirm: v.optional(boolean, false), ...startFields, ...scopeFields })

/** Where a group starts over, and in which partitions; null for all. */
export interface ResetRequest {
  readonly start: Start
  readonly partitions: readonly number[] | null
}

/** Checks the body of a reset, which has to be confirmed. */
export function checkReset(input: unknown): Result<ResetRequest> {
  const body = check(reset, input)
  if (!body.ok) return body
  const scope = scopeOf(body.value, '')
  if (!scope.ok) return scope
  const start = startOf(body.value)
  if (!start.ok) return start
  if (!body.value.confirm) {
    const detail = 'confirm: the group forgets its deliveries, attempts and dead letters; say confirm: true'
    return failed(failure('confirm_required', detail, { field: 'confirm' }))
  }
  return ok({ start: start.value, partitions: scope.value })
}

/** The body of a redrive. */
export const redrive = object({
  eventIds: v.optional(list(text(1, limits.idLength), 1, limits.pageItems)),
  all: v.optional(v.literal(true, 'must be true')),
})

/** Checks the body of a redrive; the ids, or null for all dead letters. */
export function checkRedrive(input: unknown): Result<readonly string[] | null> {
  const body = check(redrive, input)
  if (!body.ok) return body
  const { eventIds, all } = body.value
  if (eventIds === undefined && all === undefined) return invalidRequest('eventIds', 'is required, or all')
  if (eventIds !== undefined && all !== undefined) return invalidRequest('all', 'cannot stand beside eventIds')
  return ok(eventIds ?? null)
}
