import { describe, expect, test } from 'vitest'
import {
  AlreadyDrainingError,
  AlreadyStartedError,
  ack,
  type HandlerContext,
  type Outcome,
  Rheo,
  reject,
  retry,
} from '../../src/client/index.ts'
import { drained, newWorld } from './consumer-world.ts'
import { problem } from './fake-server.ts'

describe('S10.1: outcomes', () => {
  test('ack, retry(reason, delay) and reject(reason) settle the event', async () => {
    const { clock, server, told, consume } = newWorld()
    server.append(3)
    const outcomes: Record<number, Outcome> = { 1: ack, 2: retry('later', { delayMs: 5_000 }), 3: reject('never') }
    const consumer = await consume({ handler: (event) => outcomes[event.sequence]! })
    await clock.advance(0)
    expect(server.states).toEqual({ acked: 1, open: 1, rejected: 1 })
    expect(server.delivery(2)).toMatchObject({ reason: 'later', dueAtMs: clock.now() + 5_000 })
    expect(server.delivery(3).reason).toBe('never')
    expect(told('acked')).toMatchObject([{ lease: { sequence: 1 } }])
    expect(told('retried')).toMatchObject([{ lease: { sequence: 2 }, reason: 'later', state: 'available' }])
    expect(told('rejected')).toMatchObject([{ lease: { sequence: 3 }, reason: 'never' }])
    await drained(clock, consumer)
  })

  test('a throw is a retry with its reason, and any other value is a retry too', async () => {
    const { clock, server, told, consume } = newWorld()
    server.append(4)
    const handlers: Record<number, () => unknown> = {
      1: () => {
        throw new Error('out of paper')
      },
      2: async () => {
        throw 'no error'
      },
      3: () => undefined,
      4: () => ({ outcome: 'acked' }),
    }
    const consumer = await consume({
      handler: (event, { attempt }) => (attempt === 1 ? (handlers[event.sequence]!() as Outcome) : ack),
    })
    await clock.advance(0)
    expect(told('retried').map(({ reason }) => reason)).toEqual([
      'out of paper',
      'no error',
      'the handler returned undefined, which is no outcome',
      'the handler returned [object Object], which is no outcome',
    ])
    expect(told('error').map(({ during, lease }) => [during, lease?.sequence])).toEqual([
      ['handler', 1],
      ['handler', 2],
    ])
    expect(server.states).toEqual({ acked: 4 })
    await drained(clock, consumer)
  })

  test('S8.13: a reason or delay that the server would refuse is put right, so that no neighbour suffers', async () => {
    const { clock, server, consume } = newWorld()
    server.append(2)
    const wild = [
      retry(`\ud800${'x'.repeat(2_000)}`, { delayMs: -3.7 }),
      retry('late', { delayMs: Number.POSITIVE_INFINITY }),
    ]
    const consumer = await consume({
      concurrency: 2,
      handler: (event, { attempt }) => (attempt === 1 ? wild[event.sequence - 1]! : ack),
    })
    await clock.settle()
    const items = server.of('settle').flatMap(({ body }) => body.items)
    expect(items[0]).toMatchObject({ reason: `\ufffd${'x'.repeat(999)}`, delayMs: 0 })
    expect(items.find(({ reason }) => reason === 'late')).toMatchObject({ delayMs: 43_200_000 })
    await drained(clock, consumer)
  })

  test('the context is read-only: attempt, lease, signal, and what setup gave', async () => {
    const { clock, server, rheo } = newWorld()
    server.append(1)
    const seen: HandlerContext<{ n: number }, { db: string }>[] = []
    const consumer = await rheo.consumer({
      stream: 's',
      group: 'g',
      setup: async () => ({ db: 'mine' }),
      handler: (event: { payload: { n: number } }, context: HandlerContext<{ n: number }, { db: string }>) => {
        seen.push(context)
        expect(event.payload.n).toBe(1)
        return ack
      },
    })
    await clock.advance(0)
    expect(seen[0]).toMatchObject({ attempt: 1, setup: { db: 'mine' }, lease: { sequence: 1 } })
    expect(Object.isFrozen(seen[0])).toBe(true)
    expect(Object.isFrozen(seen[0]!.setup)).toBe(true)
    await drained(clock, consumer)
  })

  test('a refusing setup stops the start, and the group is free for another', async () => {
    const { clock, server, consume } = newWorld()
    const refused = consume({
      handler: () => ack,
      setup: () => {
        throw new Error('no database')
      },
    })
    await expect(refused).rejects.toThrow('no database')
    expect(server.calls).toEqual([])
    await drained(clock, await consume({ handler: () => ack }))
  })
})

describe('S10.2: one consumer for each group, and its bounds', () => {
  test('a second start fails with already_started until the first has ended', async () => {
    const { clock, rheo, consume } = newWorld()
    const consumer = await consume({ handler: () => ack })
    const second = consume({ handler: () => ack })
    await expect(second).rejects.toThrow(AlreadyStartedError)
    await expect(second).rejects.toMatchObject({ data: { stream: 's', group: 'g' } })
    expect(() => rheo.leases({ stream: 's', group: 'g' })).toThrow(AlreadyStartedError)
    const other = await consume({ group: 'h', handler: () => ack })
    const ended = other.drain(1_000)
    await clock.advance(500)
    await ended
    await drained(clock, consumer)
    await drained(clock, await consume({ handler: () => ack }))
  })

  test('clients of one server and tenant count as one, those of other tenants do not', async () => {
    const { clock, server } = newWorld()
    const url = 'http://one.example'
    const options = { stream: 's', group: 'g', handler: () => ack }
    const consumer = await new Rheo({ url, fetch: server.fetch, clock, tenant: 't' }).consumer(options)
    const claims = btoa(JSON.stringify({ tenant: 't' }))
    const token = `x.${claims}.x`
    await expect(new Rheo({ url: `${url}/`, fetch: server.fetch, clock, token }).consumer(options)).rejects.toThrow(
      AlreadyStartedError,
    )
    const other = await new Rheo({ url, fetch: server.fetch, clock, tenant: 'u' }).consumer(options)
    const ends = Promise.all([consumer.drain(1_000), other.drain(1_000)])
    await clock.advance(1_000)
    await ends
  })

  test('never more handlers than concurrency, never more leases than maxDemand, the waiting ones included', async () => {
    const { clock, server, consume } = newWorld()
    server.append(40)
    let most = 0
    let running = 0
    const consumer = await consume({
      concurrency: 3,
      maxDemand: 7,
      handler: async () => {
        running += 1
        most = Math.max(most, running)
        expect(server.states.leased).toBeLessThanOrEqual(7)
        await clock.sleep(100)
        running -= 1
        return ack
      },
    })
    await clock.advance(50)
    expect([consumer.held, consumer.running]).toEqual([7, 3])
    await clock.advance(2_000)
    expect(server.states).toEqual({ acked: 40 })
    expect(most).toBe(3)
    await drained(clock, consumer)
  })

  test('options out of their bounds are refused at the start', async () => {
    const { consume } = newWorld()
    await expect(consume({ handler: () => ack, concurrency: 0 })).rejects.toThrow(RangeError)
    await expect(consume({ handler: () => ack, maxDemand: 1.5 })).rejects.toThrow('maxDemand')
    await expect(consume({ handler: () => ack, pollMs: 20_001 })).rejects.toThrow('pollMs')
  })

  test('settles and fetches in one call when busy', async () => {
    const { clock, server, consume } = newWorld()
    server.plan = () => ({ thereMs: 2, backMs: 2 })
    server.append(30)
    const consumer = await consume({
      concurrency: 5,
      maxDemand: 5,
      handler: async () => {
        await clock.sleep(10)
        return ack
      },
    })
    await clock.advance(1_000)
    expect(server.states).toEqual({ acked: 30 })
    expect(server.of('settle').length).toBeLessThanOrEqual(12)
    expect(server.of('settle')[0]!.body.fetch).toMatchObject({ limit: expect.any(Number) })
    // One to begin with, and one that waits now.
    expect(server.of('fetch').length).toBeLessThanOrEqual(3)
    await drained(clock, consumer)
  })

  test('an idle consumer makes a handful of requests in a minute, and leaks no timer', async () => {
    const { clock, server, consume } = newWorld()
    const consumer = await consume({ handler: () => ack })
    await clock.advance(1_000)
    const { timers } = clock
    await clock.advance(60_000)
    expect(server.calls.length).toBeLessThanOrEqual(4)
    expect(clock.timers).toBe(timers)
    server.append(1)
    await clock.advance(0)
    expect(server.states).toEqual({ acked: 1 })
    await drained(clock, consumer)
  })
})

describe('S10.4: drain', () => {
  test('stops fetching, releases the unstarted, renews and settles the rest, and answers when empty', async () => {
    const { clock, server, told, consume } = newWorld()
    server.append(10)
    const consumer = await consume({
      concurrency: 2,
      maxDemand: 6,
      handler: async () => {
        await clock.sleep(12_000)
        return ack
      },
    })
    await clock.advance(1_000)
    const drain = consumer.drain(60_000)
    await clock.advance(0)
    expect(told('released')).toHaveLength(4)
    expect(server.states).toEqual({ leased: 2, open: 8 })
    expect(server.deliveries.map(({ attempt }) => attempt)).toEqual([1, 1, 0, 0, 0, 0, 0, 0, 0, 0])
    await clock.advance(11_000)
    expect(await drain).toEqual({ unsettled: 0 })
    expect(server.states).toEqual({ acked: 2, open: 8 })
    expect(server.of('renew').length).toBeGreaterThan(0)
    expect(told('drained')).toEqual([{ type: 'drained', unsettled: 0 }])
    await consumer.closed
    expect(clock.timers).toBe(0)
    const calls = server.calls.length
    await clock.advance(60_000)
    expect(server.calls.length).toBe(calls)
  })

  test('answers at its timeout with what is left, which goes on in the background', async () => {
    const { clock, server, consume } = newWorld()
    server.append(1)
    const consumer = await consume({
      handler: async () => {
        await clock.sleep(30_000)
        return ack
      },
    })
    await clock.advance(0)
    const drain = consumer.drain(5_000)
    await clock.advance(5_000)
    expect(await drain).toEqual({ unsettled: 1 })
    await expect(consume({ handler: () => ack })).rejects.toThrow(AlreadyStartedError)
    await clock.advance(25_000)
    await consumer.closed
    expect(server.states).toEqual({ acked: 1 })
    expect(clock.timers).toBe(0)
  })

  test('S7: does not wait for what is left to expire', async () => {
    const { clock, server, consume } = newWorld()
    server.append(1)
    server.plan = ({ verb }) => (verb === 'settle' ? { answer: problem(504, 'ambiguous') } : undefined)
    const consumer = await consume({ handler: () => ack })
    await clock.advance(1_000)
    expect(consumer.held).toBe(1)
    await drained(clock, consumer)
  })

  test('a second drain is already_draining', async () => {
    const { clock, consume } = newWorld()
    const consumer = await consume({ handler: () => ack })
    await clock.advance(0)
    const drain = consumer.drain(1_000)
    await expect(consumer.drain(1_000)).rejects.toThrow(AlreadyDrainingError)
    await clock.advance(1_000)
    expect(await drain).toEqual({ unsettled: 0 })
    await expect(consumer.drain(1_000)).rejects.toThrow(AlreadyDrainingError)
  })

  test('leases that are on their way when it begins are given back', async () => {
    const { clock, server, told, consume } = newWorld()
    server.plan = ({ verb }) => (verb === 'fetch' ? { backMs: 100 } : undefined)
    server.append(2)
    const consumer = await consume({ handler: () => ack, maxDemand: 2 })
    await clock.advance(50)
    const drain = consumer.drain(10_000)
    await clock.advance(100)
    expect(await drain).toEqual({ unsettled: 0 })
    expect(told('released')).toHaveLength(2)
    expect(server.deliveries.map(({ state, attempt }) => [state, attempt])).toEqual([
      ['open', 0],
      ['open', 0],
    ])
    expect(clock.timers).toBe(0)
  })

  test('the signal of the options stops everything at once: no call more, and leases are left', async () => {
    const { clock, server, consume } = newWorld()
    server.append(3)
    const kill = new AbortController()
    const signals: AbortSignal[] = []
    const consumer = await consume({
      signal: kill.signal,
      maxDemand: 3,
      handler: async (_event, { signal }) => {
        signals.push(signal)
        await clock.sleep(1_000)
        return ack
      },
    })
    await clock.advance(0)
    kill.abort(new Error('over'))
    await consumer.closed
    expect(signals.map(({ aborted }) => aborted)).toEqual([true])
    const calls = server.calls.length
    await clock.advance(60_000)
    expect(server.calls.length).toBe(calls)
    expect(server.states).toEqual({ open: 3 })
  })
})

describe('S10.5: failing fetches', () => {
  test('back off from 100 ms to 5 s with jitter and never end the consumer', async () => {
    const { clock, server, told, consume } = newWorld()
    clock.chance = 0.999_999
    let isDown = true
    server.plan = () => (isDown ? { breaks: 'before' } : undefined)
    const consumer = await consume({ handler: () => ack })
    await clock.advance(30_000)
    const times = server.of('fetch').map(({ atMs }) => atMs)
    const pauses = times.slice(1).map((atMs, index) => Math.round(atMs - times[index]!))
    expect(pauses.slice(0, 7)).toEqual([200, 400, 800, 1600, 3200, 5000, 5000])
    expect(told('error').every(({ during }) => during === 'fetch')).toBe(true)
    isDown = false
    server.append(1)
    await clock.advance(5_000)
    expect(server.states).toEqual({ acked: 1 })
    await drained(clock, consumer)
  })

  test('a fetch that fails beside a settle slows down fetching, not settling', async () => {
    const { clock, server, told, consume } = newWorld()
    server.append(6)
    const fetchError = { code: 'backend_unavailable', detail: 'partition 0 does not answer' }
    server.plan = ({ verb, body }) => {
      if (verb !== 'settle' || body.fetch === undefined) return undefined
      const results = body.items.map(({ leaseId }: { leaseId: string }) => ({ leaseId, ok: true, state: 'acked' }))
      return { answer: { status: 200, body: { results, settled: results.length, failed: 0, fetchError } } }
    }
    const consumer = await consume({
      concurrency: 3,
      maxDemand: 3,
      handler: async (event) => {
        await clock.sleep(event.sequence * 10)
        return ack
      },
    })
    await clock.advance(50)
    expect(told('error')).toMatchObject([{ during: 'fetch', error: { code: 'backend_unavailable' } }])
    expect(told('acked')).toHaveLength(3)
    expect(server.of('settle').map(({ body }) => body.fetch !== undefined)).toEqual([true, false, false])
    await clock.advance(5_000)
    expect(told('acked')).toHaveLength(6)
    await drained(clock, consumer)
  })

  test('a settle that follows one without an answer does not fetch before the pause is over', async () => {
    const { clock, server, consume } = newWorld()
    server.append(6)
    let settles = 0
    server.plan = ({ verb }) => (verb === 'settle' && settles++ === 0 ? { breaks: 'before' } : undefined)
    const consumer = await consume({
      concurrency: 2,
      maxDemand: 2,
      handler: async (event) => {
        await clock.sleep(event.sequence * 10)
        return ack
      },
    })
    await clock.advance(90)
    expect(server.of('settle').map(({ body }) => body.fetch !== undefined)).toEqual([true, false])
    expect(server.of('fetch')).toHaveLength(1)
    await clock.advance(60_000)
    expect(server.states).toEqual({ acked: 6 })
    await drained(clock, consumer)
  })

  test('the pause is at least 100 ms, whatever the jitter', async () => {
    const { clock, server, consume } = newWorld()
    clock.chance = 0
    server.plan = () => ({ answer: problem(404, 'group_not_found') })
    const kill = new AbortController()
    await consume({ handler: () => ack, signal: kill.signal })
    await clock.advance(1_000)
    expect(server.of('fetch').length).toBeLessThanOrEqual(11)
    kill.abort()
    await clock.advance(0)
    expect(clock.timers).toBe(0)
  })

  test('Retry-After is honoured', async () => {
    const { clock, server, consume } = newWorld()
    let refusals = 1
    server.plan = () =>
      refusals-- > 0 ? { answer: { ...problem(503, 'overloaded'), headers: { 'Retry-After': '3' } } } : undefined
    const consumer = await consume({ handler: () => ack })
    await clock.advance(2_999)
    expect(server.calls).toHaveLength(1)
    await clock.advance(1)
    expect(server.calls).toHaveLength(2)
    await drained(clock, consumer)
  })

  test('empty answers that come at once, as when waiting is full, do not follow one another at once', async () => {
    const { clock, server, consume } = newWorld()
    server.plan = ({ verb }) =>
      verb === 'fetch' ? { answer: { status: 200, body: { leases: [], reason: 'caught_up' } } } : undefined
    const kill = new AbortController()
    await consume({ handler: () => ack, signal: kill.signal })
    await clock.advance(60_000)
    expect(server.calls.length).toBeLessThanOrEqual(35)
    kill.abort()
  })

  test('static partitions, leaseMs and the consumer id are passed on', async () => {
    const { clock, server, consume } = newWorld()
    const options = { partitions: [1, 3], leaseMs: 60_000, consumerId: 'me', pollMs: 500, maxDemand: 4 }
    const consumer = await consume({ handler: () => ack, ...options })
    await clock.advance(0)
    expect(server.of('fetch')[0]!.body).toEqual({
      limit: 4,
      leaseMs: 60_000,
      partitions: [1, 3],
      consumerId: 'me',
      waitMs: 500,
    })
    await drained(clock, consumer)
  })

  test('what a listener throws does not stop the work', async () => {
    const { clock, server, consume } = newWorld()
    server.append(1)
    const consumer = await consume({
      handler: () => ack,
      onEvent: () => {
        throw new Error('a fault in telling')
      },
    })
    await clock.advance(0)
    expect(server.states).toEqual({ acked: 1 })
    await drained(clock, consumer)
  })
})
