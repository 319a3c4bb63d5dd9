import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import { ack, type Consumer, type ConsumerOptions, pipeline, Rheo, reject, retry } from '../../src/client/index.ts'
import { newClient, uniqueName, url } from './server.ts'

/* Consumers against a real server, on real time. */

const group = 'g'
const consumers: Consumer[] = []
const children: ChildProcess[] = []

afterEach(async () => {
  await Promise.all(consumers.splice(0).map((consumer) => consumer.drain(5_000).catch(() => undefined)))
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

async function prepare(rheo: Rheo, events: number, options: { partitionCount?: number; maxAttempts?: number } = {}) {
  const stream = uniqueName('real')
  const { partitionCount = 1, maxAttempts } = options
  await rheo.streams.create(stream, { partitionCount })
  await rheo.groups.create(stream, group, { maxAttempts })
  for (let n = 0; n < events; n += 1_000) {
    const batch = Array.from({ length: Math.min(1_000, events - n) }, (_, m) => ({
      key: `k${n + m}`,
      payload: { n: n + m },
    }))
    await rheo.appendMany(stream, batch)
  }
  return stream
}

async function consume(rheo: Rheo, options: Omit<ConsumerOptions<{ n: number }>, 'group'>): Promise<Consumer> {
  const consumer = await rheo.consumer({ group, pollMs: 2_000, ...options })
  consumers.push(consumer)
  return consumer
}

/** Asks until it is so. */
async function until(isSo: () => boolean | Promise<boolean>, timeoutMs = 20_000): Promise<void> {
  const untilMs = Date.now() + timeoutMs
  while (!(await isSo())) {
    if (Date.now() > untilMs) throw new Error('it did not come about in time')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

const lagOf = async (rheo: Rheo, stream: string): Promise<number> => (await rheo.groups.lag(stream, group)).lag

function startProcess(rheo: { tenant: string }, stream: string, workMs: number): ChildProcess {
  const script = fileURLToPath(new URL('consumer-process.ts', import.meta.url))
  const args = [script, url, rheo.tenant, stream, group, `${workMs}`]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] })
  children.push(child)
  return child
}

describe('a consumer against a real server', () => {
  test('handles 10 000 events of four partitions with concurrency 8, one handler in fifty failing once', async () => {
    const rheo = newClient()
    const stream = await prepare(rheo, 10_000, { partitionCount: 4 })
    const attempts = new Map<number, number>()
    await consume(rheo, {
      stream,
      concurrency: 8,
      maxDemand: 200,
      handler: async ({ payload: { n } }, { attempt }) => {
        expect(attempt).toBe((attempts.get(n) ?? 0) + 1)
        attempts.set(n, attempt)
        if (n % 50 === 0 && attempt === 1) throw new Error('one in fifty')
        return ack
      },
    })
    await until(async () => (await lagOf(rheo, stream)) === 0, 60_000)
    expect(attempts.size).toBe(10_000)
    expect([...attempts].filter(([, attempt]) => attempt === 2)).toHaveLength(200)
    expect(Math.max(...attempts.values())).toBe(2)
  }, 90_000)

  test('an event nobody can digest becomes a dead letter with the last reason, and the rest goes on', async () => {
    const rheo = newClient()
    const stream = await prepare(rheo, 20, { maxAttempts: 3 })
    await consume(rheo, {
      stream,
      concurrency: 4,
      handler: ({ payload: { n } }, { attempt }) => {
        if (n === 7) return retry(`attempt ${attempt} failed`)
        return n === 9 ? reject('not for us') : ack
      },
    })
    await until(async () => (await lagOf(rheo, stream)) === 0)
    const { deadLetters } = await rheo.deadLetters.list(stream, group)
    expect(deadLetters).toMatchObject([
      { event: { payload: { n: 7 } }, cause: 'max_attempts', attempt: 3, reason: 'attempt 3 failed' },
      { event: { payload: { n: 9 } }, cause: 'rejected', attempt: 1, reason: 'not for us' },
    ])
  })

  test('a handler five times as long as its lease acks at attempt 1', async () => {
    const rheo = newClient()
    const stream = await prepare(rheo, 1)
    const attempts: number[] = []
    await consume(rheo, {
      stream,
      leaseMs: 400,
      handler: async (_event, { attempt }) => {
        attempts.push(attempt)
        await new Promise((resolve) => setTimeout(resolve, 2_000))
        return ack
      },
    })
    await until(async () => (await lagOf(rheo, stream)) === 0)
    expect(attempts).toEqual([1])
  })

  test('a lease taken away under a handler: its signal aborts, and the next owner is not disturbed', async () => {
    const rheo = newClient()
    const stream = await prepare(rheo, 1)
    const lost: string[] = []
    const attempts: number[] = []
    const consumer = await consume(rheo, {
      stream,
      leaseMs: 1_000,
      onEvent: (event) => void (event.type === 'lost' && lost.push(event.cause)),
      handler: async (_event, { attempt, signal }) => {
        attempts.push(attempt)
        if (attempts.length === 1) await new Promise((resolve) => signal.addEventListener('abort', resolve))
        return ack
      },
    })
    await until(() => attempts.length === 1)
    await rheo.groups.releaseConsumer(stream, group, consumer.consumerId)
    await until(async () => (await lagOf(rheo, stream)) === 0)
    expect(lost).toEqual(['stale_lease'])
    // A released lease is not counted as an attempt.
    expect(attempts).toEqual([1, 1])
  })

  test('drain: running handlers finish and are acked, the unstarted are available at once with attempts refunded', async () => {
    const rheo = newClient()
    const stream = await prepare(rheo, 20)
    const consumer = await consume(rheo, {
      stream,
      concurrency: 2,
      maxDemand: 10,
      handler: async () => {
        await new Promise((resolve) => setTimeout(resolve, 500))
        return ack
      },
    })
    await until(() => consumer.running === 2)
    expect(await consumer.drain(10_000)).toEqual({ unsettled: 0 })
    const info = await rheo.groups.get(stream, group)
    expect(info).toMatchObject({ inFlight: 0, lag: { lag: 18 } })
    const { leases } = await rheo.fetch(stream, group, { limit: 20 })
    expect(leases.map(({ attempt }) => attempt)).toEqual(new Array(18).fill(1))
  })

  test('an idle consumer is woken by an append', async () => {
    const rheo = newClient()
    const stream = await prepare(rheo, 0)
    let handledMs = 0
    await consume(rheo, {
      stream,
      pollMs: 20_000,
      handler: () => {
        handledMs = Date.now()
        return ack
      },
    })
    await new Promise((resolve) => setTimeout(resolve, 300))
    const appendedMs = Date.now()
    await rheo.append(stream, {})
    await until(() => handledMs > 0)
    expect(handledMs - appendedMs).toBeLessThan(2_000)
  })
})

describe('a consumer process', () => {
  test('kill -9 with 50 leases: another finishes all after their end', async () => {
    const tenant = uniqueName('killed')
    const rheo = new Rheo({ url, tenant })
    const stream = await prepare(rheo, 120)
    const child = startProcess({ tenant }, stream, 60_000)
    await until(async () => (await rheo.groups.get(stream, group)).inFlight === 50)
    child.kill('SIGKILL')
    await once(child, 'exit')
    const attempts = new Map<number, number>()
    await consume(rheo, {
      stream,
      concurrency: 8,
      handler: ({ payload: { n } }, { attempt }) => {
        attempts.set(n, attempt)
        return ack
      },
    })
    await until(async () => (await lagOf(rheo, stream)) === 0)
    expect(attempts.size).toBe(120)
    expect([...attempts.values()].filter((attempt) => attempt === 2)).toHaveLength(50)
    expect(Math.max(...attempts.values())).toBe(2)
  })

  test('SIGTERM: it finishes what runs, gives back the rest, and ends by itself', async () => {
    const tenant = uniqueName('ended')
    const rheo = new Rheo({ url, tenant })
    const stream = await prepare(rheo, 100)
    const child = startProcess({ tenant }, stream, 1_000)
    await until(async () => (await rheo.groups.get(stream, group)).inFlight === 50)
    // The server has granted them; the process has yet to begin.
    await new Promise((resolve) => setTimeout(resolve, 300))
    child.kill('SIGTERM')
    const [code] = await once(child, 'exit')
    expect(code).toBe(0)
    const info = await rheo.groups.get(stream, group)
    expect(info.inFlight).toBe(0)
    expect(info.lag.lag).toBeLessThan(100)
    const { leases } = await rheo.fetch(stream, group, { limit: 100 })
    expect(leases).toHaveLength(info.lag.lag)
    expect(leases.every(({ attempt }) => attempt === 1)).toBe(true)
  })
})

describe('faults between client and server', () => {
  test('lost answers, lost requests, 503 and 504: nothing is lost, nothing appended twice, nothing nacked after doubt', async () => {
    const tenant = uniqueName('faulty')
    let count = 0
    const nacks: string[] = []
    const faulty = async (address: string, init: RequestInit): Promise<Response> => {
      count += 1
      if (address.endsWith('/settle')) {
        const { items } = JSON.parse(init.body as string)
        for (const { outcome, reason } of items) if (outcome === 'nack') nacks.push(reason)
      }
      // The fault comes in turn, not by chance, so that a run can be repeated.
      if (count % 7 === 3) throw new TypeError('connection refused')
      if (count % 11 === 5) return new Response('{"code":"overloaded","detail":"no"}', { status: 503 })
      const answer = await fetch(address, init)
      const isLost = count % 5 === 2
      const isTimedOut = count % 13 === 6
      if (!isLost && !isTimedOut) return answer
      await answer.text()
      // As a proxy says it that has waited too long for what was done all the same.
      if (isTimedOut) return new Response('gateway timeout', { status: 504 })
      throw new TypeError('connection reset')
    }
    const sound = new Rheo({ url, tenant })
    const stream = await prepare(sound, 0, { partitionCount: 3, maxAttempts: 1_000 })
    const rheo = new Rheo({ url, tenant, fetch: faulty, retry: { attempts: 20, baseMs: 5 } })
    await Promise.all(Array.from({ length: 300 }, (_, n) => rheo.append(stream, { key: `k${n}`, payload: { n } })))
    await Promise.all([0, 1, 2].map((n) => rheo.appendMany(stream, [{ payload: { n: 300 + n } }])))
    const events: number[] = []
    for await (const event of sound.streamQuery<{ n: number }>(stream)) events.push(event.payload.n)
    expect(events.sort((a, b) => a - b)).toEqual(Array.from({ length: 303 }, (_, n) => n))

    const handled = new Set<number>()
    await consume(rheo, {
      stream,
      concurrency: 8,
      maxDemand: 30,
      leaseMs: 500,
      pollMs: 500,
      handler: ({ payload: { n } }) => {
        handled.add(n)
        return ack
      },
    })
    await until(async () => (await lagOf(sound, stream)) === 0, 50_000)
    expect(handled.size).toBe(303)
    expect(nacks).toEqual([])
  })
})

describe('a lease stream against a real server', () => {
  test('1 000 events through processors and batches', async () => {
    const rheo = newClient()
    const stream = await prepare(rheo, 1_000, { partitionCount: 2 })
    const leases = rheo.leases<{ n: number }>({ stream, group, maxDemand: 200, pollMs: 1_000 })
    const rows = new Set<number>()
    const done = pipeline(rheo, leases, {
      concurrency: 8,
      processor: (lease) => lease.event.payload.n,
      batch: {
        size: 50,
        timeoutMs: 100,
        handler: async (batch) => {
          for (const { value } of batch) rows.add(value)
          return undefined
        },
      },
    })
    await until(async () => (await lagOf(rheo, stream)) === 0)
    expect(await leases.drain(5_000)).toEqual({ unsettled: 0 })
    await done
    expect(rows.size).toBe(1_000)
  })
})
