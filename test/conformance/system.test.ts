import { expect, test } from 'vitest'
import { call } from './client.ts'
import { endpoints, pathOf } from './endpoints.ts'
import { expectProblem } from './problem.ts'
import { createStream } from './stream.ts'

test('API System: health answers status ok and a version', async () => {
  const answer = await call('GET', '/v1/health')
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({ status: 'ok', version: expect.stringMatching(/\S/) })
})

test('API System: capabilities name the guarantees, the mechanisms and the limits', async () => {
  const answer = await call<Record<'guarantees' | 'mechanisms' | 'limits', Record<string, unknown>>>(
    'GET',
    '/v1/capabilities',
  )
  expect(answer.status).toBe(200)
  const { guarantees, mechanisms, limits } = answer.body
  const named = ['durable', 'distributed', 'atLeastOnce', 'leaseFencing', 'partitions', 'contiguousFrontier', 'replay']
  expect(Object.keys(guarantees)).toEqual(expect.arrayContaining(named))
  expect(guarantees).toMatchObject({ atLeastOnce: true, leaseFencing: true, contiguousFrontier: true })
  expect(mechanisms).toBeTypeOf('object')
  expect(limits).toBeTypeOf('object')
})

test('API Limits: capabilities show every number of the table', async () => {
  const answer = await call<{ limits: unknown }>('GET', '/v1/capabilities')
  const shown = new Set((JSON.stringify(answer.body.limits).match(/\d+/g) ?? []).map(Number))
  const table = {
    'event bytes': 1_048_576,
    'body bytes': 16_777_216,
    'batch, fetch, settle, page, groups, waiters': 1_000,
    nesting: 64,
    'key bytes': 1_024,
    'id, consumerId, names': 128,
    'metadata bytes': 32_768,
    partitions: 256,
    'streams per tenant': 10_000,
  }
  for (const [limit, value] of Object.entries(table)) expect([...shown], limit).toContain(value)
})

test.each([
  ['GET', '/v1/nope'],
  ['GET', '/v2/health'],
  ['POST', '/v1/health/deep'],
  ['GET', '/v1/streams/orders/nope'],
  ['POST', '/v1/streams/orders/groups/billing/nope'],
  ['POST', '/v1/streams/orders/groups/billing/ack/all'],
  ['GET', '/v1/streams/orders/groups/billing/lag/0'],
])('S7 an unknown path is not_found: %s %s', async (method, path) => {
  expectProblem(await call(method, path), 'not_found')
})

/** The methods the contract gives each path. */
const paths = [...new Set(endpoints.map((endpoint) => endpoint.path))]

test.each(paths)('API Failures: a wrong method is 405 with the right ones in Allow: %s', async (path) => {
  const found = endpoints.filter((endpoint) => endpoint.path === path)
  const filled = pathOf({ method: 'GET', path }, 'orders', 'billing')
  for (const method of ['PUT', 'DELETE', 'PATCH', 'GET', 'POST']) {
    // DELETE belongs to streams and groups themselves, and comes with deletion.
    if (found.some((endpoint) => endpoint.method === method) || (method === 'DELETE' && /\{[sg]\}$/.test(path)))
      continue
    const answer = await call(method, filled, method === 'GET' || method === 'DELETE' ? {} : { body: {} })
    expectProblem(answer, 'method_not_allowed')
    const allowed = (answer.headers.get('allow') ?? '').split(',').map((name) => name.trim())
    expect(allowed, answer.where).toEqual(expect.arrayContaining(found.map((endpoint) => endpoint.method)))
    expect(allowed, answer.where).not.toContain(method)
  }
})

test.each(['/v1/health', '/v1/capabilities'])('API Failures: POST to %s is 405 with GET in Allow', async (path) => {
  const answer = await call('POST', path, { body: {} })
  expectProblem(answer, 'method_not_allowed')
  expect(answer.headers.get('allow')).toMatch(/\bGET\b/)
})

test('API Headers: every answer has a request id of its own, no-store and a cost', async () => {
  const stream = await createStream()
  const answers = [
    await call('GET', '/v1/health'),
    await call('GET', '/v1/capabilities'),
    await call('GET', stream.path),
    await stream.post({}),
    await stream.post({ wrong: 1 }),
    await call('GET', '/v1/streams/nobody-has-this'),
    await call('GET', '/v1/nope'),
    await call('PUT', stream.path, { body: {} }),
  ]
  for (const answer of answers) {
    expect(answer.headers.get('rheo-request-id'), answer.where).toMatch(/\S/)
    expect(answer.headers.get('cache-control'), answer.where).toBe('no-store')
    expect(answer.headers.get('rheo-cost'), answer.where).toMatch(/^rows-read=\d+, rows-written=\d+, objects=\d+$/)
  }
  expect(new Set(answers.map((answer) => answer.headers.get('rheo-request-id'))).size).toBe(answers.length)
})

test('API Headers: the cost of an append counts its rows and its object', async () => {
  const stream = await createStream()
  await stream.append()
  const cost = (await stream.post({})).headers.get('rheo-cost') ?? ''
  expect(Number(/rows-written=(\d+)/.exec(cost)?.[1])).toBeGreaterThanOrEqual(1)
  expect(Number(/objects=(\d+)/.exec(cost)?.[1])).toBeGreaterThanOrEqual(1)
})

test('API Headers: without RHEO_CORS_ORIGINS no other origin may read an answer', async () => {
  const answer = await call('GET', '/v1/health', { headers: { Origin: 'https://elsewhere.example' } })
  expect(answer.headers.get('access-control-allow-origin')).toBeNull()
})
