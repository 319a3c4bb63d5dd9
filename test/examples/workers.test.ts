import { afterAll, expect, test } from 'vitest'
import { startLocal } from '../../scripts/local.ts'
import { Rheo } from '../../src/client/index.ts'
import { startWorker } from './worker.ts'

/* The example Workers in workerd, a server behind their binding. */

const stops: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const stop of stops.toReversed()) await stop()
})

async function serve(vars: Record<string, string>, entry: string, bindings: Record<string, string>) {
  const local = await startLocal({ vars })
  stops.push(() => local.stop())
  const worker = await startWorker(entry, local.url, bindings)
  stops.push(() => worker.dispose())
  const url = (await worker.ready).origin
  const call = (path: string, init: RequestInit = {}): Promise<Response> => fetch(`${url}${path}`, init)
  return { rheo: new Rheo({ url: local.url }), worker, call }
}

test('cloudflare-worker appends an order once, and works through the group when its cron fires', async () => {
  const { rheo, worker, call } = await serve({}, 'cloudflare-worker/index.ts', {
    RHEO_TOKEN: 'any, the server is open',
  })
  await rheo.streams.create('orders', { partitionCount: 2 })
  await rheo.groups.create('orders', 'billing')
  const order = (total: number, key: string): Promise<Response> =>
    call('/', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify({ customer: 'customer-7', total }),
    })
  const first = await order(40, 'a')
  expect(first.status).toBe(202)
  expect(await first.json()).toMatchObject({ duplicate: false })
  expect(await (await order(40, 'a')).json()).toMatchObject({ duplicate: true })
  await order(-5, 'b')
  await (await worker.getWorker()).scheduled({})
  const { lag, delayed, inFlight } = await rheo.groups.get('orders', 'billing')
  expect({ lag: lag.lag, delayed, inFlight }).toEqual({ lag: 1, delayed: 1, inFlight: 0 })
})

test('tenants lets each customer reach its own streams, some of them, and nothing else', async () => {
  const secret = 'for-the-test-of-the-example-0123456789'
  const bindings = { RHEO_JWT_SECRET: secret, KEYS: JSON.stringify({ 'key-a': 'a', 'key-b': 'b' }) }
  const { call } = await serve({ RHEO_AUTH: 'token', RHEO_JWT_SECRET: secret }, 'tenants/index.ts', bindings)
  const as = async (key: string, method: string, path: string, body?: object) => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' }
    const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) }
    const response = await call(path, init)
    const text = await response.text()
    return {
      status: response.status,
      ...(response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : {}),
    }
  }
  expect(await as('unknown', 'GET', '/v1/streams')).toMatchObject({ status: 401 })
  for (const key of ['key-a', 'key-b']) expect(await as(key, 'PUT', '/set-up')).toMatchObject({ status: 201 })

  expect(await as('key-a', 'POST', '/v1/streams/orders/events', { payload: { of: 'a' } })).toMatchObject({
    status: 201,
  })
  expect(await as('key-a', 'GET', '/v1/streams/orders/events')).toMatchObject({ events: [{ payload: { of: 'a' } }] })
  expect(await as('key-b', 'GET', '/v1/streams/orders/events')).toMatchObject({ status: 200, events: [] })

  expect(await as('key-a', 'GET', '/v1/streams/invoices/events')).toMatchObject({ code: 'forbidden' })
  expect(await as('key-a', 'POST', '/v1/streams', { name: 'mine' })).toMatchObject({ code: 'forbidden' })
})
