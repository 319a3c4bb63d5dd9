import { Agent, request } from 'node:http'

/** A complete answer; `rowsRead` and `rowsWritten` are what the server says that the call has cost. */
export type Answer = { text: string; rowsRead: number; rowsWritten: number }

/** Sends one call and refuses any answer that is no success. */
export type Call = (method: 'GET' | 'POST', path: string, body?: string) => Promise<Answer>

/** Connections to one server that stay open. */
export type Client = { call: Call; close(): void }

/** A client of `url` with at most so many connections. */
export function createClient(url: string, connections: number): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const { hostname, port } = new URL(url)
  const call: Call = (method, path, body = '') =>
    new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
      const sent = request({ agent, hostname, port, method, path, headers }, (response) => {
        const parts: Buffer[] = []
        response.on('data', (part: Buffer) => parts.push(part))
        response.on('error', reject)
        response.on('end', () => {
          const text = Buffer.concat(parts).toString()
          const status = response.statusCode ?? 0
          if (status >= 200 && status < 300) resolve({ text, ...costOf(response.headers['rheo-cost']) })
          else reject(new Error(`${method} ${path}: ${status} ${text.slice(0, 500)}`))
        })
      })
      sent.on('error', reject)
      sent.end(body)
    })
  return { call, close: () => agent.destroy() }
}

function costOf(header: string | string[] | undefined): Pick<Answer, 'rowsRead' | 'rowsWritten'> {
  const [, rowsRead = 0, rowsWritten = 0] = /rows-read=(\d+), rows-written=(\d+)/.exec(String(header)) ?? []
  return { rowsRead: Number(rowsRead), rowsWritten: Number(rowsWritten) }
}
