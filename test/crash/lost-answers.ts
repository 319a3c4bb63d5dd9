import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A way to the server on which answers get lost. */
export type LostAnswers = { url: string; stop(): void }

/**
 * Passes everything on to `url` until the server begins its `nth` answer. Then it calls `onLoss` and breaks every
 * connection: neither that answer nor any other one on its way comes through. Whether an answer gets lost in a kill is
 * otherwise a matter of microseconds.
 */
export async function loseAnswers(url: string, nth: number, onLoss: () => void): Promise<LostAnswers> {
  const sockets = new Set<Socket>()
  const { hostname, port } = new URL(url)
  let answers = 0
  let isLosing = false
  const lose = () => {
    if (isLosing) return
    isLosing = true
    onLoss()
    for (const socket of sockets) socket.destroy()
  }
  const server = createServer((caller) => {
    const upstream = connect(Number(port), hostname)
    for (const socket of [caller, upstream]) {
      sockets.add(socket)
      // A broken connection is what this is for; either end takes the other one along.
      socket.on('error', () => undefined)
      socket.on('close', () => {
        caller.destroy()
        upstream.destroy()
      })
    }
    caller.pipe(upstream)
    upstream.on('data', (data: Buffer) => {
      if (data.subarray(0, 5).toString() === 'HTTP/') answers += 1
      if (answers >= nth) lose()
      else caller.write(data)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
