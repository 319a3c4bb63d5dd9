import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Local, startLocal } from '../../scripts/local.ts'
import { Rheo } from '../../src/client/index.ts'

/* The Tail Worker of the documentation behind the server, in the runtime, with a collector that takes its lines. */

type Line = Record<string, unknown> & { event: string }

const lines: Line[] = []
let collector: Server
let server: Local

beforeAll(async () => {
  collector = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    lines.push(...text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Line])))
    response.end()
  })
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
  const { port } = collector.address() as AddressInfo
  server = await startLocal({
    tail: { main: 'docs/examples/tail-worker.ts', vars: { SINK_URL: `http://127.0.0.1:${port}` } },
  })
})

afterAll(async () => {
  await server?.stop()
  collector?.close()
})

const seen = (event: string) => vi.waitUntil(() => lines.filter((line) => line.event === event)[0], { timeout: 10_000 })

test('a Tail Worker is told of what the edge and the objects do, and of no payload, key, id or reason', async () => {
  const rheo = new Rheo({ url: server.url, tenant: 'acme' })
  await rheo.streams.create('orders')
  await rheo.groups.create('orders', 'billing')
  const secret = 'only-for-the-consumer'
  await rheo.append('orders', { type: secret, key: secret, id: secret, payload: { secret }, metadata: { secret } })
  const { leases } = await rheo.fetch('orders', 'billing', { consumerId: secret })
  await rheo.reject(leases[0]!, { reason: secret })

  const where = { tenant: 'acme', stream: 'orders', partition: 0 }
  expect(await seen('append')).toMatchObject({ ...where, count: 1, result: 'ok', code: null })
  expect(await seen('fetch')).toMatchObject({ ...where, group: 'billing', count: 1 })
  expect(await seen('reject')).toMatchObject({ ...where, group: 'billing', count: 1 })
  expect(await seen('dead_letter')).toMatchObject({ ...where, group: 'billing', count: 1, cause: 'rejected' })
  expect(await seen('frontier')).toMatchObject({ ...where, group: 'billing', from: 0, to: 1 })
  const call = await seen('call')
  expect(call).toMatchObject({ tenant: 'acme', route: 'POST /v1/streams', status: 201, result: 'ok' })
  expect(call.requestId).toMatch(/^[\da-f-]{36}$/)
  const text = JSON.stringify(lines)
  expect(text).not.toContain(secret)
  expect(text).not.toContain(leases[0]!.leaseId)
  expect(text).not.toContain(leases[0]!.receipt)
})
