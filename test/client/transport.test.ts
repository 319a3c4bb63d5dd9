import { describe, expect, test } from 'vitest'
import {
  AmbiguousError,
  BackendUnavailableError,
  FailedError,
  ForbiddenError,
  IdConflictError,
  InvalidRequestError,
  NotFoundError,
  RateLimitedError,
  Rheo,
  RheoError,
  UnauthenticatedError,
} from '../../src/client/index.ts'
import { newWorld } from './consumer-world.ts'
import { problem } from './fake-server.ts'

const event = {
  id: 'e1',
  stream: 's',
  partition: 0,
  sequence: 1,
  type: null,
  key: null,
  timestamp: '2026-03-15T12:00:00.000Z',
  payload: {},
  metadata: {},
}
const lease = { stream: 's', group: 'g', leaseId: 'l' }

describe('what is repeated', () => {
  test('a read, with full jitter in a bound that doubles', async () => {
    const { clock, server, rheo } = newWorld({ retry: { attempts: 5 } })
    clock.chance = 0.999_999
    server.plan = () => ({ breaks: 'before' })
    const call = rheo.groups.lag('s', 'g').catch((error: unknown) => error)
    await clock.advance(60_000)
    expect(await call).toBeInstanceOf(BackendUnavailableError)
    const times = server.calls.map(({ atMs }) => atMs)
    expect(times.slice(1).map((atMs, index) => Math.round(atMs - times[index]!))).toEqual([100, 200, 400, 800])
    expect(clock.timers).toBe(0)
  })

  test('S2.7: an append, under one idempotency key, so that nothing is doubled', async () => {
    const { clock, server, rheo } = newWorld()
    let failures = 3
    server.plan = () =>
      failures-- > 0 ? { breaks: 'after' } : { answer: { status: 200, body: { event, duplicate: true } } }
    const call = rheo.append('s', { type: 'a' })
    await clock.advance(10_000)
    expect(await call).toEqual({ ...event, duplicate: true })
    const keys = server.calls.map(({ headers }) => headers['Idempotency-Key'])
    expect(keys).toHaveLength(4)
    expect(new Set(keys).size).toBe(1)
    expect(keys[0]).toMatch(/^[\x20-\x7e]{20,128}$/)
  })

  test('keys differ from call to call and from client to client', async () => {
    const { server, rheo } = newWorld()
    server.plan = () => ({ answer: { status: 201, body: { event } } })
    await rheo.append('s', {})
    await rheo.append('s', {})
    await new Rheo({ fetch: server.fetch }).append('s', {})
    await rheo.append('s', {}, { idempotencyKey: 'mine' })
    const keys = server.calls.map(({ headers }) => headers['Idempotency-Key'])
    expect(new Set(keys).size).toBe(4)
    expect(keys[3]).toBe('mine')
  })

  test('an append without a key is not, after a lost answer', async () => {
    const { clock, server, rheo } = newWorld()
    server.plan = () => ({ breaks: 'after' })
    const call = rheo.append('s', {}, { idempotencyKey: null }).catch((error: unknown) => error)
    await clock.advance(10_000)
    expect(await call).toBeInstanceOf(AmbiguousError)
    expect(server.calls).toHaveLength(1)
    expect(server.calls[0]!.headers).not.toHaveProperty('Idempotency-Key')
  })

  test.each([
    ['ack', (rheo: Rheo) => rheo.ack(lease)],
    ['ackMany', (rheo: Rheo) => rheo.ackMany(lease, [lease])],
    ['ackClaims', (rheo: Rheo) => rheo.ackClaims(lease, ['r'])],
    ['settle', (rheo: Rheo) => rheo.settle(lease, [{ leaseId: 'l', outcome: 'ack' }])],
  ])('S7: %s is never: its second try would be told stale_lease by the success of the first', async (_, settle) => {
    for (const plan of [{ breaks: 'after' } as const, { answer: problem(503, 'overloaded') }]) {
      const { clock, server, rheo } = newWorld()
      server.plan = () => plan
      const call = settle(rheo).catch((error: unknown) => error)
      await clock.advance(10_000)
      expect(await call).toBeInstanceOf(RheoError)
      expect(server.calls).toHaveLength(1)
    }
  })

  test.each([
    ['renew', (rheo: Rheo) => rheo.renew(lease)],
    ['update', (rheo: Rheo) => rheo.groups.update('s', 'g', { paused: true })],
    ['dry replay', (rheo: Rheo) => rheo.groups.replay('s', 'g', { fromSequence: 0, dryRun: true })],
    ['query', (rheo: Rheo) => rheo.query('s')],
  ])('%s, because twice is as good as once', async (_, work) => {
    const { clock, server, rheo } = newWorld()
    server.plan = () => ({ breaks: 'after' })
    const call = work(rheo).catch((error: unknown) => error)
    await clock.advance(10_000)
    await call
    expect(server.calls).toHaveLength(4)
  })

  test.each([
    ['create', (rheo: Rheo) => rheo.streams.create('s')],
    ['delete', (rheo: Rheo) => rheo.groups.delete('s', 'g', { confirm: true })],
    ['fetch', (rheo: Rheo) => rheo.fetch('s', 'g')],
    ['replay', (rheo: Rheo) => rheo.groups.replay('s', 'g', { fromSequence: 0 })],
    ['redrive', (rheo: Rheo) => rheo.deadLetters.redrive('s', 'g', { all: true })],
  ])('%s only after the server has said that nothing was done', async (_, work) => {
    const { clock, server, rheo } = newWorld()
    server.plan = () => ({ breaks: 'after' })
    const lost = work(rheo).catch((error: unknown) => error)
    await clock.advance(10_000)
    expect(await lost).toBeInstanceOf(AmbiguousError)
    expect(server.calls).toHaveLength(1)
    let refusals = 1
    server.plan = () => (refusals-- > 0 ? { answer: problem(503, 'overloaded') } : undefined)
    const refused = work(rheo)
    await clock.advance(10_000)
    await refused
    expect(server.calls).toHaveLength(3)
  })

  test('nothing, with retry: false; and no failure that would only come again', async () => {
    const { server, rheo } = newWorld({ retry: false })
    server.plan = () => ({ breaks: 'before' })
    await expect(rheo.health()).rejects.toThrow(BackendUnavailableError)
    expect(server.calls).toHaveLength(1)
    const other = newWorld()
    other.server.plan = () => ({ answer: problem(400, 'invalid_request', { field: 'limit' }) })
    await expect(other.rheo.query('s')).rejects.toThrow(InvalidRequestError)
    expect(other.server.calls).toHaveLength(1)
  })

  test('Retry-After is waited for, in seconds or as a date, unless it is longer than a minute', async () => {
    const { clock, server, rheo } = newWorld()
    clock.chance = 0
    const answers = ['2', new Date(Date.now() + 3_500).toUTCString()]
    server.plan = () => {
      const retryAfter = answers.shift()
      if (retryAfter === undefined) return undefined
      return { answer: { ...problem(429, 'rate_limited'), headers: { 'Retry-After': retryAfter } } }
    }
    const call = rheo.health()
    await clock.advance(1_999)
    expect(server.calls).toHaveLength(1)
    await clock.advance(1)
    expect(server.calls).toHaveLength(2)
    await clock.advance(1_000)
    expect(server.calls).toHaveLength(2)
    await clock.advance(3_000)
    await call
    expect(server.calls).toHaveLength(3)

    server.plan = () => ({ answer: { ...problem(429, 'rate_limited'), headers: { 'Retry-After': '3600' } } })
    const refused = rheo.health()
    await expect(refused).rejects.toThrow(RateLimitedError)
    await expect(refused).rejects.toMatchObject({ retryAfterMs: 3_600_000 })
  })
})

describe('time and abort', () => {
  test('a try that takes too long counts as no answer; the wait of a fetch comes on top', async () => {
    const { clock, server, rheo } = newWorld({ timeoutMs: 1_000, retry: false })
    server.plan = () => ({ thereMs: 3_600_000 })
    const read = rheo.health().catch((error: unknown) => error)
    const write = rheo.streams.create('s').catch((error: unknown) => error)
    const fetched = rheo.fetch('s', 'g', { waitMs: 5_000 }).catch((error: unknown) => error)
    await clock.advance(1_000)
    expect(await read).toBeInstanceOf(BackendUnavailableError)
    expect(await write).toBeInstanceOf(AmbiguousError)
    expect(await write).toMatchObject({ status: 0, detail: 'no answer: over 1000 ms' })
    await clock.advance(4_999)
    let isOver = false
    void fetched.then(() => {
      isOver = true
    })
    await clock.settle()
    expect(isOver).toBe(false)
    await clock.advance(1)
    expect(await fetched).toBeInstanceOf(AmbiguousError)
    expect(clock.timers).toBe(0)
  })

  test('an abort ends a call with the reason of its signal, in flight, between tries and before', async () => {
    const { clock, server, rheo } = newWorld()
    const reason = new Error('enough')
    server.plan = () => ({ thereMs: 1_000 })
    const inFlight = new AbortController()
    const first = rheo.health({ signal: inFlight.signal })
    await clock.advance(10)
    inFlight.abort(reason)
    await expect(first).rejects.toBe(reason)

    server.plan = () => ({ answer: { ...problem(503, 'overloaded'), headers: { 'Retry-After': '10' } } })
    const between = new AbortController()
    const second = rheo.health({ signal: between.signal })
    await clock.advance(10)
    between.abort(reason)
    await expect(second).rejects.toBe(reason)

    const calls = server.calls.length
    await expect(rheo.health({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    await expect(rheo.append('s', {}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    expect(server.calls.length).toBe(calls)
    expect(clock.timers).toBe(0)
  })
})

describe('answers', () => {
  test('every failure is of the class of its code and carries what the server says', async () => {
    const { server, rheo } = newWorld()
    server.plan = () => ({
      answer: { ...problem(409, 'id_conflict', { id: 'mine' }), headers: { 'Rheo-Request-Id': 'r-1' } },
    })
    const call = rheo.append('s', { id: 'mine' })
    await expect(call).rejects.toThrow(IdConflictError)
    await expect(call).rejects.toMatchObject({
      name: 'IdConflictError',
      code: 'id_conflict',
      message: 'id_conflict: it is id_conflict',
      detail: 'it is id_conflict',
      status: 409,
      requestId: 'r-1',
      data: { id: 'mine' },
    })
  })

  test.each([
    [401, UnauthenticatedError],
    [403, ForbiddenError],
    [404, NotFoundError],
    [429, RateLimitedError],
    [500, FailedError],
    [502, AmbiguousError],
    [504, AmbiguousError],
  ])('a %i of something in between is the nearest class', async (status, Class) => {
    const { server, rheo } = newWorld({ retry: false })
    server.plan = () => ({ answer: { status, body: '<h1>proxy</h1>' } })
    await expect(rheo.streams.create('s')).rejects.toThrow(Class)
  })

  test('a code of a later version is failed, and keeps its name', async () => {
    const { server, rheo } = newWorld()
    server.plan = () => ({ answer: problem(409, 'too_new') })
    await expect(rheo.health()).rejects.toMatchObject({ code: 'failed', data: { serverCode: 'too_new' }, status: 409 })
  })

  test('a good status with a body that is cut short is no answer', async () => {
    const { server, rheo } = newWorld({ retry: false })
    server.plan = () => ({ answer: { status: 201, body: '{"name":"s' } })
    await expect(rheo.streams.create('s')).rejects.toThrow(AmbiguousError)
    await expect(rheo.streams.get('s')).rejects.toThrow(BackendUnavailableError)
  })
})

describe('requests', () => {
  test('carry token, tenant and headers; the token may be given anew before each try', async () => {
    let n = 0
    const { clock, server, rheo } = newWorld({
      token: async () => `token-${++n}`,
      tenant: 't',
      headers: { 'Rheo-Now': 'then' },
    })
    let failures = 1
    server.plan = () => (failures-- > 0 ? { breaks: 'before' } : undefined)
    const call = rheo.health()
    await clock.advance(1_000)
    await call
    expect(server.calls.map(({ headers }) => headers)).toEqual([
      { Authorization: 'Bearer token-1', 'Rheo-Tenant': 't', 'Rheo-Now': 'then' },
      { Authorization: 'Bearer token-2', 'Rheo-Tenant': 't', 'Rheo-Now': 'then' },
    ])
  })

  test('a token that cannot be had is unauthenticated, and nothing is sent', async () => {
    const { server, rheo } = newWorld({
      token: () => {
        throw new Error('no key')
      },
    })
    await expect(rheo.health()).rejects.toMatchObject({ code: 'unauthenticated', detail: 'no token: no key' })
    expect(server.calls).toEqual([])
  })

  test('go to localhost without a url, as a service binding wants; names are encoded', async () => {
    const urls: string[] = []
    const fetch = async (url: string) => {
      urls.push(url)
      return new Response('{}')
    }
    await new Rheo({ fetch }).streams.get('a b/c?')
    await new Rheo({ fetch, url: 'https://rheo.example/base//' }).groups.leases('s', 'g', {
      consumerId: 'a&b',
      limit: 3,
    })
    expect(urls).toEqual([
      'http://localhost/v1/streams/a%20b%2Fc%3F',
      'https://rheo.example/base/v1/streams/s/groups/g/leases?consumerId=a%26b&limit=3',
    ])
    expect(() => new Rheo({})).toThrow(TypeError)
  })
})
