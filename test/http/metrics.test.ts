import { beforeEach, describe, expect, it, vi } from 'vitest'
import { limits } from '../../src/core/limits.ts'
import {
  type Answer,
  done,
  type GroupMetrics,
  moved,
  type PartitionMetrics,
} from '../../src/core/partition/commands.ts'
import { samplesOf, valuesOf } from '../metrics/samples.ts'
import { FakeBackend, objectError } from './fake-backend.ts'
import { type Send, sendTo } from './send.ts'
import { mint, secret } from './tokens.ts'

let backend: FakeBackend
let send: Send

const figures = {
  frontier: 10,
  leased: 1,
  delayed: 2,
  available: 3,
  rejected: 4,
  openRuns: 5,
  oldestUnsettledMs: null,
}
const group = (name: string, more: Partial<GroupMetrics> = {}): GroupMetrics => ({
  name,
  paused: false,
  figures,
  ...more,
})
const tellsOf = (...groups: GroupMetrics[]): Answer<PartitionMetrics> =>
  done({ firstSequence: 1, highWatermark: 15, bytes: 100, freeBytes: 1_000, groups })

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  backend = new FakeBackend()
  backend.answer = () => tellsOf(group('billing'))
  backend.catalogAnswer = (command) => {
    if (command.type !== 'streams') return null
    const after = [...backend.streams.values()].filter(({ name }) => name > command.after)
    const streams = after.sort((a, b) => (a.name < b.name ? -1 : 1)).slice(0, command.limit)
    return done({ streams, more: streams.length < after.length })
  }
  send = sendTo(backend)
})

const scrape = async (query = ''): Promise<string> => {
  const { status, text } = await send('GET', `/v1/metrics${query}`)
  expect(status, text).toBe(200)
  return text
}

const streamsIn = (text: string): string[] => [
  ...new Set(samplesOf(text).flatMap(({ labels }) => (labels.stream === undefined ? [] : [labels.stream]))),
]

describe('a scrape', () => {
  it('is text of Prometheus, each metric once with its help, its type and all of its samples', async () => {
    backend.addStream('orders', 2)
    backend.addStream('users', 1)
    const { headers, text } = await send('GET', '/v1/metrics')
    expect(headers.get('Content-Type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    const metrics = text.split('# HELP ').slice(1)
    const names = metrics.map((block) => block.split(' ')[0]!)
    expect(new Set(names).size).toBe(names.length)
    for (const [index, block] of metrics.entries()) {
      const [help, type, ...samples] = block.trimEnd().split('\n')
      expect(help!.length).toBeGreaterThan(names[index]!.length + 10)
      expect(type).toBe(`# TYPE ${names[index]} gauge`)
      expect(samples.length).toBeGreaterThan(0)
      expect(samples.every((sample) => /^\w+/.exec(sample)![0] === names[index])).toBe(true)
    }
    expect(text.endsWith('\n')).toBe(true)
  })

  it('asks each partition once, for all of its groups', async () => {
    backend.addStream('orders', 3)
    backend.answer = () => tellsOf(...Array.from({ length: 200 }, (_, index) => group(`g${index}`)))
    const text = await scrape()
    expect(backend.received.map(({ partition, command }) => [partition, command.type])).toEqual([
      [0, 'metrics'],
      [1, 'metrics'],
      [2, 'metrics'],
    ])
    expect(Object.keys(valuesOf(text, 'rheo_group_lag'))).toHaveLength(600)
    expect(valuesOf(text, 'rheo_group_in_flight')['orders/g199']).toBe(3)
  })

  it('asks at most 64 partitions at once', async () => {
    backend.addStream('orders', 200)
    let open = 0
    let most = 0
    backend.answer = async () => {
      most = Math.max(most, ++open)
      await Promise.resolve()
      open--
      return tellsOf()
    }
    expect(Object.keys(valuesOf(await scrape(), 'rheo_partition_up'))).toHaveLength(200)
    expect(most).toBe(64)
  })

  it('tells of partitions and of groups what they say, and the sums of groups', async () => {
    backend.addStream('orders', 2)
    const text = await scrape()
    const value = (metric: string) => valuesOf(text, metric)
    expect(value('rheo_partition_high_watermark')).toEqual({ 'orders/0': 15, 'orders/1': 15 })
    expect(value('rheo_partition_first_sequence')).toEqual({ 'orders/0': 1, 'orders/1': 1 })
    expect(value('rheo_partition_log_bytes')).toEqual({ 'orders/0': 100, 'orders/1': 100 })
    expect(value('rheo_partition_free_bytes')).toEqual({ 'orders/0': 1_000, 'orders/1': 1_000 })
    expect(value('rheo_partition_max_bytes')).toEqual({ '': limits.partitionBytes })
    expect(value('rheo_group_frontier')).toEqual({ 'orders/billing/0': 10, 'orders/billing/1': 10 })
    expect(value('rheo_group_lag')).toEqual({ 'orders/billing/0': 5, 'orders/billing/1': 5 })
    expect(value('rheo_group_open_runs')).toEqual({ 'orders/billing/0': 5, 'orders/billing/1': 5 })
    expect(value('rheo_group_in_flight')).toEqual({ 'orders/billing': 2 })
    expect(value('rheo_group_delayed')).toEqual({ 'orders/billing': 4 })
    expect(value('rheo_group_available')).toEqual({ 'orders/billing': 6 })
    expect(value('rheo_group_dead_letters')).toEqual({ 'orders/billing': 8 })
    expect(value('rheo_group_paused')).toEqual({ 'orders/billing': 0 })
    expect(value('rheo_group_quarantined_partitions')).toEqual({ 'orders/billing': 0 })
  })

  it('tells the age of the oldest unsettled event at the time of the call, also in test time', async () => {
    backend.addStream('orders', 1)
    const at = '2026-03-15T12:00:00.000Z'
    const ages = async (oldestUnsettledMs: number | null): Promise<number | undefined> => {
      backend.answer = () => tellsOf(group('billing', { figures: { ...figures, oldestUnsettledMs } }))
      const timed = sendTo(backend, { RHEO_AUTH: 'open', RHEO_TEST_CLOCK: '1' })
      const { text } = await timed('GET', '/v1/metrics', { headers: { 'Rheo-Now': at } })
      return valuesOf(text, 'rheo_group_oldest_unsettled_age_seconds')['orders/billing/0']
    }
    expect(await ages(Date.parse(at) - 90_500)).toBe(90.5)
    expect(await ages(Date.parse(at) + 1)).toBe(0)
    expect(await ages(null)).toBe(0)
  })

  it('escapes what labels hold', async () => {
    backend.addStream('a"b\\c\nd', 1)
    expect(await scrape()).toContain('rheo_partition_up{stream="a\\"b\\\\c\\nd",partition="0"} 1\n')
  })
})

describe('what cannot be told is not guessed', () => {
  it('a partition that does not answer is down, the rest is told, and no sum stands for fewer partitions', async () => {
    backend.addStream('orders', 2)
    backend.addStream('users', 1)
    backend.answer = ({ partition }) => {
      if (partition === 1) throw objectError()
      return tellsOf(group('billing'))
    }
    const text = await scrape()
    expect(valuesOf(text, 'rheo_partition_up')).toEqual({ 'orders/0': 1, 'orders/1': 0, 'users/0': 1 })
    expect(valuesOf(text, 'rheo_group_lag')).toEqual({ 'orders/billing/0': 5, 'users/billing/0': 5 })
    expect(valuesOf(text, 'rheo_group_in_flight')).toEqual({ 'users/billing': 1 })
    expect(valuesOf(text, 'rheo_scrape_partitions_left_out')).toEqual({ '': 0 })
  })

  it('a partition that hangs is down when the time for a scrape is over, and what it kept waiting is left out', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      backend.addStream('orders', 100)
      backend.answer = ({ partition }) => (partition === 1 ? new Promise(() => {}) : tellsOf(group('billing')))
      const scraped = scrape()
      await vi.waitUntil(() => backend.received.length === 64)
      await vi.advanceTimersByTimeAsync(limits.scrapeMs)
      const text = await scraped
      const up = valuesOf(text, 'rheo_partition_up')
      expect(Object.keys(up)).toHaveLength(64)
      expect(Object.keys(up).filter((labels) => up[labels] === 0)).toEqual(['orders/1'])
      expect(valuesOf(text, 'rheo_scrape_partitions_left_out')).toEqual({ '': 36 })
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })

  it('a group in quarantine is counted as such, and has neither figures there nor sums', async () => {
    backend.addStream('orders', 2)
    backend.answer = ({ partition }) => tellsOf(group('billing', partition === 1 ? { figures: null } : {}))
    const text = await scrape()
    expect(valuesOf(text, 'rheo_group_quarantined_partitions')).toEqual({ 'orders/billing': 1 })
    expect(valuesOf(text, 'rheo_group_lag')).toEqual({ 'orders/billing/0': 5 })
    expect(valuesOf(text, 'rheo_group_dead_letters')).toEqual({})
  })

  it('a stream that goes while it is scraped is not told', async () => {
    backend.addStream('orders', 2)
    backend.answer = () => moved
    expect(streamsIn(await scrape())).toEqual([])
  })

  it('a catalog that does not answer fails the scrape', async () => {
    backend.catalogAnswer = () => {
      throw objectError()
    }
    expect((await send('GET', '/v1/metrics')).body.code).toBe('backend_unavailable')
  })

  it('partitions beyond the bound of a scrape are counted and not asked', async () => {
    for (let index = 0; index < 5; index++) backend.addStream(`s${index}`, 256)
    const text = await scrape()
    expect(backend.received).toHaveLength(limits.scrapePartitions)
    expect(valuesOf(text, 'rheo_scrape_partitions_left_out')).toEqual({ '': 5 * 256 - limits.scrapePartitions })
    expect(Object.keys(valuesOf(text, 'rheo_group_in_flight'))).toEqual(['s0/billing', 's1/billing', 's2/billing'])
  })

  it('a text that has grown beyond its bound asks no further partition', async () => {
    backend.addStream('orders', 256)
    const names = Array.from({ length: 1_000 }, (_, index) => group(`${index}`.padStart(limits.nameLength, 'g')))
    backend.answer = () => tellsOf(...names)
    const text = await scrape()
    const told = Object.keys(valuesOf(text, 'rheo_partition_up')).length
    expect(told).toBe(64)
    expect(valuesOf(text, 'rheo_scrape_partitions_left_out')).toEqual({ '': 256 - told })
  })
})

describe('which streams', () => {
  beforeEach(() => {
    for (const name of ['orders', 'orders-old', 'users']) backend.addStream(name, 1)
  })

  it('are all of the tenant, over as many pages as there are', async () => {
    for (let index = 0; index < 2_500; index++) backend.addStream(`t${index}`, 1)
    const text = await scrape()
    expect(backend.asked).toHaveLength(3)
    expect(valuesOf(text, 'rheo_scrape_partitions_left_out')).toEqual({ '': 2_503 - limits.scrapePartitions })
  })

  it.each([
    ['?stream=users', ['users']],
    ['?stream=users&stream=orders&stream=users', ['orders', 'users']],
    ['?stream=orders*', ['orders', 'orders-old']],
    ['?stream=*', ['orders', 'orders-old', 'users']],
    ['?stream=none*', []],
  ])('are those that are asked for: %s', async (query, streams) => {
    expect(streamsIn(await scrape(query))).toEqual(streams)
  })

  it.each([
    ['?stream=none', 404, 'stream_not_found', null],
    ['?stream=', 400, 'invalid_name', 'stream'],
    ['?stream=a/b', 400, 'invalid_name', 'stream'],
    ['?stream=/*', 400, 'invalid_name', 'stream'],
    ['?group=billing', 400, 'invalid_request', 'group'],
  ])('are refused where they cannot be meant: %.20s', async (query, status, code, field) => {
    const answer = await send('GET', `/v1/metrics${query}`)
    expect([answer.status, answer.body.code, answer.body.field ?? null]).toEqual([status, code, field])
    expect(backend.received).toEqual([])
  })

  it('are named up to 50 times, and no more', async () => {
    const naming = (times: number): string => `?${Array(times).fill('stream=users').join('&')}`
    expect(streamsIn(await scrape(naming(50)))).toEqual(['users'])
    const { body } = await send('GET', `/v1/metrics${naming(51)}`)
    expect([body.code, body.field]).toEqual(['invalid_request', 'stream'])
  })

  it('are only those that the token covers; one beyond it that is named is forbidden', async () => {
    const vars = { RHEO_AUTH: 'token', RHEO_JWT_SECRET: secret }
    const headers = { Authorization: `Bearer ${mint({ streams: ['orders*'] })}` }
    const scrapeAs = (query: string) => sendTo(backend, vars)('GET', `/v1/metrics${query}`, { headers })
    expect(streamsIn((await scrapeAs('')).text)).toEqual(['orders', 'orders-old'])
    expect(streamsIn((await scrapeAs('?stream=*')).text)).toEqual(['orders', 'orders-old'])
    expect((await scrapeAs('?stream=users')).body.code).toBe('forbidden')
  })
})
