import { describe, expect, test } from 'vitest'
import {
  BackendUnavailableError,
  type Fetch,
  InvalidQueryError,
  Rheo,
  type RheoOptions,
  StreamNotFoundError,
  type Tail,
  type TailOptions,
  tail,
  UnauthenticatedError,
} from '../../src/client/index.ts'
import { problem } from './fake-server.ts'
import { newClient, uniqueName } from './server.ts'
import { VirtualClock } from './virtual-clock.ts'

/** A connection as the scripted server sees it, and what the test says on it. */
interface Connection {
  readonly query: URLSearchParams
  readonly headers: Record<string, string>
  readonly signal: AbortSignal
  readonly atMs: number
  say(text: string | Uint8Array): void
  /** The body ends; `error` breaks the connection. */
  end(error?: Error): void
}

type Scripted = { status: number; body?: unknown; headers?: Record<string, string> } | Error | 'tail'

/** A client of a server that answers tails as the test says, on a clock that it sets. */
function newWorld(answer: (n: number) => Scripted = () => 'tail', options: RheoOptions = {}) {
  const clock = new VirtualClock()
  const connections: Connection[] = []
  const fetch: Fetch = async (url, { headers, signal }) => {
    let controller!: ReadableStreamDefaultController<Uint8Array>
    const body = new ReadableStream<Uint8Array>({
      start: (one) => {
        controller = one
      },
    })
    const encoder = new TextEncoder()
    const query = new URL(url).searchParams
    connections.push({
      query,
      headers,
      signal,
      atMs: clock.now(),
      say: (text) => controller.enqueue(typeof text === 'string' ? encoder.encode(text) : text),
      end: (error) => (error === undefined ? controller.close() : controller.error(error)),
    })
    const scripted = answer(connections.length)
    if (scripted instanceof Error) throw scripted
    if (scripted === 'tail') return new Response(body)
    return new Response(JSON.stringify(scripted.body), scripted)
  }
  const rheo = new Rheo({ url: 'http://rheo.test', fetch, clock, ...options })
  return { clock, connections, rheo }
}

const opening = 'retry: 1000\nid: u.0\n\n'
const eventText = (n: number): string => `id: u.${n}\ndata: {"sequence":${n}}\n\n`

/** Takes all that a tail gives, as it gives it. */
function collect(events: Tail<never>) {
  const seen: number[] = []
  const all = (async () => {
    for await (const { sequence } of events) seen.push(sequence)
  })()
  const settled: { value?: unknown } = {}
  all.then(
    () => (settled.value = 'over'),
    (error: unknown) => (settled.value = error),
  )
  return { seen, settled }
}

const start = (world: ReturnType<typeof newWorld>, options: TailOptions = {}) => {
  const events = tail<never>(world.rheo, 'orders', options)
  return { events, ...collect(events) }
}

describe('a tail of a real server', () => {
  test('gives typed events as they are appended, ends with its stream, and can be resumed from its position', async () => {
    const rheo = newClient()
    const stream = uniqueName('tail')
    await rheo.streams.create(stream, { partitionCount: 2 })
    await rheo.appendMany(
      stream,
      Array.from({ length: 10 }, (_, n) => ({ partition: n % 2, type: n < 4 ? 'a' : 'b', payload: { n } })),
    )
    const first = tail<{ n: number }>(rheo, stream, { after: 0, where: { type: 'b' } })
    expect(first.position).toBe(null)
    const seen: number[] = []
    for await (const { payload } of first) {
      seen.push(payload.n)
      if (seen.length === 4) break
    }
    const again = tail<{ n: number }>(rheo, stream, { after: first.position!, where: { type: 'b' } })
    for await (const { payload } of again) {
      seen.push(payload.n)
      if (seen.length === 6) await rheo.append(stream, { type: 'b', payload: { n: 10 } })
      if (seen.length === 7) await rheo.streams.delete(stream, { confirm: true })
    }
    expect(seen.toSorted((a, b) => a - b)).toEqual([4, 5, 6, 7, 8, 9, 10])
  })

  test('follows one partition, and everything from now on unless told otherwise', async () => {
    const rheo = newClient()
    const stream = uniqueName('tail')
    await rheo.streams.create(stream, { partitionCount: 2 })
    await rheo.append(stream, { partition: 1, payload: {} })
    const events = tail(rheo, stream, { partition: 1 })
    const next = events.next()
    // The position comes with the connection: what is appended then is not missed.
    while (events.position === null) await new Promise((resolve) => setImmediate(resolve))
    await rheo.append(stream, { partition: 0, payload: {} })
    await rheo.append(stream, { partition: 1, payload: {} })
    expect((await next).value).toMatchObject({ partition: 1, sequence: 2 })
    await events.return()
  })

  test('throws what the server refuses', async () => {
    const rheo = newClient()
    await expect(tail(rheo, 'nobody-made-this').next()).rejects.toThrow(StreamNotFoundError)
    const stream = uniqueName('tail')
    await rheo.streams.create(stream)
    await expect(tail(rheo, stream, { where: { a: {} } }).next()).rejects.toThrow(InvalidQueryError)
  })
})

describe('a connection that breaks', () => {
  test.each([['at its end', undefined] as const, ['with an error', new TypeError('reset')] as const])(
    '%s is made again where it was: nothing is lost and nothing comes twice',
    async (_, error) => {
      const world = newWorld()
      const { events, seen } = start(world, { after: 7, where: { a: 1 } })
      await world.clock.settle()
      world.connections[0]!.say(opening + eventText(8) + eventText(9) + eventText(10).slice(0, -5))
      await world.clock.settle()
      world.connections[0]!.end(error)
      await world.clock.advance(200)
      expect(world.connections[1]!.headers['Last-Event-ID']).toBe('u.9')
      for (const { query } of world.connections)
        expect(Object.fromEntries(query)).toEqual({ after: '7', where: '{"a":1}' })
      world.connections[1]!.say(opening.replace('u.0', 'u.9') + eventText(10))
      await world.clock.settle()
      expect([seen, events.position]).toEqual([[8, 9, 10], 'u.10'])
    },
  )

  test('before the first event is resumed from where the tail began', async () => {
    const world = newWorld()
    start(world)
    await world.clock.settle()
    expect(world.connections[0]!.headers['Last-Event-ID']).toBeUndefined()
    world.connections[0]!.say(opening)
    await world.clock.settle()
    world.connections[0]!.end()
    await world.clock.advance(200)
    expect(world.connections[1]!.headers['Last-Event-ID']).toBe('u.0')
  })

  test('a position that comes without an event counts', async () => {
    const world = newWorld()
    const { events, seen } = start(world)
    await world.clock.settle()
    world.connections[0]!.say(`${opening}id: u.600\n:\n\n:\n\n`)
    await world.clock.settle()
    expect([seen, events.position]).toEqual([[], 'u.600'])
  })

  test('chunks may end anywhere, also within a character', async () => {
    const world = newWorld()
    const events = tail<{ t: string }>(world.rheo, 'orders')
    const next = events.next()
    await world.clock.settle()
    const bytes = new TextEncoder().encode(`${opening}id: u.1\ndata: {"payload":{"t":"é😀"}}\n\n`)
    for (const byte of bytes) world.connections[0]!.say(new Uint8Array([byte]))
    expect((await next).value).toEqual({ payload: { t: 'é😀' } })
  })

  test('on which nothing comes for 45 s is taken for dead; comments keep it alive', async () => {
    const world = newWorld()
    start(world)
    await world.clock.settle()
    world.connections[0]!.say(opening)
    for (let n = 0; n < 4; n++) {
      await world.clock.advance(44_000)
      world.connections[0]!.say(':\n\n')
    }
    expect(world.connections).toHaveLength(1)
    await world.clock.advance(45_300)
    expect(world.connections).toHaveLength(2)
    expect(world.connections[0]!.signal.aborted).toBe(true)
  })
})

describe('a server that cannot be reached', () => {
  test('in the first place is tried four times', async () => {
    const world = newWorld(() => new TypeError('refused'))
    const { settled } = start(world)
    await world.clock.advance(30_000)
    expect(settled.value).toBeInstanceOf(BackendUnavailableError)
    expect(world.connections).toHaveLength(4)
    expect(world.clock.timers).toBe(0)
  })

  test('later is tried for ever, ever less often, and never before its Retry-After', async () => {
    const world = newWorld((n) => {
      if (n === 1 || n === 40) return 'tail'
      if (n === 3) return { ...problem(503, 'overloaded'), headers: { 'Retry-After': '7' } }
      return n % 2 === 0 ? new TypeError('refused') : problem(503, 'backend_unavailable')
    })
    const { seen, settled } = start(world)
    await world.clock.settle()
    world.connections[0]!.say(opening)
    await world.clock.settle()
    world.connections[0]!.end()
    while (world.connections.length < 40) await world.clock.advance(1_000)
    expect(settled.value).toBeUndefined()
    expect(world.connections).toHaveLength(40)
    const pauses = world.connections.slice(1).map(({ atMs }, index) => atMs - world.connections[index]!.atMs)
    expect(pauses[2]).toBeGreaterThanOrEqual(7_100)
    expect(Math.max(...pauses.toSpliced(2, 1))).toBeLessThanOrEqual(5_000)
    expect(pauses.at(-1)).toBeGreaterThan(2_000)
    world.connections[39]!.say(eventText(1))
    await world.clock.settle()
    expect(seen).toEqual([1])
  })

  test('which accepts and hangs up at once is not hammered', async () => {
    const world = newWorld()
    start(world)
    for (let n = 0; n < 20; n++) {
      await world.clock.advance(n === 0 ? 0 : 5_000)
      world.connections[n]?.say(opening)
      await world.clock.settle()
      world.connections[n]?.end()
    }
    await world.clock.settle()
    const pauses = world.connections.slice(1).map(({ atMs }, index) => atMs - world.connections[index]!.atMs)
    expect(pauses.length).toBeGreaterThan(5)
    expect(Math.max(...pauses)).toBeGreaterThan(2_000)
  })
})

describe('the end', () => {
  test('of the token asks for another one; the server decides whether it is good', async () => {
    let tokens = 0
    const world = newWorld((n) => (n < 3 ? 'tail' : problem(401, 'unauthenticated')), {
      token: () => `token-${++tokens}`,
    })
    const { seen, settled } = start(world)
    for (const [index, connection] of [0, 1].entries()) {
      await world.clock.advance(300)
      world.connections[connection]!.say(
        `${opening}${eventText(index + 1)}event: end\ndata: {"code":"unauthenticated","detail":"the token has expired"}\n\n`,
      )
      await world.clock.settle()
      world.connections[connection]!.end()
    }
    await world.clock.advance(300)
    expect(seen).toEqual([1, 2])
    expect(world.connections.map(({ headers }) => headers.Authorization)).toEqual([
      'Bearer token-1',
      'Bearer token-2',
      'Bearer token-3',
    ])
    expect(settled.value).toBeInstanceOf(UnauthenticatedError)
  })

  test('of the stream is that of the loop; any other end is thrown', async () => {
    const gone = newWorld()
    const one = start(gone)
    await gone.clock.settle()
    gone.connections[0]!.say(`${opening}event: end\ndata: {"code":"stream_not_found","detail":"gone"}\n\n`)
    await gone.clock.settle()
    expect(one.settled.value).toBe('over')
    const damaged = newWorld()
    const other = start(damaged)
    await damaged.clock.settle()
    damaged.connections[0]!.say(`${opening}event: end\ndata: {"code":"failed","detail":"damaged"}\n\n`)
    await damaged.clock.settle()
    expect(other.settled.value).toMatchObject({ code: 'failed', detail: 'damaged' })
  })

  test('by the signal comes at once: before it begins, while it reads, and between two tries', async () => {
    const reason = new Error('enough')
    const early = newWorld()
    const begun = start(early, { signal: AbortSignal.abort(reason) })
    await early.clock.settle()
    expect(begun.settled.value).toBe(reason)
    expect(early.connections).toEqual([])
    for (const breaks of [false, true]) {
      const world = newWorld()
      const stop = new AbortController()
      const { settled } = start(world, { signal: stop.signal })
      await world.clock.settle()
      world.connections[0]!.say(opening)
      await world.clock.settle()
      if (breaks) world.connections[0]!.end()
      await world.clock.settle()
      stop.abort(reason)
      await world.clock.settle()
      expect(settled.value).toBe(reason)
      expect(world.connections[0]!.signal.aborted).toBe(true)
      expect(world.clock.timers).toBe(0)
    }
  })

  test('of the loop closes the connection and leaves no timer', async () => {
    const world = newWorld()
    const events = tail<never>(world.rheo, 'orders')
    const next = events.next()
    await world.clock.settle()
    world.connections[0]!.say(opening + eventText(1))
    expect((await next).value).toEqual({ sequence: 1 })
    expect(world.connections[0]!.signal.aborted).toBe(false)
    await events.return()
    expect(world.connections[0]!.signal.aborted).toBe(true)
    expect(world.clock.timers).toBe(0)
  })
  test.each(['before it begins', 'while it waits', 'between two tries'])(
    'by return comes at once: %s',
    async (when) => {
      const world = newWorld()
      const { signal } = new AbortController()
      const events = tail<never>(world.rheo, 'orders', { signal })
      const waiting = when === 'before it begins' ? undefined : events.next()
      await world.clock.settle()
      world.connections[0]?.say(opening)
      await world.clock.settle()
      if (when === 'between two tries') world.connections[0]!.end()
      await world.clock.settle()
      const told: unknown[] = []
      void waiting?.then((one) => told.push(one))
      void events.return().then((one) => told.push(one))
      await world.clock.settle()
      const end = { done: true, value: undefined }
      expect(told).toEqual(waiting === undefined ? [end] : [end, end])
      expect(world.connections.map((one) => one.signal.aborted)).toEqual(waiting === undefined ? [] : [true])
      expect(world.clock.timers).toBe(0)
      expect(await events.next()).toEqual(end)
    },
  )

  test('by return comes at once also while the token is awaited', async () => {
    const world = newWorld(() => 'tail', { token: () => new Promise<never>(() => {}) })
    const events = tail<never>(world.rheo, 'orders')
    const waiting = events.next()
    await world.clock.settle()
    expect(await events.return()).toEqual({ done: true, value: undefined })
    expect(await waiting).toEqual({ done: true, value: undefined })
  })
})
