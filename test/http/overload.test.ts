import { beforeEach, describe, expect, it, vi } from 'vitest'
import { failure } from '../../src/core/failure.ts'
import { done, refused } from '../../src/core/partition/commands.ts'
import { FakeBackend, objectError } from './fake-backend.ts'
import { type Send, type Sent, sendTo } from './send.ts'

const stream = '/v1/streams/orders'
const group = `${stream}/groups/billing`
const lease = { leaseId: `0.1.${'a'.repeat(22)}` }

/** Calls that reach partitions, each right in itself. */
const calls: readonly (readonly [method: string, path: string, body: object | undefined])[] = [
  ['GET', stream, undefined],
  ['POST', `${stream}/events`, { events: [{ partition: 0 }, { partition: 1 }] }],
  ['GET', `${stream}/events`, undefined],
  ['GET', `${stream}/events/an-id`, undefined],
  ['POST', `${stream}/query`, {}],
  ['GET', group, undefined],
  ['GET', `${group}/lag`, undefined],
  ['GET', `${group}/holes`, undefined],
  ['GET', `${group}/leases`, undefined],
  ['POST', `${group}/leases/release`, { consumerId: 'worker' }],
  ['GET', `${group}/dead-letters`, undefined],
  ['POST', `${group}/dead-letters/redrive`, { all: true }],
  ['POST', `${group}/fetch`, {}],
  ['POST', `${group}/ack`, lease],
  ['POST', `${group}/replay`, { fromSequence: 0 }],
  ['POST', `${group}/replay`, { from: '2026-01-01T00:00:00Z' }],
  ['POST', `${group}/replay`, { query: { limit: 3 } }],
]

/** Calls that the catalog alone decides. */
const catalogCalls: typeof calls = [
  ['POST', '/v1/streams', { name: 'invoices' }],
  ['GET', '/v1/streams', undefined],
  ['DELETE', `${stream}?confirm=true`, undefined],
  ['POST', `${stream}/groups`, { name: 'audit' }],
  ['GET', `${stream}/groups`, undefined],
  ['PATCH', group, { paused: true }],
  ['DELETE', `${group}?confirm=true`, undefined],
  ['POST', `${group}/reset`, { confirm: true }],
  ['POST', `${stream}/events`, {}],
]

let backend: FakeBackend
let send: Send
beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  backend = new FakeBackend()
  backend.addStream('orders', 2)
  backend.addGroup('orders', 'billing')
  send = sendTo(backend)
})

function expectOverloaded({ status, body, headers }: Sent): void {
  expect([status, body.code, headers.get('Retry-After')]).toEqual([503, 'overloaded', '1'])
}

describe('an object that refuses load', () => {
  it.each(calls)('is asked once, and the caller told to hold back: %s %s %j', async (method, path, body) => {
    backend.answer = () => {
      throw objectError({ overloaded: true })
    }
    expectOverloaded(await send(method, path, { body }))
    const asked = backend.received.map(({ partition }) => partition)
    expect(asked.length).toBeGreaterThan(0)
    expect(new Set(asked).size).toBe(asked.length)
  })

  it.each(calls)('may say so itself: %s %s %j', async (method, path, body) => {
    backend.answer = ({ partition }) => refused(failure('overloaded', 'full', { partition }))
    expectOverloaded(await send(method, path, { body }))
    const asked = backend.received.map(({ partition }) => partition)
    expect(new Set(asked).size).toBe(asked.length)
  })

  it.each(catalogCalls)('be it the catalog, is asked once: %s %s %j', async (method, path, body) => {
    backend.catalogAnswer = () => {
      throw objectError({ overloaded: true })
    }
    expectOverloaded(await send(method, path, { body }))
    expect(backend.asked).toHaveLength(1)
  })

  it('ends a waiting fetch, which does not come back to it every moment until waitMs is over', async () => {
    backend.answer = () => done({ count: 0, bytes: 0, receipt: null, leases: '', reason: 'caught_up' })
    backend.wait = () => Promise.reject(objectError({ overloaded: true }))
    expectOverloaded(await send('POST', `${group}/fetch`, { body: { waitMs: 20_000 } }))
    expect(backend.received).toHaveLength(2)
  })
})
