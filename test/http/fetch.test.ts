import { beforeEach, describe, expect, it, vi } from 'vitest'
import { failure } from '../../src/core/failure.ts'
import { parseLeaseId, parseReceipt } from '../../src/core/lease-id.ts'
import { done, refused } from '../../src/core/partition/commands.ts'
import { Backlog } from './backlog.ts'
import { FakeBackend, objectError } from './fake-backend.ts'
import { type Send, sendTo } from './send.ts'

const path = '/v1/streams/orders/groups/billing/fetch'
let backend: FakeBackend
let send: Send

function over(partitionCount: number): void {
  backend = new FakeBackend()
  backend.addStream('orders', partitionCount)
  backend.addGroup('orders', 'billing')
  send = sendTo(backend)
}

/** Serves a backlog from now on. */
function serve(left: readonly number[], reason?: ConstructorParameters<typeof Backlog>[1]): Backlog {
  const backlog = new Backlog(left, reason)
  backend.answer = (received) => backlog.give(received)
  return backlog
}

const fetch = (body: object) => send('POST', path, { body })
const partitionsOf = (leases: { partition: number }[]) => leases.map((lease) => lease.partition)

beforeEach(() => over(4))

describe('a fetch over partitions', () => {
  it('S3.4 costs one object when the first partition has enough', async () => {
    serve([100, 100, 100, 100])
    const answer = await fetch({ limit: 10 })
    expect(answer.body.leases).toHaveLength(10)
    expect(answer.body).not.toHaveProperty('reason')
    expect(backend.received).toHaveLength(1)
  })

  it('S3.4 is filled to its limit and no further, however the work lies', async () => {
    for (const left of [
      [3, 0, 50, 1],
      [1, 1, 1, 1],
      [0, 0, 0, 9],
      [2, 2, 2, 40],
      [7, 7, 7, 7],
    ]) {
      for (const limit of [1, 2, 3, 5, 9, 28, 100]) {
        const backlog = serve(left)
        const total = left.reduce((a, b) => a + b)
        const { body } = await fetch({ limit })
        expect(body.leases, `${left} ${limit}`).toHaveLength(Math.min(limit, total))
        expect(backlog.left.reduce((a, b) => a + b)).toBe(total - Math.min(limit, total))
      }
    }
  })

  it('S3.4 asks a partition again that gave all of its share', async () => {
    serve([1, 1, 1, 100])
    expect((await fetch({ limit: 60 })).body.leases).toHaveLength(60)
  })

  it('S8.9 starves no partition: each comes first in turn, however much the others have', async () => {
    serve([1e6, 1e6, 1e6, 1e6])
    const first: number[] = []
    for (let turn = 0; turn < 8; turn++) first.push(...partitionsOf((await fetch({ limit: 1 })).body.leases))
    expect(first.slice(0, 4).toSorted()).toEqual([0, 1, 2, 3])
    expect(first.slice(4)).toEqual(first.slice(0, 4))
  })

  it.each([1, 2, 100])(
    'S3.4 finds the only event of 64 partitions in a few round trips with limit %i',
    async (limit) => {
      over(64)
      serve(Array.from({ length: 64 }, (_, partition) => (partition === 40 ? 1 : 0)))
      expect(partitionsOf((await fetch({ limit })).body.leases)).toEqual([40])
      const fetches = backend.received.filter(({ command }) => command.type === 'fetch')
      // Waves of at most eight, one more if the last of them found it, then one question to all that are left, and a
      // fetch from the one that has work.
      expect(fetches.length).toBeLessThanOrEqual(24)
      expect(backend.received.length).toBeLessThanOrEqual(66)
    },
  )

  it('S3.7 has the reason of partitions that were only asked whether they have work', async () => {
    over(64)
    serve(
      Array.from({ length: 64 }, () => 0),
      (partition) => (partition === 40 ? 'all_delayed' : 'all_leased'),
    )
    expect((await fetch({ limit: 1 })).body).toEqual({ leases: [], reason: 'all_delayed' })
  })

  it('S3.5 a partition that gives in several turns has one receipt, under which the whole claim is settled', async () => {
    serve([8, 6, 6, 0])
    for (let turn = 0; turn < 4; turn++) {
      const { leases } = (await fetch({ limit: 20 })).body as { leases: { partition: number; receipt: string }[] }
      const receipts = new Map(leases.map(({ partition, receipt }) => [partition, receipt]))
      for (const { partition, receipt } of leases) expect(receipt).toBe(receipts.get(partition))
      for (const [partition, receipt] of receipts) {
        expect(parseReceipt(receipt)!.count).toBe(leases.filter((lease) => lease.partition === partition).length)
      }
      serve([8, 6, 6, 0])
    }
  })

  it('S3.5 gives every claim a token of its own', async () => {
    serve([1, 1, 1, 1])
    const { body } = await fetch({ limit: 10 })
    const tokens = body.leases.map((lease: { leaseId: string }) => parseLeaseId(lease.leaseId)!.token)
    expect(new Set(tokens).size).toBe(4)
  })

  it('bounds the bytes of an answer over all partitions together, however many have one great event', async () => {
    over(64)
    const asked = new Set<number>()
    backend.answer = ({ partition }) => {
      const isNew = !asked.has(partition)
      asked.add(partition)
      if (!isNew) return done({ count: 0, bytes: 0, receipt: null, leases: '', reason: 'all_leased' })
      return done({ count: 1, bytes: 1_048_576, receipt: 'r', leases: '{"leaseId":"x"}', reason: null })
    }
    const { body } = await fetch({ limit: 100 })
    expect(body.leases).toHaveLength(8)
  })

  it('asks only the partitions it names, each once', async () => {
    serve([5, 5, 5, 5])
    const { body } = await fetch({ limit: 20, partitions: [2, 1, 2] })
    expect(new Set(partitionsOf(body.leases))).toEqual(new Set([1, 2]))
    expect(body.leases).toHaveLength(10)
    expect(partitionsOf((await fetch({ partition: 3, limit: 2 })).body.leases)).toEqual([3, 3])
  })

  it('hands leaseMs and consumerId on, and null where there is none', async () => {
    serve([1, 0, 0, 0])
    await fetch({ leaseMs: 50, consumerId: 'w', partition: 0 })
    await fetch({ partition: 0 })
    const [given, none] = backend.commands('fetch').map(({ command }) => command.fetch)
    expect(given).toMatchObject({ group: 'uid-orders-billing', leaseMs: 50, consumerId: 'w', limit: 10 })
    expect(none).toMatchObject({ leaseMs: null, consumerId: null })
  })
})

describe('an empty fetch', () => {
  it('S3.7 has the first reason that holds over the asked partitions', async () => {
    const reasons = ['caught_up', 'all_leased', 'in_flight_limit', 'all_delayed'] as const
    serve([0, 0, 0, 0], (partition) => reasons[partition]!)
    expect((await fetch({})).body).toEqual({ leases: [], reason: 'in_flight_limit' })
    expect((await fetch({ partitions: [0, 1, 3] })).body.reason).toBe('all_delayed')
    expect((await fetch({ partitions: [0, 1] })).body.reason).toBe('all_leased')
    expect((await fetch({ partition: 0 })).body.reason).toBe('caught_up')
  })
})

describe('S7 a fetch of which partitions fail', () => {
  beforeEach(() => {
    vi.spyOn(console, 'warn').mockImplementation(() => {})
  })

  it('returns the leases it has', async () => {
    const backlog = serve([0, 0, 0, 3])
    backend.answer = (received) => {
      if (received.partition === 1) throw objectError()
      return backlog.give(received)
    }
    const answer = await fetch({})
    expect(answer.status).toBe(200)
    expect(answer.body.leases).toHaveLength(3)
  })

  it('fails when it has none, and names the partitions', async () => {
    const backlog = serve([0, 0, 0, 0])
    backend.answer = (received) => {
      if (received.partition === 1 || received.partition === 2) throw objectError()
      return backlog.give(received)
    }
    const answer = await fetch({})
    expect([answer.status, answer.body.code]).toEqual([503, 'backend_unavailable'])
    expect(answer.body.partitions.toSorted()).toEqual([1, 2])
    expect(answer.headers.get('Retry-After')).toBe('1')
  })

  it('is not sent again, because an unheard claim would spend attempts', async () => {
    backend.answer = () => {
      throw objectError()
    }
    await fetch({ partition: 2 })
    expect(backend.received).toHaveLength(1)
  })

  it('is overloaded when all that failed refused load', async () => {
    backend.answer = () => {
      throw objectError({ overloaded: true })
    }
    expect((await fetch({})).body.code).toBe('overloaded')
    backend.answer = ({ partition }) => refused(failure('overloaded', 'full', { partition }))
    expect((await fetch({})).body.code).toBe('overloaded')
  })
})

describe('S3.5 a client that has gone', () => {
  it('leaves no lease behind: what comes in is released, and no further partition is asked', async () => {
    const kept: Promise<unknown>[] = []
    const gone = new AbortController()
    const backlog = serve([2, 2, 2, 2])
    backend.answer = (received) => {
      if (received.command.type === 'settle') return done({ results: [] })
      // A runtime drops what nobody told it to finish, so this must be told before the client goes.
      expect(kept).toHaveLength(1)
      gone.abort()
      return backlog.give(received)
    }
    await sendTo(backend, { RHEO_AUTH: 'open' }, kept)('POST', path, { body: { limit: 9 }, signal: gone.signal })
    await Promise.all(kept)
    const [claimed, ...others] = backend.commands('fetch')
    expect(others).toEqual([])
    const { partition, command } = claimed!
    const [released] = backend.commands('settle')
    expect(released!.partition).toBe(partition)
    expect(released!.command.items.map((item) => [item.outcome, item.leaseId])).toEqual([
      ['release', `${partition}.1.${command.fetch.token}`],
      ['release', `${partition}.2.${command.fetch.token}`],
    ])
  })
})
