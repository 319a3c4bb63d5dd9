import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Backlog } from './backlog.ts'
import { FakeBackend, type Waiting } from './fake-backend.ts'
import { type Send, type SendOptions, type Sent, sendTo } from './send.ts'

let backend: FakeBackend
let backlog: Backlog
let send: Send

beforeEach(() => {
  backend = new FakeBackend()
  backend.addStream('orders', 3)
  backend.addGroup('orders', 'billing')
  backlog = new Backlog([0, 0, 0], () => 'all_leased')
  backend.answer = (received) => backlog.give(received)
  send = sendTo(backend)
})
afterEach(() => {
  vi.useRealTimers()
})

const fetch = (body: object, options: SendOptions = {}): Promise<Sent> =>
  send('POST', '/v1/streams/orders/groups/billing/fetch', { body, ...options })

/** Resolves when so many waits have begun, all rounds together. */
const waits = (count: number): Promise<Waiting[]> =>
  new Promise((resolve) => {
    backend.onWait = () => {
      if (backend.waiting.length === count) resolve(backend.waiting)
    }
  })

describe('S3.6 a waiting fetch', () => {
  it('waits for nothing when there is work, or when waitMs is 0', async () => {
    backlog.left[1] = 1
    expect((await fetch({ waitMs: 20_000 })).body.leases).toHaveLength(1)
    expect((await fetch({ waitMs: 0 })).body.reason).toBe('all_leased')
    expect(backend.waiting).toHaveLength(0)
  })

  it('fetches again when one partition says work, and stops the other waits', async () => {
    const answer = fetch({ waitMs: 20_000 })
    const waiting = await waits(3)
    expect(waiting.map(({ partition }) => partition).toSorted()).toEqual([0, 1, 2])
    expect(waiting.every(({ signal }) => !signal.aborted)).toBe(true)
    backlog.left[2] = 1
    waiting.find(({ partition }) => partition === 2)!.wake('work')
    expect((await answer).body.leases).toHaveLength(1)
    expect(waiting.every(({ signal }) => signal.aborted)).toBe(true)
  })

  it('waits on when another took the work', async () => {
    const answer = fetch({ waitMs: 20_000 })
    ;(await waits(3))[0]!.wake('work')
    const again = await waits(6)
    backlog.left[0] = 1
    again[4]!.wake('work')
    expect((await answer).body.leases).toHaveLength(1)
  })

  it('is empty with its reason when all partitions time out or are full', async () => {
    const answer = fetch({ waitMs: 20_000 })
    const [a, b, c] = await waits(3)
    a!.wake('timeout')
    b!.wake('full')
    c!.wake('timeout')
    expect((await answer).body).toEqual({ leases: [], reason: 'all_leased' })
    expect(backend.commands('fetch')).toHaveLength(3)
  })

  it('waits only where it asked', async () => {
    const answer = fetch({ waitMs: 20_000, partitions: [1] })
    const [only] = await waits(1)
    expect(only!.partition).toBe(1)
    only!.wake('timeout')
    await answer
  })

  it('takes a wait that fails for a wake-up, but fetches at most once in 100 ms', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    const answer = fetch({ waitMs: 250 })
    for (const round of [1, 2, 3]) {
      await vi.waitFor(() => expect(backend.waiting).toHaveLength(3 * round), { interval: 0 })
      expect(backend.commands('fetch')).toHaveLength(3 * round)
      backend.waiting.at(-1)!.fail()
      await vi.advanceTimersByTimeAsync(99)
      if (round < 3) expect(backend.commands('fetch')).toHaveLength(3 * round)
      await vi.advanceTimersByTimeAsync(1)
    }
    expect((await answer).body.reason).toBe('all_leased')
    expect(backend.commands('fetch')).toHaveLength(12)
  })

  it('S3.7 of a group that goes answers what the fetch after it is told', async () => {
    const answer = fetch({ waitMs: 20_000 })
    const waiting = await waits(3)
    backend.groups.clear()
    backend.answer = () => ({ status: 'moved' })
    waiting[0]!.wake('work')
    expect((await answer).body.code).toBe('group_not_found')
  })

  it('stops all waits when the client goes, and fetches nothing more', async () => {
    const gone = new AbortController()
    const answer = fetch({ waitMs: 20_000 }, { signal: gone.signal })
    const waiting = await waits(3)
    gone.abort()
    expect((await answer).text).toBe('')
    expect(waiting.every(({ signal }) => signal.aborted)).toBe(true)
    expect(backend.commands('fetch')).toHaveLength(3)
  })
})
