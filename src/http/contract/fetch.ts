import * as v from 'valibot'
import { failed, failure, ok, type Result } from '../../core/failure.ts'
import { limits } from '../../core/limits.ts'
import { allPartitions } from '../../core/route.ts'
import { check, invalidRequest } from './check.ts'
import { consumerId, integer, list, object, partition } from './values.ts'

/** What a consumer asks for. `partitions` is null for all. */
export interface FetchRequest {
  readonly limit: number
  readonly leaseMs: number | null
  readonly consumerId: string | null
  readonly partitions: readonly number[] | null
  readonly waitMs: number
}

const unwaiting = {
  limit: v.optional(integer(1, limits.fetchEvents), 10),
  leaseMs: v.optional(integer(limits.leaseMsMin, limits.leaseMs)),
  consumerId: v.optional(consumerId),
  partition: v.optional(partition),
  partitions: v.optional(list(partition, 0, limits.partitions)),
}

/** The body of a fetch that goes with a settle: it does not wait. */
export const unwaitingFetch = object(unwaiting)

/** The body of a fetch. */
export const fetchBody = object({ ...unwaiting, waitMs: v.optional(integer(0, limits.waitMs), 0) })

/** Checks the body of a fetch. */
export function checkFetch(input: unknown): Result<FetchRequest> {
  const body = check(fetchBody, input)
  return body.ok ? fetchOf(body.value, body.value.waitMs, '') : body
}

/** A fetch from its checked body; `path` leads the fields that a failure names. */
export function fetchOf(
  body: v.InferOutput<typeof unwaitingFetch>,
  waitMs: number,
  path: string,
): Result<FetchRequest> {
  const scope = scopeOf(body, path)
  if (!scope.ok) return scope
  const { limit, leaseMs = null, consumerId = null } = body
  return ok({ limit, leaseMs, consumerId, partitions: scope.value, waitMs })
}

interface ScopeFields {
  partition?: number | undefined
  partitions?: readonly number[] | undefined
}

/** The partitions a body names by `partition` or `partitions`; null for all. */
export function scopeOf({ partition, partitions }: ScopeFields, path: string): Result<readonly number[] | null> {
  if (partitions === undefined) return ok(partition === undefined ? null : [partition])
  if (partition !== undefined) return invalidRequest(`${path}partitions`, 'cannot stand beside partition')
  if (partitions.length > 0) return ok(partitions)
  return failed(failure('invalid_partition', `${path}partitions: names no partition`, {}))
}

/** The partitions of a stream that a scope names, each once; null for all of them. */
export function partitionsOf(scope: readonly number[] | null, partitionCount: number, path = ''): Result<number[]> {
  if (scope === null) return ok(allPartitions(partitionCount))
  const outside = scope.find((partition) => partition < 0 || partition >= partitionCount)
  if (outside === undefined) return ok([...new Set(scope)])
  const detail = `${path}partition ${outside}: the stream has partitions 0 to ${partitionCount - 1}`
  return failed(failure('invalid_partition', detail, { partition: outside, partitionCount }))
}
