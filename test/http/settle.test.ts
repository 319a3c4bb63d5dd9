import { beforeEach, describe, expect, it, vi } from 'vitest'
import { failure } from '../../src/core/failure.ts'
import { formatLeaseId, formatReceipt } from '../../src/core/lease-id.ts'
import { type Answer, done, moved, refused } from '../../src/core/partition/commands.ts'
import { Backlog } from './backlog.ts'
import { FakeBackend, objectError, type Received } from './fake-backend.ts'
import { type Send, sendTo } from './send.ts'

const path = '/v1/streams/orders/groups/billing'
const token = 'A'.repeat(22)
const leaseId = (partition: number, sequence: number): string => formatLeaseId({ partition, sequence, token })
const receipt = (partition: number): string => formatReceipt({ partition, first: 1, last: 9, count: 9, token })
const stale = { ok: false, code: 'stale_lease' } as const
let backend: FakeBackend
let send: Send

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  backend = new FakeBackend()
  backend.addStream('orders', 4)
  backend.addGroup('orders', 'billing')
  backend.answer = settled
  send = sendTo(backend)
})

/** Settles whatever looks like a lease of the partition. */
function settled({ partition, command }: Received): Answer<unknown> {
  if (command.type !== 'settle') throw new Error(`nobody expected ${command.type}`)
  const results = command.items.map((item) =>
    item.leaseId.startsWith(`${partition}.`) ? { ok: true, state: 'acked', dueAtMs: null } : stale,
  )
  return done({ results })
}

const post = (verb: string, body: unknown) => send('POST', `${path}/${verb}`, { body })

describe('S4.8 settling many', () => {
  it('sends each item to the partition its leaseId names, and answers in input order', async () => {
    const ids = [leaseId(2, 5), leaseId(0, 1), 'no lease', leaseId(2, 6), leaseId(200, 1)]
    const { body } = await post('ack', { leases: ids.map((leaseId) => ({ leaseId })) })
    expect(body).toEqual({
      results: [
        { leaseId: ids[0], ok: true, state: 'acked' },
        { leaseId: ids[1], ok: true, state: 'acked' },
        { leaseId: ids[2], ...stale },
        { leaseId: ids[3], ok: true, state: 'acked' },
        { leaseId: ids[4], ...stale },
      ],
      settled: 3,
      failed: 2,
    })
    const sent = backend.commands('settle').map(({ partition, command }) => [partition, command.items.length])
    expect(sent.toSorted()).toEqual([
      [0, 3],
      [2, 2],
    ])
  })

  it('gives the items of a partition that fails its code, and the others their results', async () => {
    backend.answer = (received) => {
      if (received.partition === 1) throw objectError()
      if (received.partition === 2) throw objectError({ overloaded: true })
      if (received.partition === 3) throw objectError({ notStarted: true })
      return settled(received)
    }
    const { status, body } = await post('ack', { leases: [1, 0, 2, 3].map((p) => ({ leaseId: leaseId(p, 1) })) })
    expect(status).toBe(200)
    const codes = body.results.map((result: { ok: boolean; code?: string }) => result.code ?? result.ok)
    expect(codes).toEqual(['ambiguous', true, 'overloaded', 'backend_unavailable'])
    expect([body.settled, body.failed]).toEqual([1, 3])
  })

  it('asks afresh for the items of partitions that moved, and keeps the results of the others', async () => {
    let turn = 0
    backend.answer = (received) => {
      if (received.partition === 1 && turn++ === 0) return moved
      return settled(received)
    }
    const { body } = await post('ack', { leases: [0, 1, 0].map((p, n) => ({ leaseId: leaseId(p, n + 1) })) })
    expect(body).toMatchObject({ settled: 3, failed: 0 })
    const sent = backend.commands('settle').map(({ partition }) => partition)
    expect(sent.toSorted()).toEqual([0, 1, 1])
  })

  it('tells the items of a partition that moves twice, and those of the others stand', async () => {
    backend.answer = (received) => (received.partition === 1 ? moved : settled(received))
    const { status, body } = await post('ack', { leases: [0, 1].map((p) => ({ leaseId: leaseId(p, 1) })) })
    expect(status).toBe(200)
    expect(body.results[1]).toEqual({ leaseId: leaseId(1, 1), ok: false, code: 'backend_unavailable' })
    expect(body.settled).toBe(1)
  })

  it('is group_not_found as a whole when the group has gone', async () => {
    backend.answer = (received) => {
      backend.groups.clear()
      return received.partition === 1 ? moved : settled(received)
    }
    const { body } = await post('ack', { leases: [0, 1].map((p) => ({ leaseId: leaseId(p, 1) })) })
    expect(body.code).toBe('group_not_found')
  })
})

describe('settling one', () => {
  it('answers the state, and when a delayed one is due', async () => {
    backend.answer = () => done({ results: [{ ok: true, state: 'delayed', dueAtMs: 1_000 }] })
    expect((await post('nack', { leaseId: leaseId(0, 1) })).body).toEqual({
      ok: true,
      state: 'delayed',
      dueAt: '1970-01-01T00:00:01.000Z',
    })
    backend.answer = () => done({ results: [{ ok: true, state: 'leased', dueAtMs: 1_000 }] })
    expect((await post('renew', { leaseId: leaseId(0, 1), leaseMs: 50 })).body).toEqual({
      ok: true,
      expiresAt: '1970-01-01T00:00:01.000Z',
    })
  })

  it('is a problem when it fails, be it the lease or its partition', async () => {
    for (const [code, status] of [
      ['stale_lease', 409],
      ['receipt_mismatch', 409],
    ] as const) {
      backend.answer = () => done({ results: [{ ok: false, code }] })
      const answer = await post('ack', { leaseId: leaseId(1, 1) })
      expect([answer.status, answer.body.code, answer.body.leaseId]).toEqual([status, code, leaseId(1, 1)])
    }
    backend.answer = () => {
      throw objectError()
    }
    expect((await post('ack', { leaseId: leaseId(1, 1) })).body).toMatchObject({ code: 'ambiguous', partitions: [1] })
    backend.answer = ({ partition }) => refused(failure('overloaded', 'full', { partition }))
    expect((await post('ack', { leaseId: leaseId(1, 1) })).body).toMatchObject({ code: 'overloaded', partition: 1 })
  })

  it('takes a lease as it was fetched, and ignores all of it but leaseId and receipt', async () => {
    const lease = { leaseId: leaseId(0, 1), receipt: receipt(0), stream: 'x', group: 'x', partition: 3, sequence: 9 }
    const rest = { eventId: 'x', attempt: 99, consumerId: null, leasedAt: 'x', expiresAt: 'x', event: { a: [1] } }
    expect((await post('nack', { ...lease, ...rest, delayMs: 5, reason: 'r' })).status).toBe(200)
    expect(backend.commands('settle')[0]!.command.items).toEqual([
      { leaseId: lease.leaseId, receipt: lease.receipt, outcome: 'nack', reason: 'r', delayMs: 5, leaseMs: null },
    ])
  })
})

describe('settling whole claims', () => {
  it('sends each receipt to its partition and counts what it settled', async () => {
    backend.answer = ({ partition, command }) => {
      if (command.type !== 'settleClaims') throw new Error('unexpected')
      return done({
        results: command.claims.receipts.map(() => (partition === 3 ? stale : { ok: true, count: 4, lost: 1 })),
      })
    }
    const receipts = [receipt(3), receipt(1), 'none']
    const { body } = await post('nack', { receipts, delayMs: 7 })
    expect(body).toEqual({
      results: [
        { receipt: receipts[0], ...stale },
        { receipt: receipts[1], ok: true, count: 4, lost: 1 },
        { receipt: 'none', ok: true, count: 4, lost: 1 },
      ],
      settled: 2,
      failed: 1,
    })
    expect(backend.commands('settleClaims')[0]!.command.claims).toMatchObject({
      outcome: 'nack',
      delayMs: 7,
      reason: null,
    })
  })
})

describe('settle with a fetch', () => {
  const items = [{ leaseId: leaseId(0, 1), outcome: 'ack' }]

  it('answers the results and the leases', async () => {
    const backlog = new Backlog([0, 0, 0, 2])
    backend.answer = (received) => (received.command.type === 'fetch' ? backlog.give(received) : settled(received))
    const { body } = await post('settle', { items, fetch: { limit: 5 } })
    expect(body).toMatchObject({ settled: 1, failed: 0, results: [{ ok: true }] })
    expect(body.leases).toHaveLength(2)
    const empty = await post('settle', { items, fetch: {} })
    expect(empty.body).toMatchObject({ settled: 1, leases: [], reason: 'caught_up' })
  })

  it('answers fetchError when only the fetch failed', async () => {
    backend.answer = (received) => {
      if (received.command.type === 'fetch') throw objectError()
      return settled(received)
    }
    const { status, body } = await post('settle', { items, fetch: { partition: 2 } })
    expect(status).toBe(200)
    expect(body.fetchError).toMatchObject({ code: 'backend_unavailable', partitions: [2] })
    expect(body).toMatchObject({ settled: 1 })
  })

  it.each([
    [{ waitMs: 5 }, 'invalid_request', 'fetch.waitMs'],
    [{ limit: 0 }, 'invalid_request', 'fetch.limit'],
    [{ partition: 0, partitions: [1] }, 'invalid_request', 'fetch.partitions'],
    [{ partitions: [] }, 'invalid_partition', 'fetch.partitions'],
    [{ partition: 4 }, 'invalid_partition', 'fetch.partition'],
  ])('refuses the fetch %j before anything is settled', async (fetch, code, named) => {
    const { status, body } = await post('settle', { items, fetch })
    expect([status, body.code]).toEqual([400, code])
    expect(body.detail).toContain(named)
    expect(backend.received).toHaveLength(0)
  })
})

describe('S8.13 a malformed item', () => {
  it.each([
    ['ack', { leases: [{ leaseId: 'x' }, { leaseId: 5 }] }, 'leases[1].leaseId'],
    ['ack', { leases: [{ leaseId: 'x', reason: 'r' }] }, 'leases[0].reason'],
    ['ack', { leases: [], reason: 'r' }, 'leases'],
    ['ack', { leases: [{ leaseId: 'x' }], receipts: ['y'] }, 'receipts'],
    ['ack', { leaseId: 'x', delayMs: 1 }, 'delayMs'],
    ['ack', { leaseId: 'x'.repeat(257) }, 'leaseId'],
    ['nack', { leaseId: 'x', reason: 'r'.repeat(1_001) }, 'reason'],
    ['nack', { leaseId: 'x', delayMs: 43_200_001 }, 'delayMs'],
    ['reject', { leaseId: 'x', delayMs: 1 }, 'delayMs'],
    ['renew', { receipts: ['x'] }, 'leaseId'],
    ['release', { receipts: ['x'] }, 'leaseId'],
    ['nack', { receipts: [] }, 'receipts'],
    ['nack', { receipts: Array(1_001).fill('x') }, 'receipts'],
    ['settle', { items: [{ leaseId: 'x', outcome: 'renew' }] }, 'items[0].outcome'],
    ['settle', { items: [{ leaseId: 'x' }] }, 'items[0].outcome'],
    ['settle', { items: [{ leaseId: 'x', outcome: 'reject', delayMs: 1 }] }, 'items[0].delayMs'],
  ])('of %s refuses the whole call: %j names %s', async (verb, body, field) => {
    const answer = await post(verb, body)
    expect(answer.body).toMatchObject({ code: 'invalid_request', field })
    expect(backend.received).toHaveLength(0)
  })
})
