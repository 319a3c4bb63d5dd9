import { RheoError } from '../client/index.ts'

/** A failure as it is told: the server's answer, or what kept it from coming. */
export interface Failure {
  readonly code: string
  readonly detail: string
}

/** What a failure of a call to the server at this URL says. */
export function failureOf(error: unknown, url: string): Failure {
  if (!(error instanceof RheoError)) return { code: 'failed', detail: messageOf(error) }
  const { code, detail, data, cause } = error
  return { code, detail: isUnanswered(error) ? `no answer from ${url}: ${reasonOf(cause)}` : detail, ...data }
}

/** A failure in one line; its code stands first. */
export const lineOf = ({ code, detail }: Failure): string => `${code}: ${detail}`

/** Whether the server did not answer, or something else in its place. */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof RheoError && error.status === 0 && /^(backend_unavailable|ambiguous)$/.test(error.code)

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EHOSTUNREACH: 'no way to the host',
  ENETUNREACH: 'no way to the network',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name of the host cannot be looked up',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_SOCKET: 'the connection was closed',
}

/** `fetch` only says that it failed; why stands in the causes below. */
function reasonOf(cause: unknown): string {
  let deepest = cause
  while (deepest instanceof Error && deepest.cause !== undefined) deepest = deepest.cause
  const { code } = { ...(deepest as { readonly code?: unknown }) }
  return (typeof code === 'string' ? reasons[code] : undefined) ?? messageOf(deepest)
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
