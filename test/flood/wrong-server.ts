import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openWire, type WireAnswer } from './wire.ts'

/** A fault to put between a flood and a sound server. */
export interface Wrong {
  /** Changes the headers of a request on its way to the server. */
  request?(headers: Record<string, string>): Record<string, string>
  /** Changes an answer on its way back. */
  answer?(answer: WireAnswer): Pick<WireAnswer, 'status' | 'headers' | 'text'>
}

/** What belongs to one connection and not to the request. */
const hops = ['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'host', 'expect']

const carried = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (hops.includes(name) ? [] : [[name, `${value}`]])),
  )

/** Serves what a server at `url` serves, with a fault put in on purpose. */
export async function startWrong(url: string, { request, answer }: Wrong): Promise<{ url: string; stop(): void }> {
  const wire = openWire(url)
  const server = createServer(async (asked, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of asked) chunks.push(chunk as Buffer)
    const headers = carried(asked.headers)
    const one = { method: asked.method!, path: asked.url!, headers: request?.(headers) ?? headers }
    const got = await wire.send({ ...one, ...(chunks.length === 0 ? {} : { raw: Buffer.concat(chunks) }) })
    const given = answer?.(got) ?? got
    response.writeHead(given.status, carried(given.headers)).end(given.text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stop = (): void => {
    wire.close()
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop }
}
