import { expect } from 'vitest'
import type { Answer } from './client.ts'

/** A failure as the contract shapes it; the data of its code stands beside these. */
export interface Problem {
  type: string
  title: string
  status: number
  code: string
  detail: string
  [data: string]: unknown
}

/** The closed set of codes on the wire with the statuses each may have. */
const statusesByCode: Readonly<Record<string, readonly number[]>> = {
  stream_not_found: [404],
  group_not_found: [404],
  event_not_found: [404],
  not_found: [404],
  method_not_allowed: [405],
  already_exists: [409],
  invalid_name: [400],
  invalid_partition: [400],
  invalid_partition_count: [400],
  invalid_start: [400],
  invalid_replay: [400],
  invalid_query: [400],
  invalid_request: [400, 415],
  no_events_in_range: [422],
  confirm_required: [400],
  cursor_not_found: [400],
  stale_lease: [409],
  receipt_mismatch: [409],
  id_conflict: [409],
  sequence_conflict: [409],
  payload_too_large: [413],
  partition_full: [507],
  unauthenticated: [401],
  forbidden: [403],
  rate_limited: [429],
  overloaded: [503],
  backend_unavailable: [503],
  ambiguous: [504],
  failed: [500],
}

/** True when the code belongs to the closed set. */
export function isCode(code: unknown): boolean {
  return typeof code === 'string' && Object.hasOwn(statusesByCode, code)
}

/** Asserts the shape every failure has: content type, members, a code of the closed set, and its status. */
export function checkProblem(answer: Answer, where: string): void {
  expect(answer.headers.get('content-type') ?? '', where).toMatch(/^application\/problem\+json\b/)
  const problem = answer.body as Problem
  expect(problem, where).toMatchObject({
    type: expect.any(String),
    title: expect.any(String),
    status: answer.status,
    code: expect.any(String),
    detail: expect.any(String),
  })
  expect(isCode(problem.code), `${where}: a code of the closed set`).toBe(true)
  expect(statusesByCode[problem.code], `${where}: the status of ${problem.code}`).toContain(answer.status)
}

/** Asserts that the answer fails with the code (or one of them), and returns the problem. */
export function expectProblem(answer: Answer, code: string | readonly string[], because = ''): Problem {
  const codes = typeof code === 'string' ? [code] : code
  const where = `${because} ${answer.where}`
  expect(answer.status, where).toBeGreaterThanOrEqual(400)
  const problem = answer.body as Problem
  expect(codes, where).toContain(problem.code)
  return problem
}

/** The partitions a failure's `partitions` names, be it a list of numbers or a map by number. */
export function namedPartitions(value: unknown): number[] {
  expect(value).toBeTypeOf('object')
  expect(value).not.toBeNull()
  const named = Array.isArray(value) ? value : Object.keys(value as object)
  return named.map(Number).sort((a, b) => a - b)
}
