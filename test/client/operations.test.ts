import { beforeAll, describe, expect, test } from 'vitest'
import {
  AlreadyExistsError,
  CursorNotFoundError,
  EventNotFoundError,
  GroupNotFoundError,
  IdConflictError,
  InvalidNameError,
  InvalidRequestError,
  type Lease,
  NoEventsInRangeError,
  type Rheo,
  SequenceConflictError,
  StaleLeaseError,
  StreamNotFoundError,
} from '../../src/client/index.ts'
import { newClient } from './server.ts'

/* Every operation of the SDK once, against a real server: names, shapes and failures are those of the wire. */

let rheo: Rheo

beforeAll(() => {
  rheo = newClient()
})

/** A stream with events and a group, both named for the test. */
async function prepare(stream: string, events: number, partitionCount = 1): Promise<void> {
  await rheo.streams.create(stream, { partitionCount })
  await rheo.groups.create(stream, 'g')
  if (events === 0) return
  await rheo.appendMany(
    stream,
    Array.from({ length: events }, (_, n) => ({ type: 'made', payload: { n }, partition: n % partitionCount })),
  )
}

describe('system', () => {
  test('health and capabilities', async () => {
    expect(await rheo.health()).toMatchObject({ status: 'ok' })
    const { guarantees, limits } = await rheo.capabilities()
    expect(guarantees.leaseFencing).toBe(true)
    expect(limits.fetchEvents).toBe(1000)
  })
})

describe('streams', () => {
  test('are created, listed, shown and deleted', async () => {
    const own = newClient()
    await own.streams.create('a')
    await own.streams.create('b', { partitionCount: 3 })
    await expect(own.streams.create('b')).rejects.toThrow(AlreadyExistsError)
    const first = await own.streams.list({ limit: 1 })
    expect(first.streams.map(({ name }) => name)).toEqual(['a'])
    const second = await own.streams.list({ after: first.nextCursor! })
    expect(second).toMatchObject({ streams: [{ name: 'b', partitionCount: 3 }], nextCursor: null })
    expect(Object.keys((await own.streams.get('b')).partitions)).toEqual(['0', '1', '2'])
    expect(await own.streams.delete('b', { confirm: true })).toBeUndefined()
    await expect(own.streams.get('b')).rejects.toThrow(StreamNotFoundError)
  })

  test('names that a URL would swallow are refused before anything is sent', async () => {
    for (const name of ['', '.', '..', '\ud800']) {
      await expect(rheo.groups.delete('orders', name, { confirm: true })).rejects.toThrow(InvalidNameError)
    }
  })
})

describe('events', () => {
  test('are appended one by one and many at once, read, looked up and found', async () => {
    await prepare('events', 0, 2)
    const one = await rheo.append('events', { type: 'a', partition: 1, payload: { total: 12.5 }, id: 'mine' })
    expect(one).toMatchObject({ partition: 1, sequence: 1, duplicate: false, payload: { total: 12.5 } })
    expect(await rheo.append('events', { type: 'a', partition: 1, payload: { total: 12.5 }, id: 'mine' })).toEqual({
      ...one,
      duplicate: true,
    })
    const many = await rheo.appendMany('events', [{ partition: 1 }, { partition: 0, timestamp: new Date(0) }])
    expect(many.map(({ sequence }) => sequence)).toEqual([2, 1])
    expect(many[1]!.timestamp).toBe('1970-01-01T00:00:00.000Z')

    const page = await rheo.read<{ total: number }>('events', { partition: 1, limit: 1 })
    expect(page).toMatchObject({ nextAfter: 1, highWatermark: 2 })
    expect(page.events[0]!.payload.total).toBe(12.5)
    const found = await rheo.event('events', 'mine', { partition: 1, groups: true })
    expect(found.groups).toMatchObject([{ group: 'g', state: 'undelivered' }])
    await expect(rheo.event('events', 'nobody')).rejects.toThrow(EventNotFoundError)
    expect((await rheo.query('events', { where: { total: { gt: 12 } } })).events).toHaveLength(1)
    await expect(rheo.query('events', { cursor: 'mine' })).rejects.toThrow(CursorNotFoundError)
  })

  test('streamQuery gives every match in order, page by page, and keeps to its limit', async () => {
    await prepare('found', 0)
    for (let batch = 0; batch < 3; batch++) {
      await rheo.appendMany(
        'found',
        Array.from({ length: 700 }, (_, n) => ({ payload: { n: 700 * batch + n } })),
      )
    }
    const all: number[] = []
    for await (const { sequence } of rheo.streamQuery('found', { where: { n: { lt: 2000 } } })) all.push(sequence)
    expect(all).toEqual(Array.from({ length: 2000 }, (_, n) => n + 1))
    const some: number[] = []
    for await (const { sequence } of rheo.streamQuery('found', { descending: true, limit: 1500 })) some.push(sequence)
    expect(some).toHaveLength(1500)
    expect(some[1499]).toBe(601)
  })

  test('a failed condition and a used id carry what the server says', async () => {
    await prepare('conditions', 1)
    await rheo.append('conditions', {}, { expectedSequence: 1 })
    const late = rheo.append('conditions', {}, { expectedSequence: 1 })
    await expect(late).rejects.toThrow(SequenceConflictError)
    await expect(late).rejects.toMatchObject({ data: { expectedSequence: 1, highWatermark: 2 }, status: 409 })
    await rheo.append('conditions', { id: 'x' })
    await expect(rheo.append('conditions', { id: 'x', type: 'other' })).rejects.toThrow(IdConflictError)
    const wrong = rheo.append('conditions', { type: 1 as unknown as string })
    await expect(wrong).rejects.toThrow(InvalidRequestError)
    await expect(wrong).rejects.toMatchObject({ data: { field: 'type' } })
  })
})

describe('groups', () => {
  test('are created, listed, shown, updated and deleted', async () => {
    await prepare('grouped', 2)
    const group = await rheo.groups.create('grouped', 'late', { startAfter: { 0: 1 }, backoff: { baseMs: 100 } })
    expect(group).toMatchObject({ start: { '0': 1 }, backoff: { baseMs: 100, factor: 2 } })
    expect((await rheo.groups.list('grouped')).groups.map(({ name }) => name)).toEqual(['g', 'late'])
    expect(await rheo.groups.update('grouped', 'late', { maxAttempts: 2, backoff: null })).toMatchObject({
      maxAttempts: 2,
      backoff: null,
    })
    expect(await rheo.groups.get('grouped', 'late')).toMatchObject({ lag: { lag: 1 }, inFlight: 0 })
    expect(await rheo.groups.lag('grouped', 'late')).toMatchObject({ lag: 1 })
    await rheo.groups.delete('grouped', 'late', { confirm: true })
    await expect(rheo.groups.lag('grouped', 'late')).rejects.toThrow(GroupNotFoundError)
  })

  test('replay, reset, holes, leases and the release of a consumer', async () => {
    await prepare('again', 4)
    const { leases } = await rheo.fetch('again', 'g', { limit: 4, consumerId: 'me' })
    await rheo.ackMany({ stream: 'again', group: 'g' }, [leases[0]!, leases[2]!])
    const { partitions } = await rheo.groups.holes('again', 'g')
    expect(partitions['0']).toMatchObject({ frontier: 1, blockedBy: { sequence: 2, consumerId: 'me' } })
    expect((await rheo.groups.leases('again', 'g', { consumerId: 'me' })).leases).toHaveLength(2)
    expect(await rheo.groups.releaseConsumer('again', 'g', 'me')).toEqual({ released: 2 })
    expect(await rheo.groups.replay('again', 'g', { fromSequence: 0, dryRun: true })).toMatchObject({ reopened: 4 })
    expect(await rheo.groups.replay('again', 'g', { query: { where: { n: 0 } } })).toMatchObject({ reopened: 1 })
    const future = rheo.groups.replay('again', 'g', { from: '2999-01-01T00:00:00.000Z' })
    await expect(future).rejects.toThrow(NoEventsInRangeError)
    expect(await rheo.groups.reset('again', 'g', { confirm: true, start: 'latest' })).toMatchObject({
      partitions: { '0': { lag: 0 } },
    })
  })

  test('dead letters are listed and redriven', async () => {
    await prepare('dead', 2)
    const { leases } = await rheo.fetch('dead', 'g')
    expect(await rheo.reject(leases[0]!, { reason: 'no' })).toEqual({ state: 'rejected' })
    const { deadLetters } = await rheo.deadLetters.list('dead', 'g')
    expect(deadLetters).toMatchObject([{ sequence: 1, reason: 'no', cause: 'rejected', event: { type: 'made' } }])
    const [letter] = deadLetters
    expect(await rheo.deadLetters.redrive('dead', 'g', { eventIds: [letter!.eventId] })).toMatchObject({ redriven: 1 })
  })
})

describe('settles', () => {
  test('one, many and whole claims', async () => {
    await prepare('settled', 8)
    const ref = { stream: 'settled', group: 'g' }
    const { leases } = await rheo.fetch('settled', 'g', { limit: 5, leaseMs: 60_000 })
    const [a, b, c, d, e] = [0, 1, 2, 3, 4].map((n) => leases[n]!) as [Lease, Lease, Lease, Lease, Lease]
    expect(await rheo.ack(a)).toEqual({ state: 'acked' })
    await expect(rheo.ack(a)).rejects.toThrow(StaleLeaseError)
    await expect(rheo.ack(a)).rejects.toMatchObject({ data: { leaseId: a.leaseId } })
    expect(await rheo.nack(b, { reason: 'later', delayMs: 60_000 })).toMatchObject({ state: 'delayed' })
    expect(await rheo.release(c)).toEqual({ state: 'available' })
    const renewed = await rheo.renew(d, { leaseMs: 120_000 })
    expect(Date.parse(renewed.expiresAt)).toBeGreaterThan(Date.parse(d.expiresAt))
    expect(await rheo.renewMany(ref, [d, a])).toMatchObject({
      results: [{ ok: true }, { ok: false, code: 'stale_lease' }],
    })
    expect(await rheo.ackClaims(ref, [e.receipt])).toMatchObject({ results: [{ ok: true, count: 2, lost: 3 }] })

    const next = await rheo.fetch('settled', 'g', { limit: 2 })
    const items = next.leases.map(({ leaseId }) => ({ leaseId, outcome: 'ack' as const }))
    const settled = await rheo.settle(ref, items, { fetch: { limit: 10 } })
    expect(settled).toMatchObject({ settled: 2, failed: 0, fetched: { leases: [{ sequence: 7 }, { sequence: 8 }] } })
    expect(await rheo.settle(ref, [{ leaseId: 'none', outcome: 'ack' }], { fetch: {} })).toMatchObject({
      failed: 1,
      fetched: { leases: [], reason: 'all_delayed' },
    })
  })

  test('without gathering each goes by itself and says the same', async () => {
    const plain = newClient({ gather: false })
    await plain.streams.create('plain')
    await plain.groups.create('plain', 'g')
    await plain.append('plain', {})
    const { leases } = await plain.fetch('plain', 'g')
    expect(await plain.ack(leases[0]!)).toEqual({ state: 'acked' })
    await expect(plain.ack(leases[0]!)).rejects.toThrow(StaleLeaseError)
  })
})
