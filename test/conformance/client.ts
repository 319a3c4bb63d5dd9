import { expect } from 'vitest'
import type { Clock } from './clock.ts'
import { Contract } from './contract.ts'
import { costPattern } from './cost.ts'
import { checkProblem } from './problem.ts'
import { contract as document, tenant, token, url } from './target.ts'

/** What every exchange is held to; null where the server serves no contract. */
const contract = document === null ? null : new Contract(document)

/** One answer of the server, read to its end. `where` names the call in messages. */
export interface Answer<T = unknown> {
  status: number
  headers: Headers
  text: string
  body: T
  where: string
}

export interface CallOptions {
  /** Sent as JSON. */
  body?: unknown
  /** Sent as it is, instead of `body`. */
  raw?: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>
  contentType?: string
  headers?: Record<string, string>
  /** Sends `Rheo-Now`; without it the call runs on the machine's clock. */
  clock?: Clock | undefined
  tenant?: string | undefined
  signal?: AbortSignal
}

/**
 * Makes one call and asserts what the contract promises of every answer: request id, no-store, cost, for a failure its
 * shape, and all that the OpenAPI document says of it. An answer that is `failed` is a fault of the server wherever it
 * appears.
 *
 * @example const answer = await call<{ streams: unknown[] }>('GET', '/v1/streams')
 */
export const call = <T = unknown>(method: string, path: string, options: CallOptions = {}): Promise<Answer<T>> =>
  callTo(url, method, path, { ...options, headers: { ...credentialsOf(options), ...options.headers } })

/** Makes a call to any server, with no credentials but those among its headers. */
export async function callTo<T = unknown>(
  server: string,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Answer<T>> {
  const body = options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body))
  const headers = headersOf(options, body !== undefined)
  const response = await fetch(server + path, {
    method,
    headers,
    ...(body === undefined ? {} : { body, duplex: 'half' }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  } as RequestInit)
  const text = await response.text()
  const where = `${method} ${path.slice(0, 200)} -> ${response.status} ${text.slice(0, 400)}`
  const answer: Answer<T> = {
    status: response.status,
    headers: response.headers,
    text,
    body: (isJson(response) ? JSON.parse(text) : undefined) as T,
    where,
  }
  checkEveryAnswer(answer)
  const sent = body === undefined ? null : typeof body === 'string' ? body : undefined
  const exchange = { method, path, requestHeaders: headers, sent, ...answer }
  expect(contract?.faultsOf(exchange) ?? [], where).toEqual([])
  return answer
}

/** A token decides the tenant by itself. */
const credentialsOf = (options: CallOptions): Record<string, string> =>
  token === '' ? { 'Rheo-Tenant': options.tenant ?? tenant } : { Authorization: `Bearer ${token}` }

function headersOf(options: CallOptions, hasBody: boolean): Headers {
  const headers = new Headers()
  if (hasBody) headers.set('Content-Type', options.contentType ?? 'application/json')
  if (options.clock !== undefined) headers.set('Rheo-Now', options.clock.now())
  for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, value)
  return headers
}

function isJson(response: Response): boolean {
  return /^application\/(problem\+)?json\b/.test(response.headers.get('content-type') ?? '')
}

/** API Headers and S7: what holds for every answer, whatever the call. */
function checkEveryAnswer(answer: Answer): void {
  expect(answer.headers.get('rheo-request-id') ?? '', `${answer.where}: Rheo-Request-Id`).toMatch(/\S/)
  expect(answer.headers.get('cache-control'), `${answer.where}: Cache-Control`).toBe('no-store')
  expect(answer.headers.get('rheo-cost') ?? '', `${answer.where}: Rheo-Cost`).toMatch(costPattern)
  expect(answer.status, answer.where).not.toBe(500)
  if (answer.status >= 400) checkProblem(answer, answer.where)
}
