import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, it } from 'vitest'
import { limits } from '../../src/core/limits.ts'
import { LocalBackend } from './local-backend.ts'
import { type Send, type SendOptions, type Sent, sendTo } from './send.ts'

type Limit = keyof typeof limits

/** A request that has so much of what is limited, right in all else. */
type Probe = (amount: number) => readonly [method: string, path: string, options?: SendOptions]

interface Bound {
  readonly probe: Probe
  /** What a request within the bound is answered. */
  readonly within?: 'stale_lease'
  /** What one beyond it is answered, and the field that the answer names. */
  readonly beyond: readonly [code: string, field: string]
  /** The bound is the least that may be, not the most. */
  readonly isLeast?: true
}

/** A limit that other tests reach: a file, and the test there that does. */
interface Elsewhere {
  readonly file: string
  readonly title: string
}

const stream = '/v1/streams/orders'
const events = `${stream}/events`
const groups = `${stream}/groups`
const group = `${groups}/billing`

const x = (count: number): string => 'x'.repeat(count)
const filled = (count: number, item: unknown): unknown[] => Array.from({ length: count }, () => item)
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))
/** An object that is so many bytes of JSON, with one letter of two bytes in it. */
const sized = (bytes: number) => ({ a: `é${x(bytes - bytesOf({ a: 'é' }))}` })
const nested = (levels: number): unknown => (levels === 1 ? {} : { a: nested(levels - 1) })

const post =
  (path: string, bodyOf: (amount: number) => unknown): Probe =>
  (amount) => ['POST', path, { body: bodyOf(amount) }]
const invalid = (field: string) => ['invalid_request', field] as const
const newGroup = (name: string, bodyOf: (amount: number) => unknown): Bound => ({
  probe: post(groups, (amount) => ({ name: `g${amount}`, ...(bodyOf(amount) as object) })),
  beyond: invalid(name),
})

const bounds: Readonly<Record<string, Bound | Elsewhere>> = {
  eventBytes: {
    // The payload is what is left beside the text around it.
    probe: post(events, (bytes) => ({ payload: sized(bytes - bytesOf({ payload: 0 }) + 1) })),
    beyond: ['payload_too_large', 'body'],
  },
  bodyBytes: {
    probe: (bytes) => ['POST', events, { raw: `{}${' '.repeat(bytes - 2)}` }],
    beyond: ['payload_too_large', 'body'],
  },
  appendingBytes: {
    file: 'http/body.test.ts',
    title: 'is for two of the greatest, of %s: a third is overloaded until one is answered',
  },
  batchEvents: { probe: post(events, (count) => ({ events: filled(count, {}) })), beyond: invalid('events') },
  nesting: { probe: post(events, (levels) => ({ payload: nested(levels) })), beyond: invalid('payload') },
  keyBytes: { probe: post(events, (bytes) => ({ key: `é${x(bytes - 2)}` })), beyond: invalid('key') },
  idLength: { probe: post(events, (length) => ({ id: x(length) })), beyond: invalid('id') },
  idempotencyKeyLength: {
    probe: (length) => ['POST', events, { body: {}, headers: { 'Idempotency-Key': x(length) } }],
    beyond: invalid('Idempotency-Key'),
  },
  metadataBytes: {
    probe: post(events, (bytes) => ({ metadata: sized(bytes) })),
    beyond: ['payload_too_large', 'metadata'],
  },
  nameLength: { probe: post('/v1/streams', (length) => ({ name: x(length) })), beyond: ['invalid_name', 'name'] },
  consumerIdLength: {
    probe: post(`${group}/fetch`, (length) => ({ consumerId: x(length) })),
    beyond: invalid('consumerId'),
  },
  reasonLength: {
    probe: post(`${group}/nack`, (length) => ({ leaseId: 'none', reason: x(length) })),
    within: 'stale_lease',
    beyond: invalid('reason'),
  },
  leaseIdLength: {
    probe: post(`${group}/ack`, (length) => ({ leaseId: x(length) })),
    within: 'stale_lease',
    beyond: invalid('leaseId'),
  },
  tokenLength: { file: 'http/token.test.ts', title: 'is read up to 8 KiB, and unauthenticated beyond' },
  fetchEvents: { probe: post(`${group}/fetch`, (limit) => ({ limit })), beyond: invalid('limit') },
  settleItems: {
    probe: post(`${group}/settle`, (count) => ({ items: filled(count, { leaseId: 'none', outcome: 'ack' }) })),
    beyond: invalid('items'),
  },
  pageItems: { probe: (limit) => ['GET', `${events}?limit=${limit}`], beyond: invalid('limit') },
  answerBytes: {
    file: 'http/lists.test.ts',
    title: 'a page holds about 8 MiB of events and at least one, and loses none',
  },
  holeRanges: {
    file: 'conformance/holes-and-leases.test.ts',
    title: 'holes show at most 1 000 ranges a partition, and say when there are more',
  },
  openRuns: {
    file: 'core/partition-limits.test.ts',
    title: 'are 100 000; then there are no new events until some are settled, and what blocks is named',
  },
  partitionBytes: {
    file: 'core/partition-limits.test.ts',
    title: 'takes an append that just fits, and answers partition_full for a byte more',
  },
  partitions: {
    probe: post('/v1/streams', (partitionCount) => ({ name: `s${partitionCount}`, partitionCount })),
    beyond: ['invalid_partition_count', 'partitionCount'],
  },
  streamsPerTenant: { file: 'core/catalog-limits.test.ts', title: 'are 10 000, and one more when one has gone' },
  groupsPerStream: { file: 'core/catalog-limits.test.ts', title: 'are 1 000, of each stream for itself' },
  waitersPerPartition: {
    file: 'workers/waiting.test.ts',
    title: 'beyond its bound of waiters a partition says that it is full, and a waiter that goes makes room',
  },
  scrapePartitions: {
    file: 'http/metrics.test.ts',
    title: 'partitions beyond the bound of a scrape are counted and not asked',
  },
  scrapeBytes: {
    file: 'http/metrics.test.ts',
    title: 'a text that has grown beyond its bound asks no further partition',
  },
  scrapeStreams: { file: 'http/metrics.test.ts', title: 'are named up to 50 times, and no more' },
  scrapeMs: {
    file: 'http/metrics.test.ts',
    title: 'a partition that hangs is down when the time for a scrape is over',
  },
  waitMs: { probe: post(`${group}/fetch`, (waitMs) => ({ waitMs })), beyond: invalid('waitMs') },
  watchersPerPartition: { file: 'workers/tail.test.ts', title: 'is refused beyond the bound, until another leaves' },
  tailCalls: {
    file: 'http/tail.test.ts',
    title: 'without a word after so many calls to objects, and is taken up where it was',
  },
  whereLength: {
    file: 'conformance/tail.test.ts',
    title: 'API the where of a tail may have 8 192 characters, and not one more',
  },
  leaseMsMin: { ...newGroup('leaseMs', (leaseMs) => ({ leaseMs })), isLeast: true },
  leaseMs: { probe: post(`${group}/fetch`, (leaseMs) => ({ leaseMs })), beyond: invalid('leaseMs') },
  delayMs: {
    probe: post(`${group}/nack`, (delayMs) => ({ leaseId: 'none', delayMs })),
    within: 'stale_lease',
    beyond: invalid('delayMs'),
  },
  maxAttempts: newGroup('maxAttempts', (maxAttempts) => ({ maxAttempts })),
  maxInFlight: newGroup('maxInFlight', (maxInFlight) => ({ maxInFlight })),
  whereConditions: {
    probe: post(`${stream}/query`, (count) => ({
      where: Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, 1])),
    })),
    beyond: invalid('where'),
  },
  inOperands: {
    probe: post(`${stream}/query`, (count) => ({ where: { a: { in: filled(count, 1) } } })),
    beyond: invalid('where.a.in'),
  },
  pathDepth: {
    probe: post(`${stream}/query`, (depth) => ({ where: { [`payload${'.a'.repeat(depth)}`]: 1 } })),
    beyond: invalid(`where.payload${'.a'.repeat(limits.pathDepth + 1)}`),
  },
  backoffBaseMs: newGroup('backoff.baseMs', (baseMs) => ({ backoff: { baseMs } })),
  backoffFactor: newGroup('backoff.factor', (factor) => ({ backoff: { baseMs: 1, factor } })),
  backoffMaxMs: newGroup('backoff.maxMs', (maxMs) => ({ backoff: { baseMs: 1, maxMs } })),
  idempotencyMs: {
    file: 'conformance/idempotency.test.ts',
    title: 'S2.7 a key is remembered for 10 minutes, and the repeat carries the original time',
  },
  idempotencyKeys: {
    file: 'core/partition-limits.test.ts',
    title: 'then a new one is overloaded, a repeat and an append without one are not, until some are old',
  },
}

let backend: LocalBackend
let send: Send
beforeEach(async () => {
  backend = new LocalBackend()
  send = sendTo(backend)
  await send('POST', '/v1/streams', { body: { name: 'orders' } })
  await send('POST', groups, { body: { name: 'billing' } })
})

const names = Object.keys(limits) as Limit[]
const isHere = (name: Limit): boolean => bounds[name] !== undefined && 'probe' in bounds[name]

describe('every limit has a test of its bound', () => {
  it.each(names)('%s', (name) => {
    const bound = bounds[name]
    expect(bound, `${name} has a test neither here nor elsewhere`).toBeDefined()
    if (bound === undefined || 'probe' in bound) return
    const text = readFileSync(fileURLToPath(new URL(`../${bound.file}`, import.meta.url)), 'utf8')
    expect(text).toContain(bound.title)
  })

  it('and only limits have', () => {
    expect(Object.keys(bounds)).toEqual(names)
  })
})

describe('API Limits: at, within and beyond', () => {
  it.each(names.filter(isHere))('%s', async (name) => {
    const { probe, within, beyond, isLeast } = bounds[name] as Bound
    const step = isLeast === true ? -1 : 1
    const attempt = async (amount: number): Promise<Sent> => send(...probe(amount))
    for (const amount of [limits[name] - step, limits[name]]) {
      const { status, body, text } = await attempt(amount)
      if (within === undefined) expect(status, `${amount} ${text.slice(0, 200)}`).toBeLessThan(300)
      else expect(body.code, `${amount}`).toBe(within)
    }
    const before = backend.rowsWritten
    const { body } = await attempt(limits[name] + step)
    expect([body.code, body.field]).toEqual(beyond)
    if (body.code === 'payload_too_large') expect(body.limit).toBe(limits[name])
    expect(backend.rowsWritten).toBe(before)
  })

  it.each(names.filter(isHere))('%s, far beyond', async (name) => {
    const { probe, beyond, isLeast } = bounds[name] as Bound
    // Ten million levels or conditions would be a test of the test.
    const far =
      isLeast === true
        ? [0, -1]
        : [limits[name] * 2, Math.max(limits[name] * 3, Math.min(limits[name] * 100, 40_000_000))]
    for (const amount of far) {
      if (name === 'nesting' && amount > 2_000) continue
      const { body } = await send(...probe(amount))
      const field = name === 'pathDepth' ? body.field : beyond[1]
      // Event and body are bounded by each other: the whole body is looked at first.
      expect([body.code, body.field], `${amount}`).toEqual([beyond[0], field])
    }
  })
})
