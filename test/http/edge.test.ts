import { beforeEach, describe, expect, it, vi } from 'vitest'
import { done } from '../../src/core/partition/commands.ts'
import { FakeBackend } from './fake-backend.ts'
import { type Send, sendTo } from './send.ts'

let backend: FakeBackend
let send: Send

beforeEach(() => {
  backend = new FakeBackend()
  backend.addStream('orders', 3)
  backend.addGroup('orders', 'billing')
  send = sendTo(backend)
})

const group = '/v1/streams/orders/groups/billing'

describe('paths and methods', () => {
  it.each(['/', '/v1', '/v1/streams/', '/v1/streams/orders/nope', `${group}/ack/all`, '/v1/health/deep'])(
    'S7 an unknown path is not_found: %s',
    async (path) => {
      const answer = await send('GET', path)
      expect([answer.status, answer.body.code, answer.body.path]).toEqual([404, 'not_found', path])
    },
  )

  it.each([
    ['PUT', '/v1/health', 'GET, HEAD'],
    ['PATCH', '/v1/streams', 'POST, GET, HEAD'],
    ['DELETE', '/v1/streams/orders/events', 'POST, GET, HEAD'],
    ['POST', group, 'GET, HEAD, PATCH, DELETE'],
    ['GET', `${group}/fetch`, 'POST'],
    ['OPTIONS', `${group}/settle`, 'POST'],
    ['HEAD', `${group}/ack`, 'POST'],
  ])('API Failures: %s %s is 405 with Allow: %s', async (method, path, allow) => {
    const answer = await send(method, path)
    expect([answer.status, answer.headers.get('Allow')]).toEqual([405, allow])
  })

  it('HEAD answers a GET without its body', async () => {
    const answer = await send('HEAD', '/v1/health')
    expect([answer.status, answer.text]).toEqual([200, ''])
    expect(answer.headers.get('Content-Type')).toBe('application/json')
  })
})

describe('API Headers: every answer', () => {
  it('has a request id of its own, is not stored, and says what it cost', async () => {
    const paths = ['/v1/health', '/v1/capabilities', '/v1/nope', '/v1/streams/none']
    const answers = await Promise.all(paths.map((path) => send('GET', path)))
    answers.push(await send('PUT', '/v1/health'), await send('POST', `${group}/fetch`, { body: { limit: 0 } }))
    for (const { headers } of answers) {
      expect(headers.get('Cache-Control')).toBe('no-store')
      expect(headers.get('Rheo-Cost')).toMatch(/^rows-read=\d+, rows-written=\d+, objects=\d+$/)
    }
    expect(new Set(answers.map(({ headers }) => headers.get('Rheo-Request-Id'))).size).toBe(answers.length)
  })

  it('is taken by no browser for anything but what it says: also what is refused, empty, or for another origin', async () => {
    const cors = sendTo(backend, { RHEO_AUTH: 'open', RHEO_CORS_ORIGINS: 'https://shop.example' })
    const preflight = { Origin: 'https://shop.example', 'Access-Control-Request-Method': 'POST' }
    const closed = sendTo(backend, { RHEO_AUTH: 'token' })
    const answers = [
      await send('GET', '/v1/health'),
      await send('GET', '/nope'),
      await send('PUT', '/v1/health'),
      await send('DELETE', '/v1/streams/orders?confirm=true'),
      await send('POST', '/v1/streams/orders/query', { body: {}, headers: { Accept: 'application/x-ndjson' } }),
      await closed('GET', '/v1/streams'),
      await cors('OPTIONS', '/v1/streams', { headers: preflight }),
    ]
    for (const { headers } of answers) expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
  })

  it('sums the cost over every call and counts each object once', async () => {
    backend.answer = () => done({ frontier: 0, highWatermark: 0, lag: 0 })
    expect((await send('GET', `${group}/lag`)).headers.get('Rheo-Cost')).toBe('rows-read=8, rows-written=4, objects=4')
    expect((await send('GET', `${group}/lag`)).headers.get('Rheo-Cost')).toBe('rows-read=6, rows-written=3, objects=3')
  })

  it('counts the partitions that the catalog called', async () => {
    const reply = backend.catalog.bind(backend)
    backend.catalogAnswer = () => done({ streams: [], more: false })
    backend.catalog = async (tenant, command) => ({ ...(await reply(tenant, command)), objects: 5 })
    expect((await send('GET', '/v1/streams')).headers.get('Rheo-Cost')).toMatch(/objects=6$/)
  })

  it('tells no internals when something broke, but logs them with the request id', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    backend.answer = () => done(null)
    const answer = await send('GET', `${group}/lag`)
    expect([answer.status, answer.body.code]).toEqual([500, 'failed'])
    expect(answer.text).not.toMatch(/TypeError|null|src/)
    const id = answer.headers.get('Rheo-Request-Id')
    expect(log).toHaveBeenCalledWith(expect.stringContaining(id!), expect.any(TypeError))
    log.mockRestore()
  })
})

describe('API Failures: a problem', () => {
  it('has type, title, status, code and detail, and the data of its code beside them', async () => {
    const { headers, body } = await send('GET', '/v1/streams/none')
    expect(headers.get('Content-Type')).toBe('application/problem+json')
    expect(body).toEqual({
      type: '/docs/errors#stream_not_found',
      title: 'Stream not found',
      status: 404,
      code: 'stream_not_found',
      detail: 'no stream',
      stream: 'none',
    })
  })
})

describe('capabilities', () => {
  it('show the mechanisms, the test clock among them, and every limit', async () => {
    const { body } = await send('GET', '/v1/capabilities')
    expect(body.mechanisms).toMatchObject({ storage: 'memory', testClock: false, auth: 'open' })
    expect(body.guarantees).toMatchObject({ durable: false, atLeastOnce: true, leaseFencing: true })
    expect(body.limits).toMatchObject({ bodyBytes: 16_777_216, partitions: 256 })
    const testing = sendTo(backend, { RHEO_AUTH: 'open', RHEO_TEST_CLOCK: '1' })
    expect((await testing('GET', '/v1/capabilities')).body.mechanisms.testClock).toBe(true)
  })
})
