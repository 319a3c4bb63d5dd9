import { RheoError } from '../client/index.ts'

/** A failure in words: what went wrong, and in which field. */
export interface Explained {
  readonly title: string
  readonly detail: string
  readonly field?: string
}

const titles: { readonly [code: string]: string } = {
  forbidden: 'Your token does not allow this',
  unauthenticated: 'Your token is not accepted',
  stream_not_found: 'There is no such stream',
  group_not_found: 'There is no such group',
  event_not_found: 'There is no such event in this stream',
  already_exists: 'The name is taken',
  ambiguous: 'It is not known whether this was done',
  backend_unavailable: 'The server does not answer',
  overloaded: 'The server is overloaded',
  rate_limited: 'Too many requests',
  invalid_query: 'The search is not well-formed',
  no_events_in_range: 'There is no event at or after that time',
}

/** Explains whatever a call has thrown. */
export function explain(error: unknown): Explained {
  if (!(error instanceof RheoError))
    return { title: 'That did not work', detail: String((error as Error).message ?? error) }
  const field = (error.data as { field?: unknown }).field
  return { title: titleOf(error), detail: error.detail, ...(typeof field === 'string' ? { field } : {}) }
}

function titleOf({ code, status }: RheoError): string {
  if (code === 'backend_unavailable' && status !== 0) return 'A part of the server does not answer'
  return titles[code] ?? (code.startsWith('invalid') ? 'That is not well-formed' : 'That did not work')
}
