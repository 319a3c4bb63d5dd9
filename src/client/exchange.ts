import type { Clock } from './clock.ts'
import { errorOf, isCode, type RheoError } from './errors.ts'
import type { Code, FailureData } from './failure.ts'
import type { Fetch } from './options.ts'
import type { Request } from './request.ts'
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
  const timeout = (): void => abort.abort(new Error(`no answer within ${totalMs} ms`))
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

async function ask<T>(endpoint: Endpoint, request: Request, signal: AbortSignal): Promise<T> {
  const { method, path, query, body, idempotencyKey, safety } = request
  const headers = await untilAborted(endpoint.headers(), signal).catch((cause: unknown) => {
    throw errorOf('unauthenticated', { detail: `no token: ${messageOf(cause)}`, data: {}, cause })
  })
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
  if (isGood) throw noAnswer(safety, new Error(`status ${answer.status}, and a body that is no JSON`))
  throw failureOf(answer, json, safety)
}

/** An answer that says that the call failed. */
function failureOf(answer: Awaited<ReturnType<Fetch>>, json: unknown, safety: Request['safety']): RheoError {
  const { status, headers } = answer
  const common = {
    status,
    requestId: headers.get('Rheo-Request-Id'),
    retryAfterMs: parseRetryAfter(headers.get('Retry-After')),
  }
  const problem = (typeof json === 'object' && json !== null ? json : {}) as Record<string, unknown>
  const { type: _type, title: _title, status: _status, code, detail, ...data } = problem
  const text = typeof detail === 'string' ? detail : `status ${status}`
  if (isCode(code)) return errorOf(code, { ...common, detail: text, data: data as FailureData[typeof code] })
  const serverCode = typeof code === 'string' ? { serverCode: code } : {}
  return errorOf(codeOfStatus(status, safety), { ...common, detail: text, data: serverCode })
}

/** The nearest code of an answer without one that is known, such as that of a proxy, which may have passed the call on. */
function codeOfStatus(status: number, safety: Request['safety']): Code {
  if (status === 401) return 'unauthenticated'
  if (status === 403) return 'forbidden'
  if (status === 404) return 'not_found'
  if (status === 429) return 'rate_limited'
  if (status >= 502 && status <= 504) return unanswered(safety)
  return 'failed'
}

const unanswered = (safety: Request['safety']) => (safety === 'read' ? 'backend_unavailable' : 'ambiguous')

function noAnswer(safety: Request['safety'], cause: unknown): RheoError {
  return errorOf(unanswered(safety), { detail: `no answer: ${messageOf(cause)}`, data: {}, cause })
}

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** Does not wait for what goes on in spite of the signal, as a `fetch` may that knows none. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason)
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function queryText(query: Request['query'] = {}): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined)
  if (pairs.length === 0) return ''
  return `?${pairs.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&')}`
}
