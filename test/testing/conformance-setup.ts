import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import type { TestProject } from 'vitest/node'
import { startLocal } from '../../src/testing/index.ts'
import type {} from '../conformance/target.ts'

/** Serves the service that `rheo-edge/testing` runs in this process, so that the suite can reach it by a URL. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const local = await startLocal()
  // What the adapter hands over only resembles a request, and `new Request` does not take it whole.
  const fetch = ({ url, method, headers, body, signal }: Request) =>
    local.fetch(url, { method, headers, body, signal, ...(body === null ? {} : { duplex: 'half' }) } as RequestInit)
  const server = serve({ fetch, hostname: '127.0.0.1', port: 0, overrideGlobalObjects: false })
  await new Promise<void>((resolve) => server.once('listening', resolve))
  project.provide('rheoUrl', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  project.provide('rheoTenant', '')
  project.provide('rheoToken', '')
  return async () => {
    server.close()
    await local.stop()
  }
}
