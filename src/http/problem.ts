import type { Code, Failure } from '../core/failure.ts'

/** Every code with its HTTP status and title. Total: a new code does not compile without an entry. */
export const problems: Readonly<Record<Code, readonly [status: number, title: string]>> = {
  stream_not_found: [404, 'Stream not found'],
  group_not_found: [404, 'Consumer group not found'],
  event_not_found: [404, 'Event not found'],
  not_found: [404, 'Not found'],
  method_not_allowed: [405, 'Method not allowed'],
  already_exists: [409, 'Already exists'],
  invalid_name: [400, 'Invalid name'],
  invalid_partition: [400, 'Invalid partition'],
  invalid_partition_count: [400, 'Invalid partition count'],
  invalid_start: [400, 'Invalid start'],
  invalid_replay: [400, 'Invalid replay'],
  invalid_query: [400, 'Invalid query'],
  invalid_request: [400, 'Invalid request'],
  no_events_in_range: [422, 'No events in range'],
  confirm_required: [400, 'Confirmation required'],
  cursor_not_found: [400, 'Cursor not found'],
  stale_lease: [409, 'Stale lease'],
  receipt_mismatch: [409, 'Receipt mismatch'],
  id_conflict: [409, 'Id conflict'],
  sequence_conflict: [409, 'Sequence conflict'],
  payload_too_large: [413, 'Payload too large'],
  partition_full: [507, 'Partition full'],
  unauthenticated: [401, 'Unauthenticated'],
  forbidden: [403, 'Forbidden'],
  rate_limited: [429, 'Rate limited'],
  overloaded: [503, 'Overloaded'],
  backend_unavailable: [503, 'Backend unavailable'],
  ambiguous: [504, 'Ambiguous outcome'],
  failed: [500, 'Internal failure'],
}

/** The field that a refused content type is reported under; it alone turns `invalid_request` into a 415. */
export const CONTENT_TYPE = 'Content-Type'

function statusOf(failure: Failure): number {
  if (failure.code === 'invalid_request' && failure.field === CONTENT_TYPE) return 415
  return problems[failure.code][0]
}

function headersOf(failure: Failure): Record<string, string> {
  switch (failure.code) {
    case 'method_not_allowed':
      return { Allow: failure.allow.join(', ') }
    case 'unauthenticated':
      return { 'WWW-Authenticate': 'Bearer' }
    case 'rate_limited':
      return { 'Retry-After': `${failure.retryAfterSeconds}` }
    case 'overloaded':
    case 'backend_unavailable':
      return { 'Retry-After': '1' }
    default:
      return {}
  }
}

/** What a failure shows of a text at most: a name that a caller made up may be as long as a body. */
const SHOWN = 1_000

const cut = (text: string): string => (text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text)

/**
 * A failure as `application/problem+json`. `members` is JSON text of further members, each led by a comma, for what
 * is spliced and not stringified.
 */
export function problem(failure: Failure, members = ''): Response {
  const { code, detail, ...data } = failure
  const status = statusOf(failure)
  const all = { type: `/docs/errors#${code}`, title: problems[code][1], status, code, detail, ...data }
  const body = JSON.stringify(all, (_, value: unknown) => (typeof value === 'string' ? cut(value) : value))
  return new Response(`${body.slice(0, -1)}${members}}`, {
    status,
    headers: { 'Content-Type': 'application/problem+json', ...headersOf(failure) },
  })
}
