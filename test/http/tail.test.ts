import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { failure } from '../../src/core/failure.ts'
import { limits } from '../../src/core/limits.ts'
import { type Answer, type Command, done, moved, type QueryPage, refused } from '../../src/core/partition/commands.ts'
import { createEdge } from '../../src/http/edge.ts'
import { FakeBackend, objectError, type Received, type Watching } from './fake-backend.ts'
import { mechanisms } from './send.ts'
import { mint, seconds, secret } from './tokens.ts'

let backend: FakeBackend
/** How many events each partition has. */
let log: number[]
let edge: ReturnType<typeof createEdge>

beforeEach(() => {
  vi.useFakeTimers()
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  backend = new FakeBackend()
  edge = createEdge({ version: '1', mechanisms, connect: () => backend, site: () => null })
  backend.addStream('orders', 2)
  log = [0, 0]
  backend.onWatch = ({ partition }) => log[partition]!
  backend.answer = answer
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** A page of numbered events; those whose number does not divide by `step` do not match. */
function page({ partition, command }: Received, step = 1, size = 250): Answer<QueryPage> {
  const { after } = (command as Command<'query'>).query.selection
  const last = log[partition]!
  const looked = Array.from({ length: Math.min(size, last - after) }, (_, index) => after + 1 + index)
  const end = after + looked.length
  return done({
    matches: looked.filter((n) => n % step === 0).map((n) => ({ key: keyOf(n), event: eventOf(partition, n) })),
    next: end < last ? keyOf(end) : null,
    highWatermark: last,
  })
}
const answer = (received: Received): Answer<unknown> => page(received)
const keyOf = (sequence: number) => ({ timestampMs: 0, sequence })
const eventOf = (partition: number, n: number): string => `{"partition":${partition},"sequence":${n}}`

interface OpenOptions {
  headers?: Record<string, string>
  vars?: Record<string, string>
  signal?: AbortSignal
  method?: string
}

/** Sends the request of a tail. */
function send(query = '', { headers = {}, vars = {}, signal, method = 'GET' }: OpenOptions = {}): Promise<Response> {
  const request = new Request(`http://localhost/v1/streams/orders/tail?${query}`, {
    method,
    headers,
    ...(signal === undefined ? {} : { signal }),
  })
  return Promise.resolve(edge.fetch(request, { RHEO_AUTH: 'open', ...vars }))
}

/** A tail that is read chunk by chunk. */
class Reading {
  readonly reader: ReadableStreamDefaultReader<Uint8Array>
  text = ''
  isOver = false

  constructor(response: Response) {
    expect(response.status).toBe(200)
    this.reader = response.body!.getReader()
  }

  /** One chunk; null at the end. */
  async chunk(): Promise<string | null> {
    const { value, done } = await this.reader.read()
    const text = value === undefined ? null : new TextDecoder().decode(value)
    this.text += text ?? ''
    this.isOver = done
    return text
  }

  /** Reads on for as long as the test moves time. */
  async drain(): Promise<void> {
    while (!this.isOver) await this.chunk()
  }

  get events(): string[] {
    return [...this.text.matchAll(/^data: (\{"partition".*)$/gm)].map(([, event]) => event!)
  }

  get lastId(): string {
    return [...this.text.matchAll(/^id: (.*)$/gm)].at(-1)![1]!
  }
}

async function openTail(query = '', options: OpenOptions = {}): Promise<Reading> {
  const reading = new Reading(await send(query, options))
  await reading.chunk()
  return reading
}

/** A partition gets more events, and its watchers are told. */
function append(partition: number, count: number): void {
  log[partition]! += count
  for (const watching of open(partition)) watching.watcher.told(log[partition]!)
}

const open = (partition?: number): Watching[] =>
  backend.watching.filter((one) => !one.isClosed && (partition === undefined || one.partition === partition))

const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0)

describe('a tail that is idle', () => {
  it('API sends a comment every 15 s, and a thousand of them call no object in a minute', async () => {
    const tails = await Promise.all(Array.from({ length: 1_000 }, () => openTail()))
    for (const tail of tails) void tail.drain()
    await settle()
    expect(backend.watching).toHaveLength(2_000)
    const asked = backend.asked.length
    await vi.advanceTimersByTimeAsync(60_000)
    for (const { text } of tails) expect(text.match(/^:$/gm)).toHaveLength(4)
    expect(backend.received).toEqual([])
    expect(backend.watching).toHaveLength(2_000)
    expect(backend.asked).toHaveLength(asked)
  })

  it('waits for the comment anew after each event', async () => {
    const tail = await openTail()
    void tail.drain()
    await vi.advanceTimersByTimeAsync(10_000)
    append(0, 1)
    await vi.advanceTimersByTimeAsync(14_999)
    const sinceEvent = () => tail.text.slice(tail.text.indexOf('data:'))
    expect(sinceEvent()).not.toMatch(/^:$/m)
    await vi.advanceTimersByTimeAsync(1)
    expect(sinceEvent()).toMatch(/^:$/m)
  })

  it('sends the first comment after a second, which shows whether its client is still there', async () => {
    const tail = await openTail()
    void tail.drain()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(tail.text.match(/^:$/gm)).toHaveLength(1)
  })

  it('S6.3 with a filter that matches nothing, the comment takes the position along', async () => {
    backend.answer = (received) => page(received, 1_000)
    const tail = await openTail('where=%7B%22a%22%3A1%7D')
    const began = tail.lastId
    void tail.drain()
    append(1, 600)
    await vi.advanceTimersByTimeAsync(15_000)
    expect(tail.events).toEqual([])
    expect(tail.lastId).toBe(began.replace(/0$/, (600).toString(36)))
    const reads = backend.received.length
    await vi.advanceTimersByTimeAsync(15_000)
    expect(tail.text.match(/^id: /gm)).toHaveLength(2)
    expect(backend.received).toHaveLength(reads)
    await openTail('', { headers: { 'Last-Event-ID': tail.lastId } })
    await settle()
    expect(backend.received).toHaveLength(reads)
  })
})

describe('a slow reader', () => {
  it('holds one page and no more: nothing is read before it has taken what was before', async () => {
    const tail = await openTail()
    for (let n = 0; n < 10_000; n++) append(n % 2, 1)
    await settle()
    expect(backend.received).toHaveLength(0)
    let taken = 0
    while (taken < 10_000) {
      await tail.chunk()
      await settle()
      const given = backend.received.length * 250
      taken = tail.events.length
      expect(given - taken).toBeLessThanOrEqual(250)
    }
    expect(new Set(tail.events).size).toBe(10_000)
  })

  it('asks for at most so many events and bytes as one page may have', async () => {
    const tail = await openTail('after=0')
    append(0, 1)
    await tail.chunk()
    const { command } = backend.commands('query')[0]!
    expect(command.query).toMatchObject({ limit: 250, maxBytes: 2 * limits.eventBytes })
  })

  it('lets no partition wait for another that always has more', async () => {
    const tail = await openTail()
    append(0, 10_000)
    append(1, 1)
    await tail.chunk()
    await tail.chunk()
    expect(tail.events).toContain(eventOf(1, 1))
  })
})

describe('a watch that breaks', () => {
  it('begins again, catches up from the position, and doubles nothing', async () => {
    const tail = await openTail()
    void tail.drain()
    append(0, 3)
    await settle()
    const [broken] = open(0)
    broken!.isClosed = true
    broken!.watcher.ended(false)
    append(0, 4)
    append(1, 1)
    await settle()
    expect(tail.events).toHaveLength(4)
    await vi.advanceTimersByTimeAsync(100)
    expect(open(0)).toHaveLength(1)
    append(0, 1)
    await settle()
    expect(tail.events.toSorted()).toEqual(
      [...[1, 2, 3, 4, 5, 6, 7, 8].map((n) => eventOf(0, n)), eventOf(1, 1)].toSorted(),
    )
  })

  it('is begun again with longer and longer pauses while the partition cannot be reached', async () => {
    const tail = await openTail()
    void tail.drain()
    backend.onWatch = () => {
      throw objectError()
    }
    for (const one of open()) {
      one.isClosed = true
      one.watcher.ended(false)
    }
    await vi.advanceTimersByTimeAsync(60_000)
    // Each try is made twice, as every read is.
    const tries = (backend.watching.length - 2) / 2 / 2
    expect(tries).toBeGreaterThan(12)
    expect(tries).toBeLessThan(40)
    expect(tail.isOver).toBe(false)
    backend.onWatch = ({ partition }) => log[partition]!
    log = [1, 1]
    await vi.advanceTimersByTimeAsync(5_000)
    expect(tail.events).toHaveLength(2)
  })

  it('because the partition has gone ends the tail', async () => {
    const tail = await openTail()
    open(1)[0]!.watcher.ended(true)
    await tail.drain()
    expect(tail.text).toContain(
      'event: end\ndata: {"code":"stream_not_found","detail":"there is no stream orders"}\n\n',
    )
    expect(open(0)).toEqual([])
  })

  it('and is told moved when it begins again ends the tail', async () => {
    const tail = await openTail()
    const drained = tail.drain()
    backend.onWatch = () => 'moved'
    open(1)[0]!.watcher.ended(false)
    await vi.advanceTimersByTimeAsync(1_000)
    await drained
    expect(tail.text).toContain('stream_not_found')
  })
})

describe('a read that fails', () => {
  it('is made again after a pause when the partition cannot be reached or refuses load', async () => {
    for (const fault of [objectError(), objectError({ overloaded: true })]) {
      log = [0, 0]
      backend.answer = () => {
        throw fault
      }
      const tail = await openTail()
      void tail.drain()
      append(0, 2)
      await vi.advanceTimersByTimeAsync(1_000)
      expect([tail.events, tail.isOver]).toEqual([[], false])
      backend.answer = answer
      await vi.advanceTimersByTimeAsync(5_000)
      expect(tail.events).toEqual([eventOf(0, 1), eventOf(0, 2)])
    }
  })

  it('ends the tail when the partition has gone, or cannot tell its events', async () => {
    const ends: [Answer<never>, string][] = [
      [moved, 'stream_not_found'],
      [refused(failure('failed', 'the log holds no event at sequence 1', {})), 'failed'],
    ]
    for (const [answered, code] of ends) {
      log = [0, 0]
      backend.answer = () => answered
      const tail = await openTail()
      append(0, 1)
      await tail.drain()
      expect(tail.text).toContain(`event: end\ndata: {"code":"${code}"`)
      expect(open()).toEqual([])
      backend.watching.length = 0
    }
  })
})

describe('a tail ends', () => {
  it('and leaves every partition, when its client goes', async () => {
    const cancelled = await openTail()
    await cancelled.reader.cancel()
    expect(open()).toEqual([])
    const gone = new AbortController()
    const aborted = await openTail('', { signal: gone.signal })
    const drained = aborted.drain()
    gone.abort()
    await drained
    expect(open()).toEqual([])
    expect((await send('', { method: 'HEAD' })).status).toBe(200)
    expect(open()).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('when the client goes while it is being opened', async () => {
    const gone = new AbortController()
    const begin = Promise.withResolvers<number>()
    backend.onWatch = () => begin.promise
    const response = send('', { signal: gone.signal })
    await settle()
    gone.abort()
    begin.resolve(0)
    await (await response).text()
    expect(backend.watching).toHaveLength(2)
    expect(open()).toEqual([])
  })

  it('when the client goes while a watch is begun again', async () => {
    const tail = await openTail()
    void tail.drain()
    const begin = Promise.withResolvers<number>()
    backend.onWatch = () => begin.promise
    const [broken] = open(0)
    broken!.isClosed = true
    broken!.watcher.ended(false)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(backend.watching).toHaveLength(3)
    await tail.reader.cancel()
    begin.resolve(0)
    await settle()
    expect(open()).toEqual([])
  })

  it('API with unauthenticated when its token expires, by the clock of the machine', async () => {
    const vars = { RHEO_AUTH: 'token', RHEO_JWT_SECRET: secret, RHEO_TEST_CLOCK: '1' }
    const headers = {
      Authorization: `Bearer ${mint({ exp: seconds() + 20, scope: 'read' })}`,
      'Rheo-Now': '2020-01-01T00:00:00.000Z',
    }
    const tail = await openTail('', { vars, headers })
    const drained = tail.drain()
    append(0, 1)
    await vi.advanceTimersByTimeAsync(18_900)
    expect([tail.events.length, tail.isOver]).toEqual([1, false])
    await vi.advanceTimersByTimeAsync(1_200)
    await drained
    expect(tail.text).toContain('event: end\ndata: {"code":"unauthenticated","detail":"the token has expired"}\n\n')
    expect(open()).toEqual([])
  })

  it('an expired token reads nothing more, however long its client has not read', async () => {
    const vars = { RHEO_AUTH: 'token', RHEO_JWT_SECRET: secret }
    const headers = { Authorization: `Bearer ${mint({ exp: seconds() + 20, scope: 'read' })}` }
    const tail = await openTail('', { vars, headers })
    append(0, 1)
    await vi.advanceTimersByTimeAsync(21_000)
    await tail.drain()
    expect(backend.received).toEqual([])
    expect(tail.text).toContain('unauthenticated')
  })

  it('without a word after so many calls to objects, and is taken up where it was', async () => {
    backend.answer = (received) => page(received, 1, 1)
    const tail = await openTail()
    append(0, 2_000)
    await tail.drain()
    expect(backend.received.length + backend.watching.length).toBe(limits.tailCalls)
    expect(tail.text).not.toContain('event: end')
    const again = await openTail('', { headers: { 'Last-Event-ID': tail.lastId } })
    await again.drain()
    const last = await openTail('', { headers: { 'Last-Event-ID': again.lastId } })
    while (last.events.length + again.events.length + tail.events.length < 2_000) await last.chunk()
    const all = [...tail.events, ...again.events, ...last.events]
    expect(all).toEqual(Array.from({ length: 2_000 }, (_, index) => eventOf(0, index + 1)))
  })
})

describe('a tail that cannot begin', () => {
  it('is overloaded with Retry-After when a partition has as many as it takes, and leaves the others', async () => {
    backend.onWatch = ({ partition }) => (partition === 1 ? 'full' : 0)
    const response = await send()
    expect([response.status, response.headers.get('Retry-After')]).toEqual([503, '1'])
    expect(await response.json()).toMatchObject({ code: 'overloaded', partition: 1 })
    expect(open(0)).toEqual([])
  })

  it('is backend_unavailable when a partition cannot be reached', async () => {
    backend.onWatch = ({ partition }) => {
      if (partition === 1) throw objectError()
      return 0
    }
    const response = await send()
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({ code: 'backend_unavailable', partitions: [1] })
    expect(open(0)).toEqual([])
  })

  it('S8.16 meets a stream that was created again as it is now', async () => {
    await openTail()
    backend.addStream('orders', 1, 'another-uid')
    let isFirst = true
    backend.onWatch = () => {
      if (!isFirst) return 0
      isFirst = false
      return 'moved'
    }
    const tail = await openTail()
    expect(tail.text).toContain('id: another-uid.0\n')
  })

  it('counts as one request of the quota, however long it goes on', async () => {
    const vars = { RHEO_QUOTA_REQUESTS_PER_SECOND: '2' }
    const tail = await openTail('', { vars })
    void tail.drain()
    for (let n = 0; n < 20; n++) {
      append(0, 1)
      await settle()
    }
    expect(tail.events).toHaveLength(20)
    expect((await send('', { vars })).status).toBe(200)
    expect((await send('', { vars })).status).toBe(429)
  })
})
