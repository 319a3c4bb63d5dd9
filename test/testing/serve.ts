import type { AddressInfo } from 'node:net'
import { serve as listen } from '@hono/node-server'
import type { Local } from '../../src/testing/index.ts'

/** Of a request line and headers Node reads 16 KiB unless told otherwise, less than the limits of the service. */
const serverOptions = { maxHeaderSize: 1_000_000 }

/** Serves a local service on a free port, for whatever can reach it by a URL only. */
export async function serve(local: Local): Promise<{ url: string; stop(): Promise<void> }> {
  // What the adapter hands over only resembles a request, and `new Request` does not take it whole.
  const fetch = ({ url, method, headers, body, signal }: Request) =>
    local.fetch(url, { method, headers, body, signal, ...(body === null ? {} : { duplex: 'half' }) } as RequestInit)
  const server = listen({ fetch, hostname: '127.0.0.1', port: 0, overrideGlobalObjects: false, serverOptions })
  await new Promise<void>((resolve) => server.once('listening', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.close()
      await local.stop()
    },
  }
}
