import type { Backend } from '../../src/core/backend.ts'
import type { Publish } from '../../src/core/happening.ts'
import type { Site } from '../../src/http/call.ts'
import { createEdge } from '../../src/http/edge.ts'
import type { EdgeVars } from '../../src/http/vars.ts'

export interface Sent {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
  readonly body: any
}

export interface SendOptions {
  readonly body?: unknown
  /** A body that is not JSON, or not whole at once. */
  readonly raw?: string | Uint8Array | ReadableStream<Uint8Array>
  readonly headers?: Record<string, string>
  readonly signal?: AbortSignal
  readonly host?: string
}

export type Send = (method: string, path: string, options?: SendOptions) => Promise<Sent>

export const mechanisms = { storage: 'memory', durable: false, distributed: false }

/** An edge over a backend, as a function that sends a request to it. `kept` takes the work told to `waitUntil`. */
export function sendTo(
  backend: Backend,
  vars: EdgeVars = { RHEO_AUTH: 'open' },
  kept: Promise<unknown>[] = [],
  site: Site | null = null,
  publish: Publish = () => {},
): Send {
  const context = { waitUntil: (work: Promise<unknown>) => kept.push(work), passThroughOnException() {}, props: {} }
  const edge = createEdge({ version: '1.2.3', mechanisms, connect: () => backend, site: () => site, publish })
  return async (method, path, { body, raw, headers = {}, signal, host = 'localhost' } = {}) => {
    const content = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const request = new Request(`http://${host}${path}`, {
      method,
      headers: { ...(content === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
      ...(content === undefined ? {} : { body: content, duplex: 'half' }),
      ...(signal === undefined ? {} : { signal }),
    } as RequestInit)
    const response = await edge.fetch(request, vars, context)
    const text = await textOf(response)
    const isJson = /[/+]json\b/.test(response.headers.get('Content-Type') ?? '')
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== '' ? JSON.parse(text) : null,
    }
  }
}

/** What came; of a tail, which has no end, the beginning. */
async function textOf(response: Response): Promise<string> {
  if (response.headers.get('Content-Type') !== 'text/event-stream') return response.text()
  const reader = response.body?.getReader()
  const begun = await reader?.read()
  await reader?.cancel()
  return new TextDecoder().decode(begun?.value)
}
