import { beforeEach, describe, expect, it, vi } from 'vitest'
import { failure } from '../../src/core/failure.ts'
import { done, moved, refused } from '../../src/core/partition/commands.ts'
import { Lru } from '../../src/http/lru.ts'
import { FakeBackend, objectError } from './fake-backend.ts'
import { type Send, sendTo } from './send.ts'

const lag = '/v1/streams/orders/groups/billing/lag'
let backend: FakeBackend
let send: Send

beforeEach(() => {
  for (const level of ['warn', 'error'] as const) vi.spyOn(console, level).mockImplementation(() => {})
  backend = new FakeBackend()
  backend.addStream('orders', 2, 'old')
  backend.addGroup('orders', 'billing', 'g-old')
  backend.answer = () => done({ frontier: 1, highWatermark: 3, lag: 2 })
  send = sendTo(backend)
})

/** The stream and its group are created anew, with another partition count; partitions of the old one say so. */
function recreate(): void {
  backend.addStream('orders', 3, 'new')
  backend.addGroup('orders', 'billing', 'g-new')
  const answer = backend.answer
  backend.answer = (received) => (received.uid === 'old' ? moved : answer(received))
}

const nothing = refused(failure('failed', 'nothing is here', {}))

/** Lets the edge look up the stream and the group. */
async function rememberOrders(): Promise<void> {
  backend.answer = () => nothing
  await send('GET', '/v1/streams/orders/events')
  await send('GET', lag)
}

describe('what the edge knows of the catalog', () => {
  it('is asked once and then kept, so that hot calls touch partitions only', async () => {
    for (let turn = 0; turn < 3; turn++) expect((await send('GET', lag)).body.lag).toBe(4)
    expect(backend.asked).toEqual([{ type: 'group', stream: 'orders', group: 'billing' }])
  })

  it('is dropped when a partition answers moved: asked afresh, tried once more, as a whole', async () => {
    await send('GET', lag)
    recreate()
    const { body } = await send('GET', lag)
    expect(Object.keys(body.partitions)).toEqual(['0', '1', '2'])
    expect(backend.asked).toHaveLength(2)
    const uids = backend.received.slice(2).map(({ uid }) => uid)
    expect(uids).toEqual(['old', 'old', 'new', 'new', 'new'])
    await send('GET', lag)
    expect(backend.asked).toHaveLength(2)
  })

  it('routes an append anew over the partitions that the stream has now', async () => {
    backend.answer = () => done({ first: 1, duplicates: [] })
    const post = () => send('POST', '/v1/streams/orders/events', { body: { key: 'k2' } })
    await post()
    recreate()
    expect((await post()).body.event.id).toMatch(/^evt_new_/)
  })

  it.each([
    ['GET', '/v1/streams/orders/events?partition=2', undefined],
    ['POST', '/v1/streams/orders/events', { partition: 2 }],
    ['GET', '/v1/streams/orders/events/some-id?partition=2', undefined],
    ['POST', '/v1/streams/orders/groups/billing/fetch', { partition: 2 }],
    ['GET', '/v1/streams/orders/groups/billing/holes?partition=2', undefined],
    ['GET', '/v1/streams/orders/groups/billing/dead-letters?partition=2', undefined],
    ['POST', '/v1/streams/orders/groups/billing/replay', { fromSequence: 0, partition: 2 }],
    ['GET', '/v1/streams/orders/tail?partition=2', undefined],
  ])('refuses nothing before a fresh look: %s %s %o', async (method, path, body) => {
    await rememberOrders()
    const asked = backend.asked.length
    recreate()
    backend.answer = ({ uid }) => (uid === 'old' ? moved : nothing)
    expect((await send(method, path, { body })).body?.code ?? 'streamed').not.toBe('invalid_partition')
    expect(backend.asked).toHaveLength(asked + 1)
  })

  it('believes a refusal after a fresh look, and asks no object for it', async () => {
    await rememberOrders()
    const asked = backend.asked.length
    const received = backend.received.length
    expect((await send('GET', '/v1/streams/orders/events?partition=2')).body.code).toBe('invalid_partition')
    expect([backend.asked.length, backend.received.length]).toEqual([asked + 1, received])
  })

  it('says that the stream has gone when the catalog does', async () => {
    await send('GET', lag)
    backend.answer = () => moved
    backend.streams.clear()
    expect((await send('GET', lag)).body.code).toBe('stream_not_found')
  })

  it('is backend_unavailable when a partition moves again after a fresh look', async () => {
    backend.answer = () => moved
    const answer = await send('GET', lag)
    expect([answer.status, answer.body.code]).toEqual([503, 'backend_unavailable'])
    expect(backend.received).toHaveLength(4)
  })

  it('holds nothing negative: what was not there a moment ago is found', async () => {
    const path = '/v1/streams/later/groups/billing/lag'
    expect((await send('GET', path)).body.code).toBe('stream_not_found')
    backend.addStream('later', 1)
    expect((await send('GET', path)).body.code).toBe('group_not_found')
    backend.addGroup('later', 'billing')
    expect((await send('GET', path)).status).toBe(200)
  })

  it('is of one tenant', async () => {
    await send('GET', lag)
    await send('GET', lag, { headers: { 'Rheo-Tenant': 'acme' } })
    expect(backend.asked).toHaveLength(2)
  })

  it('is bounded: what was used longest ago goes first', () => {
    const known = new Lru<number>(2)
    known.set('a', 1)
    known.set('b', 2)
    known.get('a')
    known.set('c', 3)
    expect(['a', 'b', 'c'].map((key) => known.get(key))).toEqual([1, undefined, 3])
  })
})

describe('S7 objects that fail', () => {
  it('a read is tried once more, then backend_unavailable with the partitions', async () => {
    backend.answer = ({ partition }) => {
      if (partition === 1) throw objectError()
      return done({ frontier: 0, highWatermark: 0, lag: 0 })
    }
    const answer = await send('GET', lag)
    expect(answer.body).toMatchObject({ code: 'backend_unavailable', partitions: [1] })
    expect(answer.headers.get('Retry-After')).toBe('1')
    expect(backend.received.filter(({ partition }) => partition === 1)).toHaveLength(2)
  })

  it('an overloaded object is not asked again', async () => {
    backend.answer = () => {
      throw objectError({ overloaded: true })
    }
    expect((await send('GET', lag)).body.code).toBe('overloaded')
    expect(backend.received).toHaveLength(2)
  })

  it.each([
    ['GET', '/v1/streams', undefined, {}, 'backend_unavailable', 2],
    ['GET', '/v1/streams', undefined, { overloaded: true }, 'overloaded', 1],
    ['POST', '/v1/streams', { name: 'a' }, {}, 'ambiguous', 1],
    ['POST', '/v1/streams', { name: 'a' }, { notStarted: true }, 'backend_unavailable', 2],
    ['GET', lag, undefined, {}, 'backend_unavailable', 2],
  ] as const)('a catalog that throws: %s %s %j %j is %s', async (method, path, body, marks, code, asked) => {
    backend.catalogAnswer = () => {
      throw objectError(marks)
    }
    expect((await send(method, path, { body })).body.code).toBe(code)
    expect(backend.asked).toHaveLength(asked)
  })

  it('what a partition refuses is passed on', async () => {
    const gone = failure('group_not_found', 'gone', { stream: 'orders', group: 'billing' })
    backend.answer = ({ partition }) => {
      if (partition === 0) throw objectError()
      return refused(gone)
    }
    expect((await send('GET', lag)).body.code).toBe('group_not_found')
  })
})
