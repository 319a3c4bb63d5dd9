import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'

/** What one request was answered. */
export interface WireAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: a judge looks into whatever came back
  readonly body: any
}

export interface WireRequest {
  readonly method: string
  readonly path: string
  readonly headers: Record<string, string>
  readonly raw?: string | Uint8Array
}

/** Sends requests as they are: paths and headers that `fetch` would tidy up or refuse come to the server untouched. */
export interface Wire {
  send(request: WireRequest): Promise<WireAnswer>
  close(): void
}

/** Opens connections to a server. A request that has no answer after `answerMs` is a fault. */
export function openWire(url: string, answerMs = 60_000): Wire {
  const agent = new Agent({ keepAlive: true })
  const { hostname, port } = new URL(url)

  const once = ({ method, path, headers, raw }: WireRequest): Promise<WireAnswer> =>
    new Promise((resolve, reject) => {
      // Node sends no length with the body of some methods, which would make the body the next request.
      const length = raw === undefined ? {} : { 'Content-Length': `${Buffer.byteLength(raw)}` }
      const sent = request({ agent, hostname, port, method, path, headers: { ...headers, ...length } }, (answer) => {
        read(answer).then(resolve, reject)
      })
      sent.setTimeout(answerMs, () => sent.destroy(new Error(`no answer in ${answerMs} ms`)))
      sent.on('error', (error: NodeJS.ErrnoException) => {
        const isLate = sent.reusedSocket && error.code === 'ECONNRESET'
        reject(isLate ? new ClosedMeanwhile() : new Error(`${method} ${path.slice(0, 200)}: ${error.message}`))
      })
      sent.end(raw)
    })

  return {
    async send(one) {
      for (;;) {
        try {
          return await once(one)
        } catch (error) {
          if (!(error instanceof ClosedMeanwhile)) throw error
        }
      }
    },
    close: () => agent.destroy(),
  }
}

/** The server closed a connection that waited for its next request: nothing of the request has been read. */
class ClosedMeanwhile extends Error {}

async function read(answer: IncomingMessage): Promise<WireAnswer> {
  const chunks: Buffer[] = []
  // A tail has no end: its beginning is its answer, and leaving the loop closes it.
  const isEndless = answer.headers['content-type'] === 'text/event-stream'
  for await (const chunk of answer) {
    chunks.push(chunk as Buffer)
    if (isEndless) break
  }
  const text = Buffer.concat(chunks).toString()
  const isJson = /[/+]json$/.test(answer.headers['content-type'] ?? '')
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    text,
    body: isJson && text !== '' ? JSON.parse(text) : null,
  }
}
