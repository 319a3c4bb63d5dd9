import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { exports } from 'cloudflare:workers'
import { afterAll, afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createBackend } from '../../durable-objects/backend.ts'
import { StreamPartition } from '../../durable-objects/stream-partition.ts'
import { partitionStub } from '../../durable-objects/stubs.ts'
import { type Socket, Watchers } from '../../durable-objects/watchers.ts'
import type { StreamRecord } from '../../src/core/catalog/commands.ts'
import { limits } from '../../src/core/limits.ts'
import { allPartitions } from '../../src/core/route.ts'
import { addressOf, append, bindings, catalog, createStream, tenant } from './objects.ts'

const server = (exports as unknown as { default: Fetcher }).default
const backend = createBackend(bindings)

const objectOf = (stream: StreamRecord, partition = 0) =>
  partitionStub(bindings, addressOf(stream, partition)) as unknown as DurableObjectStub<StreamPartition>

/** How many watchers a partition has. */
const watchersOf = (stream: StreamRecord, partition = 0): Promise<number> =>
  runInDurableObject(objectOf(stream, partition), (_, state) => state.getWebSockets().length)

/** A tail over HTTP, and what of it has come. */
class Reading {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  text = ''

  constructor(response: Response) {
    expect(response.status).toBe(200)
    this.#reader = response.body!.getReader()
  }

  async until(pattern: RegExp): Promise<void> {
    const decoder = new TextDecoder()
    while (!pattern.test(this.text)) {
      const { value, done } = await this.#reader.read()
      if (done) throw new Error(`the tail ended with ${this.text}`)
      this.text += decoder.decode(value, { stream: true })
    }
  }

  /** Reads up to an event. */
  event(partition: number, sequence: number): Promise<void> {
    return this.until(new RegExp(`"partition":${partition},"sequence":${sequence},`))
  }

  /** The places of all events so far. */
  get places(): string[] {
    return [...this.text.matchAll(/"partition":(\d+),"sequence":(\d+),/g)].map(([, one, n]) => `${one}:${n}`)
  }

  close(): Promise<void> {
    return this.#reader.cancel()
  }
}

const tailed = new Set<StreamRecord>()

/** A socket that closes may wake its object: none is to wake when the runtime goes down. */
afterAll(async () => {
  for (const stream of tailed) {
    for (const partition of allPartitions(stream.partitionCount)) {
      await vi.waitUntil(async () => (await watchersOf(stream, partition)) === 0, { timeout: 10_000, interval: 20 })
      // It waits for what is under way.
      await evictDurableObject(objectOf(stream, partition))
    }
  }
})

async function openTail(stream: StreamRecord): Promise<Reading> {
  tailed.add(stream)
  const url = `http://localhost/v1/streams/${stream.name}/tail`
  const tail = new Reading(await server.fetch(url, { headers: { 'Rheo-Tenant': tenant } }))
  onTestFinished(() => tail.close())
  await tail.until(/\n\n/)
  return tail
}

describe('a tail', () => {
  it('goes on over an object that sleeps beneath its socket, again and again', async () => {
    const stream = await createStream(2)
    const tail = await openTail(stream)
    for (let round = 1; round <= 3; round++) {
      for (const partition of [0, 1]) await evictDurableObject(objectOf(stream, partition))
      for (const partition of [0, 1]) await append(addressOf(stream, partition), 2)
      for (const partition of [0, 1]) await tail.event(partition, 2 * round)
    }
    expect(tail.places).toHaveLength(12)
    expect(new Set(tail.places).size).toBe(12)
    expect([await watchersOf(stream, 0), await watchersOf(stream, 1)]).toEqual([1, 1])
  })

  it('goes on after its socket has been cut, as by a deploy; nothing is lost and nothing comes twice', async () => {
    const stream = await createStream()
    const tail = await openTail(stream)
    for (let round = 1; round <= 3; round++) {
      await append(addressOf(stream), 1)
      await evictDurableObject(objectOf(stream), { webSockets: 'close' })
      await append(addressOf(stream), 1)
      await tail.event(0, 2 * round)
    }
    expect(tail.places).toEqual(['0:1', '0:2', '0:3', '0:4', '0:5', '0:6'])
  })

  it('whose client goes leaves its partitions', async () => {
    const stream = await createStream(2)
    const [stays, goes] = [await openTail(stream), await openTail(stream)]
    expect([await watchersOf(stream, 0), await watchersOf(stream, 1)]).toEqual([2, 2])
    await goes.close()
    const all = async () => [await watchersOf(stream, 0), await watchersOf(stream, 1)].join()
    await vi.waitUntil(async () => (await all()) === '1,1', { timeout: 5_000, interval: 20 })
    await append(addressOf(stream), 1)
    await stays.event(0, 1)
  })

  it.each(['awake', 'asleep'])('is told that its stream has gone, from partitions that are %s', async (state) => {
    const stream = await createStream(2)
    const tail = await openTail(stream)
    if (state === 'asleep') {
      for (const partition of [0, 1]) await evictDurableObject(objectOf(stream, partition))
    }
    await catalog({ type: 'deleteStream', stream: stream.name })
    await tail.until(/event: end\ndata: \{"code":"stream_not_found"/)
    expect([await watchersOf(stream, 0), await watchersOf(stream, 1)]).toEqual([0, 0])
  })
})

describe('a thousand idle tails', () => {
  it('call their object not once, and let it sleep; what is appended then reaches each of them', async () => {
    const stream = await createStream()
    const tails = await Promise.all(Array.from({ length: 1_000 }, () => openTail(stream)))
    expect(await watchersOf(stream)).toBe(1_000)
    await runInDurableObject(objectOf(stream), (instance) => {
      ;(instance as StreamPartition & { mark?: string }).mark = 'awake'
    })
    const calls = [
      vi.spyOn(StreamPartition.prototype, 'run'),
      vi.spyOn(StreamPartition.prototype, 'fetch'),
      vi.spyOn(StreamPartition.prototype, 'watch'),
      vi.spyOn(StreamPartition.prototype, 'webSocketClose'),
      vi.spyOn(StreamPartition.prototype, 'alarm'),
    ]
    onTestFinished(() => void vi.restoreAllMocks())
    await evictDurableObject(objectOf(stream))
    for (const call of calls) expect(call).not.toHaveBeenCalled()
    const mark = await runInDurableObject(objectOf(stream), (instance, state) => [
      (instance as StreamPartition & { mark?: string }).mark,
      state.getWebSockets().length,
    ])
    expect(mark).toEqual([undefined, 1_000])
    await append(addressOf(stream), 1)
    await Promise.all(tails.map((tail) => tail.event(0, 1)))
    expect(calls[2]).not.toHaveBeenCalled()
  })
})

describe('who watches a partition', () => {
  const ignored = { told() {}, ended() {} }

  it('begins at its high watermark and is told what lies beyond', async () => {
    const stream = await createStream()
    tailed.add(stream)
    await append(addressOf(stream), 3)
    const told: number[] = []
    const watch = await backend.watch(addressOf(stream), null, { told: (n) => void told.push(n), ended() {} })
    expect(watch).toMatchObject({ highWatermark: 3 })
    await append(addressOf(stream), 2)
    await vi.waitUntil(() => told.includes(5))
    expect(told).toEqual([5])
    if (typeof watch !== 'string') watch.close()
  })

  it('has to mean this partition, and one that is there', async () => {
    const stream = await createStream(2)
    const address = addressOf(stream)
    await append(address, 1)
    for (const meant of [
      { ...address, partition: 1 },
      { ...address, tenant: 'other' },
      { ...address, uid: 'other' },
    ]) {
      const watch = { address: meant, testNowMs: null }
      await runInDurableObject(objectOf(stream), async (instance) => {
        const { 0: socket } = new WebSocketPair()
        await expect(instance.watch(watch, socket)).rejects.toThrow(/another/)
      })
    }
    expect(await watchersOf(stream)).toBe(0)
    await catalog({ type: 'deleteStream', stream: stream.name })
    expect(await backend.watch(address, null, ignored)).toBe('moved')
    expect(await backend.watch(addressOf(stream, 7), null, ignored)).toBe('moved')
  })

  it('is refused beyond the bound, until another leaves', async () => {
    const stream = await createStream()
    tailed.add(stream)
    const all = await Promise.all(
      Array.from({ length: limits.watchersPerPartition }, () => backend.watch(addressOf(stream), null, ignored)),
    )
    expect(await backend.watch(addressOf(stream), null, ignored)).toBe('full')
    const refused = await server.fetch(`http://localhost/v1/streams/${stream.name}/tail`, {
      headers: { 'Rheo-Tenant': tenant },
    })
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([503, '1'])
    expect(await refused.json()).toMatchObject({ code: 'overloaded' })
    for (const watch of all) if (typeof watch !== 'string') watch.close()
    await vi.waitUntil(async () => (await watchersOf(stream)) === 0, { timeout: 10_000, interval: 50 })
    const again = await backend.watch(addressOf(stream), null, ignored)
    expect(again).toMatchObject({ highWatermark: 0 })
    if (typeof again !== 'string') again.close()
  })
})

it('a tail reads what is new by few rows, however long the log is, and writes none', async () => {
  const stream = await createStream()
  const address = addressOf(stream)
  const costs: object[] = []
  onTestFinished(() => void vi.restoreAllMocks())
  for (const before of [100, 12_000]) {
    for (let n = 0; n < before; n += 1_000) await append(address, Math.min(1_000, before))
    const tail = await openTail(stream)
    const run = vi.spyOn(StreamPartition.prototype, 'run')
    await append(address, 100)
    await tail.until(/"n":99\}/)
    const read = run.mock.results[run.mock.calls.findIndex(([, command]) => command.type === 'query')]!
    costs.push((await (read.value as Promise<{ cost: object }>)).cost)
    await tail.close()
    run.mockRestore()
  }
  expect(costs).toEqual([
    { rowsRead: 4, rowsWritten: 0 },
    { rowsRead: 4, rowsWritten: 0 },
  ])
})

describe('how often watchers are told', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  function watched(count: number) {
    const sockets = new Set<Socket>()
    const told: string[] = []
    const watchers = new Watchers({
      acceptWebSocket: (socket) => void sockets.add(socket),
      getWebSockets: () => [...sockets] as WebSocket[],
    })
    for (let n = 0; n < count; n++) watchers.accept({ send: (text) => void told.push(text as string), close() {} })
    return { watchers, told }
  }

  it('at once when nothing was told lately, then once for all that came within 100 ms', async () => {
    const { watchers, told } = watched(1)
    for (let n = 1; n <= 50; n++) watchers.tell(() => n)
    expect(told).toEqual(['1'])
    await vi.advanceTimersByTimeAsync(99)
    expect(told).toEqual(['1'])
    await vi.advanceTimersByTimeAsync(1)
    expect(told).toEqual(['1', '50'])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('the more there are the less often, so that together they come to read 500 times a second', async () => {
    const { watchers, told } = watched(1_000)
    for (let step = 1; step <= 500; step++) {
      watchers.tell(() => step)
      await vi.advanceTimersByTimeAsync(20)
    }
    expect(told.length).toBeLessThanOrEqual(10 * 500 + 1_000)
    expect(told.length).toBeGreaterThanOrEqual(4_000)
  })

  it('not at all when the high watermark stands still, and without looking for it when nobody watches', () => {
    const { watchers, told } = watched(1)
    for (let n = 0; n < 5; n++) watchers.tell(() => 7)
    expect(told).toEqual(['7'])
    watched(0).watchers.tell(() => {
      throw new Error('nobody wants to know')
    })
    expect(vi.getTimerCount()).toBe(0)
  })

  it('one whose socket is being closed keeps nobody else from being told', () => {
    const { watchers, told } = watched(0)
    const closing = {
      send: () => {
        throw new Error('closed')
      },
      close() {},
    }
    watchers.accept(closing)
    watchers.accept({ send: (text) => void told.push(text as string), close() {} })
    watchers.tell(() => 1)
    expect(told).toEqual(['1'])
  })
})
