import * as v from 'valibot'
import type { GroupRecord } from '../../core/catalog/commands.ts'
import { ok, type Result } from '../../core/failure.ts'
import { type Backoff, defaultGroupOptions, type GroupOptions, type Start } from '../../core/group.ts'
import { isObject } from '../../core/json.ts'
import { limits } from '../../core/limits.ts'
import { formatTime } from '../../core/time.ts'
import { check, invalidRequest } from './check.ts'
import { checkNameIn } from './name.ts'
import { boolean, decimal, integer, object, sequence, text, time } from './values.ts'

const maxAttempts = integer(1, limits.maxAttempts)
const leaseMs = integer(limits.leaseMsMin, limits.leaseMs)
const maxInFlight = integer(1, limits.maxInFlight)
/** How the delay of a nack grows. */
export const backoff = object({
  baseMs: integer(1, limits.backoffBaseMs),
  factor: v.optional(decimal(1, limits.backoffFactor), 2),
  maxMs: v.optional(integer(1, limits.backoffMaxMs), limits.backoffMaxMs),
})

/** Where a group begins, in three ways of which one may be used. */
export const startFields = {
  start: v.optional(v.picklist(['earliest', 'latest'], 'must be earliest or latest')),
  startAfter: v.optional(v.unknown()),
  startAt: v.optional(time),
}

/** The body that creates a group. */
export const newGroup = object({
  name: text(1, limits.nameLength),
  maxAttempts: v.optional(maxAttempts, defaultGroupOptions.maxAttempts),
  leaseMs: v.optional(leaseMs, defaultGroupOptions.leaseMs),
  maxInFlight: v.optional(maxInFlight),
  backoff: v.optional(backoff),
  paused: v.optional(boolean, defaultGroupOptions.paused),
  ...startFields,
})

/** The body that patches a group. */
export const groupPatch = object({
  maxAttempts: v.optional(v.nullable(maxAttempts)),
  leaseMs: v.optional(v.nullable(leaseMs)),
  maxInFlight: v.optional(v.nullable(maxInFlight)),
  backoff: v.optional(v.nullable(backoff)),
  paused: v.optional(v.nullable(boolean)),
})

/** A group to be created. */
export interface NewGroup {
  readonly name: string
  readonly options: GroupOptions
  readonly start: Start
}

/** Checks the body that creates a group. */
export function checkNewGroup(input: unknown): Result<NewGroup> {
  const named = checkNameIn(input)
  if (!named.ok) return named
  const body = check(newGroup, input)
  if (!body.ok) return body
  const start = startOf(body.value)
  if (!start.ok) return start
  const { name, maxAttempts, leaseMs, maxInFlight = null, backoff = null, paused } = body.value
  return ok({ name, options: { maxAttempts, leaseMs, maxInFlight, backoff, paused }, start: start.value })
}

interface StartFields {
  start?: 'earliest' | 'latest' | undefined
  startAfter?: unknown
  startAt?: number | undefined
}

/** The one start of a body; `earliest` when it names none. */
export function startOf(fields: StartFields): Result<Start> {
  const [, second] = (['start', 'startAfter', 'startAt'] as const).filter((name) => fields[name] !== undefined)
  if (second !== undefined) return invalidRequest(second, 'is a second start')
  if (fields.startAt !== undefined) return ok({ kind: 'at', timeMs: fields.startAt })
  if (fields.startAfter === undefined) return ok({ kind: fields.start ?? 'earliest' })
  return startAfterOf(fields.startAfter)
}

/** Read by hand: a record type of Valibot's drops a member named `__proto__` instead of refusing it. */
function startAfterOf(input: unknown): Result<Start> {
  if (!isObject(input)) {
    if (!v.is(sequence, input)) return invalidRequest('startAfter', 'must be a sequence, or a map of them by partition')
    return ok({ kind: 'after', sequence: input })
  }
  for (const [partition, value] of Object.entries(input)) {
    const field = `startAfter.${partition}`
    if (!/^(0|[1-9]\d{0,2})$/.test(partition)) return invalidRequest(field, 'is no partition')
    if (!v.is(sequence, value)) return invalidRequest(field, 'must be a sequence')
  }
  return ok({ kind: 'afterEach', sequences: input as Record<string, number> })
}

/** Checks the body that patches a group; `null` restores a default. */
export function checkGroupPatch(input: unknown): Result<Partial<GroupOptions>> {
  const body = check(groupPatch, input)
  if (!body.ok) return body
  const patch: Record<string, number | boolean | Backoff | null> = {}
  for (const name of Object.keys(defaultGroupOptions) as (keyof GroupOptions)[]) {
    const value = body.value[name]
    if (value !== undefined) patch[name] = value ?? defaultGroupOptions[name]
  }
  return ok(patch)
}

/** A group on the wire. */
export const groupBody = (group: GroupRecord) => ({
  name: group.name,
  stream: group.stream,
  createdAt: formatTime(group.createdAtMs),
  maxAttempts: group.options.maxAttempts,
  leaseMs: group.options.leaseMs,
  start: { ...group.starts },
  maxInFlight: group.options.maxInFlight,
  backoff: group.options.backoff,
  paused: group.options.paused,
})
