import { describe, expect, test } from 'vitest'
import {
  AlreadyDrainingError,
  AlreadyStartedError,
  ack,
  type ConsumeEvent,
  type LeaseStreamOptions,
  pipeline,
  reject,
  StaleLeaseError,
} from '../../src/client/index.ts'
import { newWorld } from './consumer-world.ts'
import { problem } from './fake-server.ts'

function open(options: Partial<LeaseStreamOptions> = {}) {
  const world = newWorld()
  const events: ConsumeEvent[] = []
  const leases = world.rheo.leases<{ n: number }>({
    stream: 's',
    group: 'g',
    onEvent: (event) => events.push(event),
    ...options,
  })
  return { ...world, events, leases, reader: leases.getReader() }
}

describe('back-pressure', () => {
  test('nothing is fetched until somebody reads', async () => {
    const { clock, server, reader } = open()
    server.append(3)
    await clock.advance(60_000)
    expect(server.calls).toEqual([])
    const { value } = await reader.read()
    expect(value).toMatchObject({ sequence: 1, event: { payload: { n: 1 } } })
  })

  test('S10.2: no more than maxDemand is held, and every settle of the client makes room', async () => {
    const { clock, server, rheo, leases, reader } = open({ maxDemand: 3 })
    server.append(20)
    const held = []
    for (let n = 0; n < 3; n++) held.push((await reader.read()).value!)
    expect(leases.held).toBe(3)
    let fourth: unknown
    void reader.read().then(({ value }) => {
      fourth = value
    })
    await clock.advance(1_000)
    expect(fourth).toBeUndefined()
    expect(server.of('fetch')).toHaveLength(1)
    await rheo.ack(held[0]!)
    await clock.settle()
    expect(fourth).toMatchObject({ sequence: 4 })
    expect(server.of('fetch')[1]!.body.limit).toBe(1)
    const group = { stream: 's', group: 'g' }
    await rheo.settle(group, [{ leaseId: held[1]!.leaseId, outcome: 'release' }])
    await rheo.nackMany(group, [held[2]!])
    expect(leases.held).toBe(1)
    server.plan = () => ({
      answer: { status: 200, body: { results: [{ receipt: 'r', ok: true, count: 1, lost: 0 }] } },
    })
    await rheo.ackClaims(group, ['r'])
    expect(leases.held).toBe(0)
  })

  test('leases can be read with for await', async () => {
    const { server, rheo, leases, reader } = open({ maxDemand: 2 })
    reader.releaseLock()
    server.append(5)
    const seen: number[] = []
    for await (const lease of leases) {
      seen.push(lease.sequence)
      await rheo.ack(lease)
      if (seen.length === 5) break
    }
    expect(seen).toEqual([1, 2, 3, 4, 5])
    expect(server.states).toEqual({ acked: 5 })
  })
})

describe('S10.3: renewal', () => {
  test('what is not settled is renewed, read or not; what is settled is not', async () => {
    const { clock, server, rheo, reader } = open({ maxDemand: 3 })
    server.append(3)
    const { value: first } = await reader.read()
    await rheo.ack(first!)
    await clock.advance(5_000)
    expect(server.of('renew').map(({ body }) => body.leases.length)).toEqual([2])
    await clock.advance(40_000)
    expect(server.states).toEqual({ acked: 1, leased: 2 })
  })

  test('a lost lease aborts its signal, frees its place, and is never given out', async () => {
    const { clock, server, events, leases, reader } = open({ maxDemand: 2 })
    server.append(3)
    const { value: first } = await reader.read()
    const signal = leases.signalOf(first!)
    server.steal(1)
    server.steal(2)
    await clock.advance(5_000)
    expect(signal.aborted).toBe(true)
    expect(signal.reason).toBeInstanceOf(StaleLeaseError)
    expect(leases.signalOf(first!).aborted).toBe(true)
    expect(events.filter(({ type }) => type === 'lost')).toHaveLength(2)
    expect((await reader.read()).value).toMatchObject({ sequence: 3 })
  })

  test('holdMs after it was read a lease is renewed no more', async () => {
    const { clock, server, events, reader } = open({ holdMs: 8_000 })
    server.append(1)
    await reader.read()
    await clock.advance(60_000)
    expect(server.of('renew')).toHaveLength(1)
    expect(server.states).toEqual({ open: 1 })
    expect(events.find(({ type }) => type === 'lost')).toMatchObject({ cause: 'handler_timeout' })
    expect(clock.timers).toBe(0)
  })

  test('a lease whose settle is in flight is neither renewed nor lost: the answer decides', async () => {
    const { clock, server, rheo, events, leases, reader } = open()
    server.append(1)
    const { value } = await reader.read()
    server.plan = ({ verb }) => (verb === 'settle' ? { backMs: 20_000 } : undefined)
    const settled = rheo.ack(value!)
    await clock.advance(19_000)
    expect(server.of('renew')).toEqual([])
    expect(events.filter(({ type }) => type === 'lost')).toEqual([])
    await clock.advance(1_000)
    expect(await settled).toEqual({ state: 'acked' })
    expect(leases.held).toBe(0)
  })

  test('S7: after an ambiguous settle the lease is left, and counts until it ends', async () => {
    const { clock, server, rheo, leases, reader } = open()
    server.append(1)
    const { value } = await reader.read()
    server.plan = ({ verb }) => (verb === 'settle' ? { answer: problem(504, 'ambiguous') } : undefined)
    await expect(rheo.ack(value!)).rejects.toThrow('ambiguous')
    await clock.advance(9_999)
    expect(leases.held).toBe(1)
    await clock.advance(1)
    expect(leases.held).toBe(0)
    expect(server.of('renew')).toEqual([])
  })

  test('S7: after a definite failure it stays with the reader, who may nack', async () => {
    const { clock, server, rheo, leases, reader } = open()
    server.append(1)
    const { value } = await reader.read()
    server.plan = ({ verb }) => (verb === 'settle' ? { answer: problem(500, 'failed') } : undefined)
    await expect(rheo.ack(value!)).rejects.toThrow('failed')
    server.plan = () => undefined
    await clock.advance(20_000)
    expect(leases.held).toBe(1)
    expect(await rheo.nack(value!)).toEqual({ state: 'available' })
  })
})

describe('its end', () => {
  test('S10.2: a group has one consumer or stream; after a cancel another may begin', async () => {
    const { clock, server, rheo, reader } = open({ maxDemand: 4 })
    server.append(4)
    await reader.read()
    expect(() => rheo.leases({ stream: 's', group: 'g' })).toThrow(AlreadyStartedError)
    await reader.cancel()
    await clock.settle()
    expect(server.deliveries.map(({ state, attempt }) => [state, attempt])).toEqual([
      ['leased', 1],
      ['open', 0],
      ['open', 0],
      ['open', 0],
    ])
    const second = rheo.leases({ stream: 's', group: 'g' })
    // The first one's end does not take the group from the second.
    await clock.advance(200_000)
    expect(() => rheo.leases({ stream: 's', group: 'g' })).toThrow(AlreadyStartedError)
    await second.cancel()
    await clock.advance(1_000)
    expect(clock.timers).toBe(0)
  })

  test('S10.4: drain gives back the unread, waits for the rest, and closes the stream', async () => {
    const { clock, server, rheo, leases, reader } = open({ maxDemand: 4 })
    server.append(4)
    const { value } = await reader.read()
    await clock.advance(1_000)
    const drain = leases.drain(60_000)
    await clock.settle()
    expect(server.states).toEqual({ leased: 1, open: 3 })
    expect(await reader.read()).toEqual({ done: true, value: undefined })
    await expect(leases.drain(1)).rejects.toThrow(AlreadyDrainingError)
    await clock.advance(15_000)
    expect(server.of('renew').length).toBeGreaterThan(1)
    await rheo.ack(value!)
    expect(await drain).toEqual({ unsettled: 0 })
    await clock.settle()
    expect(clock.timers).toBe(0)
  })

  test('a read that waits when the drain begins ends', async () => {
    const { clock, server, leases, reader } = open()
    const read = reader.read()
    await clock.advance(1_000)
    const drain = leases.drain(5_000)
    expect(await read).toEqual({ done: true, value: undefined })
    expect(await drain).toEqual({ unsettled: 0 })
    server.append(1)
    await clock.advance(60_000)
    expect(server.states).toEqual({ open: 1 })
    expect(clock.timers).toBe(0)
  })

  test('the signal of the options ends it at once with its reason', async () => {
    const kill = new AbortController()
    const { clock, reader } = open({ signal: kill.signal })
    const read = reader.read()
    await clock.settle()
    kill.abort(new Error('over'))
    await expect(read).rejects.toThrow('over')
    expect(clock.timers).toBe(0)
  })
})

describe('pipeline', () => {
  test('processors settle by outcome, and never more of them run than concurrency', async () => {
    const { clock, server, rheo, leases, reader } = open({ maxDemand: 6 })
    reader.releaseLock()
    server.append(10)
    let running = 0
    let most = 0
    const errors: unknown[] = []
    const done = pipeline(rheo, leases, {
      clock,
      concurrency: 3,
      onError: (error) => errors.push(error),
      processor: async (lease) => {
        most = Math.max(most, ++running)
        await clock.sleep(10)
        running -= 1
        if (lease.sequence === 4 && lease.attempt === 1) throw new Error('once')
        return lease.sequence === 7 ? reject('never') : ack
      },
    })
    await clock.advance(1_000)
    const drain = leases.drain(1_000)
    await clock.advance(1_000)
    await Promise.all([done, drain])
    expect(most).toBe(3)
    expect(server.states).toEqual({ acked: 9, rejected: 1 })
    expect(errors).toMatchObject([{ message: 'once' }])
    expect(clock.timers).toBe(0)
  })

  test('batches by size and time; an outcome of a processor does not reach the batch', async () => {
    const { clock, server, rheo, leases, reader } = open({ maxDemand: 10 })
    reader.releaseLock()
    server.append(8)
    const batches: number[][] = []
    const done = pipeline(rheo, leases, {
      clock,
      concurrency: 2,
      processor: (lease) => (lease.sequence === 2 ? reject('unfit') : lease.event.payload.n * 10),
      batch: {
        size: 3,
        timeoutMs: 500,
        handler: async (batch) => {
          batches.push(batch.map(({ value }) => value))
          return undefined
        },
      },
    })
    await clock.advance(499)
    expect(batches).toEqual([
      [10, 30, 40],
      [50, 60, 70],
    ])
    await clock.advance(1)
    expect(batches[2]).toEqual([80])
    expect(server.states).toEqual({ acked: 7, rejected: 1 })
    const drain = leases.drain(1_000)
    await clock.advance(1_000)
    await Promise.all([done, drain])
    expect(clock.timers).toBe(0)
  })

  test('a batch that throws is a retry of all, and one may give an outcome for each', async () => {
    const { clock, server, rheo, leases, reader } = open({ maxDemand: 4 })
    reader.releaseLock()
    server.append(4)
    let batches = 0
    const done = pipeline(rheo, leases, {
      clock,
      processor: (lease) => lease.sequence,
      batch: {
        size: 4,
        timeoutMs: 1_000,
        handler: async (batch) => {
          if (++batches === 1) throw new Error('down')
          return batch.map(({ value }) => (value === 3 ? reject('odd') : ack))
        },
      },
    })
    await clock.advance(5_000)
    expect(server.states).toEqual({ acked: 3, rejected: 1 })
    expect(server.deliveries.map(({ attempt }) => attempt)).toEqual([2, 2, 2, 2])
    const drain = leases.drain(1_000)
    await clock.advance(1_000)
    await Promise.all([done, drain])
  })

  test('the outcome of a lost lease is dropped', async () => {
    const { clock, server, rheo, leases, reader } = open()
    reader.releaseLock()
    server.append(1)
    const done = pipeline(rheo, leases, {
      clock,
      processor: async () => {
        await clock.sleep(8_000)
        return ack
      },
    })
    await clock.advance(1_000)
    server.steal(1)
    await clock.advance(10_000)
    expect(server.of('settle')).toEqual([])
    const drain = leases.drain(1_000)
    await clock.advance(1_000)
    await Promise.all([done, drain])
  })

  test('while a batch is worked on no more than the next one is taken', async () => {
    const { clock, server, rheo, leases, reader } = open({ maxDemand: 100 })
    reader.releaseLock()
    server.append(50)
    let processed = 0
    void pipeline(rheo, leases, {
      clock,
      processor: () => ++processed,
      batch: {
        size: 5,
        timeoutMs: 100,
        handler: async () => {
          await clock.sleep(1_000)
          return undefined
        },
      },
    })
    await clock.advance(900)
    expect(processed).toBe(5)
    await clock.advance(200)
    expect(processed).toBe(10)
  })
})
