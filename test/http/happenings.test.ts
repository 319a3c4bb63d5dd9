import { beforeEach, describe, expect, it, vi } from 'vitest'
import { failure } from '../../src/core/failure.ts'
import type { Happening } from '../../src/core/happening.ts'
import { done, moved, refused } from '../../src/core/partition/commands.ts'
import type { DataPoint } from '../../src/http/vars.ts'
import { FakeBackend, objectError } from './fake-backend.ts'
import { type Send, sendTo } from './send.ts'
import { mint, secret } from './tokens.ts'

const group = '/v1/streams/orders/groups/billing'
let backend: FakeBackend
let told: Happening[]
let points: DataPoint[]
let send: Send

beforeEach(() => {
  for (const level of ['warn', 'error'] as const) vi.spyOn(console, level).mockImplementation(() => {})
  backend = new FakeBackend()
  backend.addStream('orders', 2)
  backend.addGroup('orders', 'billing')
  told = []
  points = []
  const dataset = { writeDataPoint: (point: DataPoint) => void points.push(point) }
  send = sendTo(
    backend,
    { RHEO_AUTH: 'open', RHEO_METRICS: dataset },
    [],
    null,
    (happening) => void told.push(happening),
  )
})

/** What was told beside the call itself. */
const toldOf = (): Happening[] => told.filter(({ event }) => event !== 'call')
const lease = (partition: number, sequence: number) => `${partition}.${sequence}.${'A'.repeat(22)}`

describe('a command in a partition', () => {
  it('is told with who, where, how many, how long and the id of its request', async () => {
    backend.answer = () => done({ first: 1, duplicates: [{ index: 0, event: '{"id":"a"}' }] })
    const { headers } = await send('POST', '/v1/streams/orders/events', { body: { events: [{}, {}, {}] } })
    expect(toldOf()).toEqual([
      {
        event: 'append',
        tenant: 'default',
        stream: 'orders',
        group: '',
        partition: 0,
        result: 'ok',
        code: null,
        count: 2,
        duplicates: 1,
        durationMs: expect.any(Number),
        requestId: headers.get('Rheo-Request-Id'),
      },
    ])
  })

  it('settles are told by what was asked and how it ended, each once for a partition', async () => {
    backend.answer = ({ command, partition }) => {
      if (command.type !== 'settle') throw new Error(command.type)
      if (partition === 1) throw objectError()
      const results = command.items.map((_, index) =>
        index === 1 ? { ok: false, code: 'stale_lease' } : { ok: true, state: 'acked', dueAtMs: null },
      )
      return done({ results })
    }
    const outcomes = ['ack', 'ack', 'ack', 'nack', 'reject', 'release'] as const
    const items = outcomes.map((outcome, sequence) => ({ outcome, leaseId: lease(0, sequence + 1) }))
    items.push({ outcome: 'ack', leaseId: lease(1, 1) })
    await send('POST', `${group}/settle`, { body: { items } })
    expect(toldOf().map(({ partition, event, code, count }) => [partition, event, code, count])).toEqual(
      expect.arrayContaining([
        [0, 'ack', null, 2],
        [0, 'ack', 'stale_lease', 1],
        [0, 'retry', null, 1],
        [0, 'reject', null, 1],
        [0, 'release', null, 1],
        [1, 'ack', 'ambiguous', 1],
      ]),
    )
    expect(toldOf()).toHaveLength(6)
  })

  it('whole claims are told with how many deliveries they settled', async () => {
    backend.answer = () =>
      done({
        results: [
          { ok: true, count: 40, lost: 2 },
          { ok: false, code: 'stale_lease' },
        ],
      })
    const receipt = `0.1.42.42.${'A'.repeat(22)}`
    await send('POST', `${group}/ack`, { body: { receipts: [receipt, receipt] } })
    expect(toldOf().map(({ event, result, code, count }) => [event, result, code, count])).toEqual([
      ['ack', 'ok', null, 40],
      ['ack', 'failed', 'stale_lease', 1],
    ])
  })

  it('an empty fetch is told with its reason', async () => {
    backend.answer = () => done({ count: 0, bytes: 0, receipt: null, leases: '', reason: 'paused' })
    await send('POST', `${group}/fetch`, { body: { partition: 1 } })
    expect(toldOf()).toMatchObject([{ event: 'fetch', partition: 1, count: 0, reason: 'paused', result: 'ok' }])
  })

  it('what it is refused is told with its code', async () => {
    backend.answer = () => refused(failure('partition_full', 'full', { partition: 0 }))
    await send('POST', '/v1/streams/orders/events', { body: {} })
    expect(toldOf()).toMatchObject([{ event: 'append', result: 'failed', code: 'partition_full', count: 1 }])
  })

  it('a replay is told of each partition, a dry one of none', async () => {
    const lag = { frontier: 0, highWatermark: 3, lag: 3 }
    backend.answer = () => done({ reopened: 3, inRange: true, ...lag })
    await send('POST', `${group}/replay`, { body: { fromSequence: 0, dryRun: true } })
    expect(toldOf()).toEqual([])
    await send('POST', `${group}/replay`, { body: { fromSequence: 0 } })
    expect(toldOf()).toMatchObject([
      { event: 'replay', group: 'billing', partition: 0, count: 3 },
      { event: 'replay', group: 'billing', partition: 1, count: 3 },
    ])
  })

  it('a redrive, a release by an operator and a reset are told', async () => {
    const lag = { frontier: 0, highWatermark: 3, lag: 3 }
    const located = { stream: backend.streams.get('orders'), group: backend.groups.get('orders/billing') }
    backend.catalogAnswer = () => done(located)
    backend.answer = ({ command }) => {
      if (command.type === 'redrive') return done({ redriven: 2, ...lag })
      return done(command.type === 'lag' ? lag : { released: 4 })
    }
    await send('POST', `${group}/dead-letters/redrive`, { body: { all: true } })
    await send('POST', `${group}/leases/release`, { body: { consumerId: 'worker' } })
    await send('POST', `${group}/reset`, { body: { confirm: true, partition: 1 } })
    expect(toldOf().map(({ event, partition, count }) => [event, partition, count])).toEqual([
      ['redrive', 0, 2],
      ['redrive', 1, 2],
      ['release', 0, 4],
      ['release', 1, 4],
      ['reset', 1, undefined],
    ])
  })

  it('reads, and what a partition answers that is not meant, are not told', async () => {
    backend.answer = () => moved
    await send('POST', '/v1/streams/orders/events', { body: {} })
    backend.answer = () => done({ frontier: 0, highWatermark: 0, lag: 0 })
    await send('GET', `${group}/lag`)
    expect(toldOf()).toEqual([])
  })
})

describe('a call', () => {
  it('is told when it has been answered, as an event and as a data point', async () => {
    backend.answer = () => done({ first: 1, duplicates: [] })
    await send('POST', '/v1/streams/orders/events', { body: {} })
    const route = 'POST /v1/streams/:stream/events'
    expect(told.at(-1)).toMatchObject({ event: 'call', route, stream: 'orders', status: 201, result: 'ok', code: null })
    expect(points).toEqual([
      {
        indexes: ['default'],
        blobs: [route, 'orders', '', 'ok'],
        doubles: [201, expect.any(Number), 4, 2, 2],
      },
    ])
  })

  it.each([
    ['GET', '/v1/streams/none', 404, 'GET /v1/streams/:stream', 'stream_not_found'],
    ['PUT', '/v1/streams', 405, 'PUT /v1/streams', 'method_not_allowed'],
    ['GET', '/v1/nothing/of/the/kind', 404, 'GET *', 'not_found'],
    ['INVENTED', '/v1/streams', 405, 'other /v1/streams', 'method_not_allowed'],
  ])('that fails is told with its code: %s %s', async (method, path, status, route, code) => {
    await send(method, path)
    expect(told).toMatchObject([{ event: 'call', status, route, result: 'failed', code }])
    expect(points[0]!.blobs.at(-1)).toBe(code)
  })

  it('of a caller that was not let in says nothing that the caller chose', async () => {
    const vars = { RHEO_AUTH: 'token', RHEO_JWT_SECRET: secret }
    const watched = sendTo(backend, vars, [], null, (happening) => void told.push(happening))
    await watched('GET', '/v1/streams/chosen/groups/chosen', { headers: { 'Rheo-Tenant': 'chosen' } })
    expect(told).toMatchObject([{ tenant: '', stream: '', group: '', code: 'unauthenticated' }])
    const headers = { Authorization: `Bearer ${mint({ tenant: 'acme' })}` }
    await watched('GET', '/v1/streams/orders', { headers })
    expect(JSON.stringify(told)).not.toContain(headers.Authorization.slice(7))
    expect(told.at(-1)).toMatchObject({ tenant: 'acme', stream: 'orders' })
  })

  it('has an index of at most 96 bytes, whatever the length of its tenant', async () => {
    await send('GET', '/v1/capabilities', { headers: { 'Rheo-Tenant': 't'.repeat(128) } })
    expect(points[0]!.indexes).toEqual(['t'.repeat(96)])
  })
})
