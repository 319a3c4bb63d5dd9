import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { failure } from '../../src/core/failure.ts'
import { done, refused } from '../../src/core/partition/commands.ts'
import type { EdgeVars } from '../../src/http/vars.ts'
import { FakeBackend } from './fake-backend.ts'
import { type Send, type Sent, sendTo } from './send.ts'

let backend: FakeBackend

beforeEach(() => {
  backend = new FakeBackend()
  backend.addStream('orders', 2)
  backend.answer = () => done({ first: 1, duplicates: [] })
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const later = (ms: number) => vi.setSystemTime(Date.now() + ms)
const edge = (quotas: EdgeVars): Send => sendTo(backend, { RHEO_AUTH: 'open', ...quotas })
const events = (count: number) => ({ body: { events: Array.from({ length: count }, () => ({})) } })
const path = '/v1/streams/orders/events'

function expectLimited({ status, body, headers }: Sent, seconds: number): void {
  expect([status, body.code, headers.get('Retry-After')]).toEqual([429, 'rate_limited', `${seconds}`])
  expect(headers.get('Content-Type')).toBe('application/problem+json')
}

describe('RHEO_QUOTA_REQUESTS_PER_SECOND', () => {
  it('lets a second`s worth through at once, then so many a second', async () => {
    const send = edge({ RHEO_QUOTA_REQUESTS_PER_SECOND: '5' })
    const get = () => send('GET', '/v1/capabilities')
    for (let turn = 0; turn < 5; turn++) expect((await get()).status).toBe(200)
    expectLimited(await get(), 1)
    later(200)
    expect((await get()).status).toBe(200)
    expectLimited(await get(), 1)
    // However long nobody calls, no more than one second's worth gathers.
    later(3_600_000)
    for (let turn = 0; turn < 5; turn++) expect((await get()).status).toBe(200)
    expectLimited(await get(), 1)
  })

  it('is each tenant`s own, counts what is refused for other reasons too, and comes before the body', async () => {
    const send = edge({ RHEO_QUOTA_REQUESTS_PER_SECOND: '2' })
    const as = (tenant: string) => ({ headers: { 'Rheo-Tenant': tenant } })
    expect((await send('GET', '/v1/nope', as('a'))).status).toBe(404)
    expect((await send('GET', '/v1/streams/-', as('a'))).status).toBe(400)
    expectLimited(await send('POST', '/v1/streams/-/events', { ...as('a'), raw: '{' }), 1)
    expect((await send('GET', '/v1/capabilities', as('b'))).status).toBe(200)
    expect(backend.asked).toHaveLength(0)
  })

  it('never limits health, and is not used up by who is not let in', async () => {
    const send = edge({ RHEO_QUOTA_REQUESTS_PER_SECOND: '1' })
    for (let turn = 0; turn < 3; turn++) {
      expect((await send('GET', '/v1/health')).status).toBe(200)
      expect((await send('GET', '/v1/capabilities', { host: 'rheo.example' })).status).toBe(401)
    }
    expect((await send('GET', '/v1/capabilities')).status).toBe(200)
    expect((await send('GET', '/v1/health')).status).toBe(200)
    expectLimited(await send('GET', '/v1/capabilities'), 1)
  })

  it('a clock that is set back brings nothing', async () => {
    const send = edge({ RHEO_QUOTA_REQUESTS_PER_SECOND: '1' })
    await send('GET', '/v1/capabilities')
    later(-60_000)
    expectLimited(await send('GET', '/v1/capabilities'), 1)
    later(60_000)
    expectLimited(await send('GET', '/v1/capabilities'), 1)
    later(1_000)
    expect((await send('GET', '/v1/capabilities')).status).toBe(200)
  })

  it('is real time, whatever Rheo-Now says', async () => {
    const send = edge({ RHEO_QUOTA_REQUESTS_PER_SECOND: '1', RHEO_TEST_CLOCK: '1' })
    const at = (now: string) => send('GET', '/v1/capabilities', { headers: { 'Rheo-Now': now } })
    await at('2026-01-01T00:00:00Z')
    expectLimited(await at('2026-01-01T01:00:00Z'), 1)
  })
})

describe('RHEO_QUOTA_EVENTS_PER_SECOND', () => {
  it('counts appended events; what is refused is not written', async () => {
    const send = edge({ RHEO_QUOTA_EVENTS_PER_SECOND: '10' })
    expect((await send('POST', path, events(9))).status).toBe(201)
    expect((await send('POST', path, { body: {} })).status).toBe(201)
    expectLimited(await send('POST', path, { body: {} }), 1)
    expectLimited(await send('POST', path, events(10)), 1)
    expect(backend.commands('append')).toHaveLength(2)
    expect((await send('POST', path, events(0))).status).toBe(200)
    expect((await send('GET', '/v1/capabilities')).status).toBe(200)
    later(900)
    expectLimited(await send('POST', path, events(10)), 1)
    expect((await send('POST', path, events(9))).status).toBe(201)
  })

  it('lets a batch beyond a second`s worth through when nothing is used up, and others pay for it', async () => {
    const send = edge({ RHEO_QUOTA_EVENTS_PER_SECOND: '10' })
    expect((await send('POST', path, events(45))).status).toBe(201)
    expectLimited(await send('POST', path, events(1)), 4)
    expectLimited(await send('POST', path, events(45)), 5)
    later(3_600)
    expect((await send('POST', path, events(1))).status).toBe(201)
    expectLimited(await send('POST', path, events(45)), 1)
  })

  it('is not used up by a body that is refused', async () => {
    const send = edge({ RHEO_QUOTA_EVENTS_PER_SECOND: '1' })
    for (const raw of ['{', '{"foo":1}', '{"events":[{},{"type":1}]}']) {
      expect((await send('POST', path, { raw })).status).toBe(400)
    }
    expect((await send('POST', path, { body: {} })).status).toBe(201)
  })
})

describe('RHEO_QUOTA_STREAMS and RHEO_QUOTA_GROUPS', () => {
  const quotas = { RHEO_QUOTA_STREAMS: '3', RHEO_QUOTA_GROUPS: '2' }

  it('go to the catalog, which counts; without them the limits do', async () => {
    backend.catalogAnswer = () => refused(failure('rate_limited', 'full', { retryAfterSeconds: 60 }))
    for (const send of [edge(quotas), edge({})]) {
      expectLimited(await send('POST', '/v1/streams', { body: { name: 's' } }), 60)
      expectLimited(await send('POST', '/v1/streams/orders/groups', { body: { name: 'g' } }), 60)
    }
    expect(backend.asked).toMatchObject([
      { maxStreams: 3 },
      { maxGroups: 2 },
      { maxStreams: 10_000 },
      { maxGroups: 1_000 },
    ])
  })
})

describe('a quota that cannot be read', () => {
  const names = ['REQUESTS_PER_SECOND', 'EVENTS_PER_SECOND', 'STREAMS', 'GROUPS'] as const

  it.each(names)('RHEO_QUOTA_%s lets nothing through but health, and says so in answer and log', async (name) => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const variable = `RHEO_QUOTA_${name}` as const
    for (const value of ['', '0', '-1', '1.5', '1e3', ' 10', '10/s', 'unlimited', '1234567890']) {
      const send = edge({ [variable]: value })
      const answer = await send('GET', '/v1/capabilities')
      expectLimited(answer, 60)
      expect(answer.body.detail).toContain(variable)
      expect((await send('GET', '/v1/health')).status).toBe(200)
    }
    expect(warn.mock.calls.filter(([text]) => String(text).includes(variable))).toHaveLength(1)
  })

  it('is told to nobody who is not let in', async () => {
    const answer = await edge({ RHEO_QUOTA_STREAMS: 'x' })('GET', '/v1/capabilities', { host: 'rheo.example' })
    expect(answer.status).toBe(401)
  })
})
