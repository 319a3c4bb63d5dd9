import { describe, expect, test } from 'vitest'
import { ack, type Outcome, retry, StaleLeaseError } from '../../src/client/index.ts'
import { deferred, drained, newWorld } from './consumer-world.ts'
import { problem } from './fake-server.ts'

/* S10.3 with leases of 10 s. */

describe('S10.3: renewal', () => {
  test('at half the lease, all in one call', async () => {
    const { clock, server, told, consume } = newWorld()
    server.append(4)
    const consumer = await consume({
      concurrency: 2,
      maxDemand: 4,
      handler: async () => {
        await clock.sleep(9_000)
        return ack
      },
    })
    await clock.advance(4_999)
    expect(server.of('renew')).toEqual([])
    await clock.advance(1)
    expect(server.of('renew').map(({ body }) => body.leases.length)).toEqual([4])
    expect(told('renewed')).toEqual([{ type: 'renewed', count: 4 }])
    await clock.advance(5_000)
    // Two are done by now, and two run.
    expect(server.of('renew').map(({ body }) => body.leases.length)).toEqual([4, 2])
    await clock.advance(20_000)
    expect(server.states).toEqual({ acked: 4 })
    expect(server.deliveries.map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1])
    await drained(clock, consumer)
  })

  test('the half is counted from when the request was sent, not from its answer', async () => {
    const { clock, server, consume } = newWorld()
    server.append(1)
    server.plan = ({ verb }) => (verb === 'fetch' ? { backMs: 3_000 } : undefined)
    const work = deferred<Outcome>()
    const consumer = await consume({ handler: () => work.promise, maxDemand: 1 })
    await clock.advance(4_999)
    expect(server.of('renew')).toEqual([])
    await clock.advance(1)
    expect(server.of('renew')).toHaveLength(1)
    work.resolve(ack)
    await drained(clock, consumer)
  })

  test('a handler five times as long as its lease acks at attempt 1', async () => {
    const { clock, server, told, consume } = newWorld()
    server.append(1)
    const consumer = await consume({
      handler: async () => {
        await clock.sleep(50_000)
        return ack
      },
    })
    await clock.advance(50_000)
    expect(server.delivery(1)).toMatchObject({ state: 'acked', attempt: 1 })
    expect(told('lost')).toEqual([])
    await drained(clock, consumer)
  })

  test('one that fails is tried again soon, and a lost answer does no harm', async () => {
    const { clock, server, told, consume } = newWorld()
    server.append(1)
    let failures = 2
    server.plan = ({ verb }) => (verb === 'renew' && failures-- > 0 ? { breaks: 'after' } : undefined)
    const consumer = await consume({
      handler: async () => {
        await clock.sleep(25_000)
        return ack
      },
    })
    await clock.advance(25_000)
    expect(server.delivery(1)).toMatchObject({ state: 'acked', attempt: 1 })
    expect(told('error').map(({ during }) => during)).toEqual(['renew', 'renew'])
    await drained(clock, consumer)
  })

  test('one that hangs is followed by another, and a lease that none has saved in time is lost', async () => {
    const { clock, server, told, consume } = newWorld()
    server.append(1)
    server.plan = ({ verb }) => (verb === 'renew' ? { thereMs: 3_600_000 } : undefined)
    const signals: AbortSignal[] = []
    const kill = new AbortController()
    await consume({
      signal: kill.signal,
      handler: async (_event, { signal, attempt }) => {
        signals.push(signal)
        if (attempt === 1) await clock.sleep(30_000)
        return ack
      },
    })
    await clock.advance(14_000)
    expect(server.of('renew')).toHaveLength(2)
    // The renewal of 5 s may still be answered, until its time is over at 15 s.
    expect(signals[0]!.aborted).toBe(false)
    await clock.advance(1_000)
    expect(signals[0]!.aborted).toBe(true)
    expect(told('lost')).toMatchObject([{ cause: 'expired', lease: { sequence: 1 } }])
    kill.abort()
  })
})

describe('S10.3: lost leases', () => {
  test('a lease stolen under a handler: its signal aborts, its outcome is dropped, the loop goes on', async () => {
    const { clock, server, told, consume } = newWorld()
    server.append(2)
    const reasons: unknown[] = []
    const consumer = await consume({
      handler: async (event, { signal }) => {
        signal.addEventListener('abort', () => reasons.push(signal.reason))
        if (event.sequence === 1) await clock.sleep(8_000)
        return ack
      },
    })
    await clock.advance(1_000)
    server.steal(1)
    await clock.advance(4_000)
    expect(reasons).toEqual([expect.any(StaleLeaseError)])
    expect(told('lost')).toMatchObject([{ cause: 'stale_lease', lease: { sequence: 1 } }])
    // The slot is free when the handler has ended, not before.
    expect(server.delivery(2).state).toBe('leased')
    expect(consumer.running).toBe(1)
    await clock.advance(3_000)
    expect(server.delivery(2).state).toBe('acked')
    const settled = server
      .of('settle')
      .flatMap(({ body }) => body.items.map(({ leaseId }: { leaseId: string }) => leaseId))
    expect(settled).toEqual(['lease-2'])
    expect(server.delivery(1)).toMatchObject({ state: 'leased', leaseId: 'somebody-else' })
    await drained(clock, consumer)
  })

  test('an outcome that comes too late is dropped and the event is handled again', async () => {
    const { clock, server, told, consume } = newWorld()
    server.append(1)
    const consumer = await consume({ handler: () => ack })
    server.plan = ({ verb }) => (verb === 'settle' ? { answer: problem(409, 'stale_lease') } : undefined)
    await clock.advance(0)
    expect(told('lost')).toMatchObject([{ cause: 'stale_lease' }])
    server.plan = () => undefined
    await clock.advance(10_000)
    expect(server.delivery(1)).toMatchObject({ state: 'acked', attempt: 2 })
    await drained(clock, consumer)
  })

  test('answers delayed by 70 % of the lease: no late start, nothing handled twice', async () => {
    const { clock, server, told, consume } = newWorld()
    server.append(12)
    server.plan = () => ({ backMs: 7_000 })
    let late = 0
    const consumer = await consume({
      concurrency: 2,
      maxDemand: 4,
      handler: async (event) => {
        const { state, expiresAtMs } = server.delivery(event.sequence)
        if (state !== 'leased' || expiresAtMs <= clock.now()) late += 1
        await clock.sleep(2_000)
        return ack
      },
    })
    await clock.advance(200_000)
    expect(late).toBe(0)
    expect(server.states).toEqual({ acked: 12 })
    expect(server.deliveries.every(({ attempt }) => attempt === 1)).toBe(true)
    expect(told('lost')).toEqual([])
    await clock.advance(1)
    const drain = consumer.drain(60_000)
    await clock.advance(60_000)
    expect(await drain).toEqual({ unsettled: 0 })
  })

  test('an answer that takes longer than the lease starts no handler: the lease is lost', async () => {
    const { clock, server, told, consume } = newWorld()
    server.append(1)
    let slow = 1
    server.plan = ({ verb }) => (verb === 'fetch' && slow-- > 0 ? { backMs: 11_000 } : undefined)
    const attempts: number[] = []
    const consumer = await consume({
      maxDemand: 1,
      handler: (_event, { attempt }) => {
        attempts.push(attempt)
        return ack
      },
    })
    await clock.advance(11_000)
    expect(attempts).toEqual([2])
    expect(told('lost')).toMatchObject([{ cause: 'stale_lease', lease: { attempt: 1 } }])
    await drained(clock, consumer)
  })

  test('a wait that was longer than the lease is followed by a renewal before the handler begins', async () => {
    const { clock, server, told, consume } = newWorld()
    const began: number[] = []
    const consumer = await consume({
      handler: () => {
        began.push(server.of('renew').length)
        return ack
      },
    })
    await clock.advance(15_000)
    server.append(1)
    await clock.advance(0)
    expect(began).toEqual([1])
    expect(server.delivery(1)).toMatchObject({ state: 'acked', attempt: 1 })
    expect(told('lost')).toEqual([])
    await drained(clock, consumer)
  })

  test('a lease that waits for a handler is renewed, and is dropped when it is lost', async () => {
    const { clock, server, told, consume } = newWorld()
    server.append(2)
    const handled: number[] = []
    const consumer = await consume({
      maxDemand: 2,
      handler: async (event) => {
        handled.push(event.sequence)
        await clock.sleep(12_000)
        return ack
      },
    })
    await clock.advance(1_000)
    server.steal(2)
    await clock.advance(11_000)
    expect(handled).toEqual([1])
    expect(told('lost')).toMatchObject([{ lease: { sequence: 2 } }])
    expect(server.delivery(1).state).toBe('acked')
    await drained(clock, consumer)
  })
})

describe('S10.3: a settle in flight decides, whatever a renewal says', () => {
  test('a renewal that meets its own ack is no loss', async () => {
    const { clock, server, told, consume } = newWorld()
    server.append(1)
    server.plan = ({ verb }) => (verb === 'renew' ? { thereMs: 100 } : verb === 'settle' ? { backMs: 200 } : undefined)
    const consumer = await consume({
      handler: async () => {
        await clock.sleep(5_050)
        return ack
      },
    })
    await clock.advance(6_000)
    expect(server.of('renew')).toHaveLength(1)
    expect(told('lost')).toEqual([])
    expect(told('acked')).toHaveLength(1)
    await drained(clock, consumer)
  })

  test('what is lost while its outcome waits for the settle before is dropped', async () => {
    const { clock, server, told, consume } = newWorld()
    server.append(2)
    server.plan = ({ verb }) => (verb === 'settle' ? { backMs: 6_000 } : undefined)
    const consumer = await consume({
      concurrency: 2,
      maxDemand: 2,
      handler: async (event) => {
        await clock.sleep(event.sequence * 1_000)
        return ack
      },
    })
    await clock.advance(3_000)
    server.steal(2)
    await clock.advance(10_000)
    expect(told('lost')).toMatchObject([{ lease: { sequence: 2 } }])
    const settled = server.of('settle').flatMap(({ body }) => body.items)
    expect(settled).toMatchObject([{ leaseId: 'lease-1' }])
    await drained(clock, consumer)
  })
})

describe('S10.3: the time limit of a handler', () => {
  test('its signal aborts, and its lease is renewed no more', async () => {
    const { clock, server, told, consume } = newWorld()
    server.append(1)
    const signals: AbortSignal[] = []
    const consumer = await consume({
      handlerTimeoutMs: 12_000,
      handler: async (_event, { signal, attempt }) => {
        signals.push(signal)
        if (attempt === 1) await clock.sleep(60_000)
        return ack
      },
    })
    await clock.advance(12_000)
    expect(signals[0]!.aborted).toBe(true)
    expect(String(signals[0]!.reason)).toContain('12000 ms')
    expect(told('error')).toMatchObject([{ during: 'handler', lease: { sequence: 1 } }])
    expect(server.of('renew').map(({ atMs }) => atMs - server.calls[0]!.atMs)).toEqual([5_000, 10_000])
    await clock.advance(8_000)
    expect(told('lost')).toMatchObject([{ cause: 'handler_timeout' }])
    await clock.advance(40_000)
    expect(server.delivery(1)).toMatchObject({ state: 'acked', attempt: 2 })
    await drained(clock, consumer)
  })

  test('what it brings before its lease ends still counts', async () => {
    const { clock, server, consume } = newWorld()
    server.append(1)
    const consumer = await consume({
      handlerTimeoutMs: 2_000,
      handler: async (_event, { signal, attempt }) => {
        if (attempt > 1) return ack
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        return retry('too slow')
      },
    })
    await clock.advance(2_000)
    expect(server.delivery(1)).toMatchObject({ state: 'acked', attempt: 2, reason: undefined })
    await drained(clock, consumer)
  })

  test('it is ten times the lease unless given', async () => {
    const { clock, server, consume } = newWorld()
    server.append(1)
    const signals: AbortSignal[] = []
    const kill = new AbortController()
    await consume({
      signal: kill.signal,
      handler: async (_event, { signal }) => {
        signals.push(signal)
        await clock.sleep(1_000_000)
        return ack
      },
    })
    await clock.advance(99_999)
    expect(signals[0]!.aborted).toBe(false)
    await clock.advance(1)
    expect(signals[0]!.aborted).toBe(true)
    kill.abort()
  })
})
