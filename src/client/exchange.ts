import type { Clock } from './clock.ts'
import { errorOf, type RheoError } from './errors.ts'
import type { Code } from './failure.ts'
import type { Fetch } from './options.ts'
import { errorOfProblem } from './problem.ts'
import type { Request, Safety } from './request.ts'
import { parseRetryAfter } from './retry-after.ts'

/** Where a call goes, and with what. */
export interface Endpoint {
  /** Without a slash at its end. */
  readonly url: string
  readonly fetch: Fetch
  readonly timeoutMs: number
  readonly clock: Clock
  headers(): Promise<Record<string, string>>
}

/** Makes one try of a call and gives the body of its answer. */
export async function exchange<T>(endpoint: Endpoint, request: Request): Promise<T> {
  const { signal, timeoutMs = endpoint.timeoutMs, waitMs = 0 } = request
  signal?.throwIfAborted()
  const abort = new AbortController()
  const onAbort = (): void => abort.abort(signal?.reason)
  signal?.addEventListener('abort', onAbort, { once: true })
  const totalMs = timeoutMs + waitMs
  const timeout = (): void => abort.abort(new Error(`over ${totalMs} ms`))
  const timer = endpoint.clock.setTimeout(timeout, totalMs)
  try {
    return await ask<T>(endpoint, request, abort.signal)
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    throw error
  } finally {
    endpoint.clock.clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}

export type Answer = Awaited<ReturnType<Fetch>>

async function ask<T>(endpoint: Endpoint, request: Request, signal: AbortSignal): Promise<T> {
  const { method, path, query, body, idempotencyKey, safety } = request
  const headers = await headersOf(endpoint, signal)
  if (body !== undefined) headers['Content-Type'] = 'application/json'
  if (idempotencyKey !== undefined) headers['Idempotency-Key'] = idempotencyKey
  const init = { method, headers, signal, ...(body === undefined ? {} : { body }) }
  const fetched = async () => {
    const answer = await endpoint.fetch(endpoint.url + path + queryText(query), init)
    return { answer, text: await answer.text() }
  }
  const { answer, text } = await untilAborted(fetched(), signal).catch((cause: unknown) => {
    throw noAnswer(safety, cause)
  })
  const isGood = answer.status >= 200 && answer.status < 300
  if (isGood && text === '') return undefined as T
  const json = parse(text)
  if (isGood && json !== undefined) return json as T
  // What is no JSON comes from something in between, or was cut short: nobody knows what the server has done.
  if (isGood) throw noAnswer(safety, `${answer.status} without JSON`)
  throw failureOf(answer, json, safety)
}

/** The headers of every call. @throws UnauthenticatedError when there is no token to be had */
export const headersOf = ({ headers }: Endpoint, signal: AbortSignal): Promise<Record<string, string>> =>
  untilAborted(headers(), signal).catch((cause: unknown) => {
    throw errorOf('unauthenticated', { detail: `no token: ${messageOf(cause)}`, data: {}, cause })
  })

/** The error of an answer that says that the call failed; `json` is what its text holds. */
export function failureOf({ status, headers }: Answer, json: unknown, safety: Safety): RheoError {
  const { type: _type, title: _title, status: _status, ...problem } = { ...(json as object) } as Record<string, unknown>
  const around = {
    status,
    requestId: headers.get('Rheo-Request-Id'),
    retryAfterMs: parseRetryAfter(headers.get('Retry-After')),
  }
  return errorOfProblem(problem, around, codeOfStatus[status] ?? (status > 501 ? unanswered(safety) : 'failed'))
}

/** The nearest code of an answer without one, such as that of a proxy. With a status beyond 501 it may have passed the call on. */
const codeOfStatus: { readonly [status: number]: Code } = {
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
  429: 'rate_limited',
}

const unanswered = (safety: Safety) => (safety === 'read' ? 'backend_unavailable' : 'ambiguous')

export function noAnswer(safety: Safety, cause: unknown): RheoError {
  return errorOf(unanswered(safety), { detail: `no answer: ${messageOf(cause)}`, data: {}, cause })
}

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** Does not wait for what goes on in spite of the signal, as a `fetch` may that knows none. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason)
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}

/** The value of a text that is JSON, else undefined. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What stands behind a path for parameters that are there. */
export function queryText(query: Request['query'] = {}): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value))
  const text = String(parameters)
  return text && `?${text}`
}
