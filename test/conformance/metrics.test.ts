import { expect, test } from 'vitest'
import { samplesOf, valuesOf } from '../metrics/samples.ts'
import { type Answer, type CallOptions, call } from './client.ts'
import { timed } from './clock.ts'
import { costOf } from './cost.ts'
import { expectProblem } from './problem.ts'
import { createStream, numbered, type Stream } from './stream.ts'

async function scrape(stream: Stream, options: CallOptions = {}): Promise<Answer> {
  const answer = await call('GET', `/v1/metrics?stream=${stream.name}`, options)
  expect(answer.status, answer.where).toBe(200)
  return answer
}

test('API metrics are text of Prometheus with the figures that the group itself shows', async () => {
  const stream = await createStream(2)
  await stream.appendMany(numbered(10))
  const group = await stream.group()
  const leases = await group.fetch({ limit: 6 })
  await group.ok('ack', leases[1]!)
  await group.ok('reject', leases[2]!)
  await group.ok('release', leases[3]!)
  await group.ok('nack', leases[4]!, { delayMs: 600_000 })
  const { headers, text } = await scrape(stream)
  expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
  const value = (metric: string, labels: string) => valuesOf(text, metric)[`${stream.name}/${labels}`]
  expect(value('rheo_partition_up', '1')).toBe(1)
  expect(value('rheo_partition_high_watermark', '0')).toBe(10)
  expect(value('rheo_partition_high_watermark', '1')).toBe(0)
  const info = await group.info()
  const { name } = group
  expect(value('rheo_group_frontier', `${name}/0`)).toBe(0)
  expect(value('rheo_group_lag', `${name}/0`)).toBe(info.lag.lag)
  expect(value('rheo_group_in_flight', name)).toBe(info.inFlight)
  expect(value('rheo_group_delayed', name)).toBe(info.delayed)
  expect(value('rheo_group_available', name)).toBe(info.available)
  expect(value('rheo_group_dead_letters', name)).toBe(info.deadLetters)
  expect([info.lag.lag, info.inFlight, info.delayed, info.available, info.deadLetters]).toEqual([10, 2, 1, 1, 1])
})

timed('S4.2 a scrape tells what has fallen due as if it had happened in time', async (clock) => {
  const stream = await createStream(1, { clock })
  const group = await stream.group({ maxAttempts: 1 })
  await stream.appendMany(numbered(3))
  await group.fetch({ leaseMs: 1_000 })
  clock.advance(500)
  const before = (await scrape(stream, { clock })).text
  expect(Object.values(valuesOf(before, 'rheo_group_in_flight'))).toEqual([3])
  expect(Object.values(valuesOf(before, 'rheo_group_oldest_unsettled_age_seconds'))).toEqual([0.5])
  clock.advance(500)
  const after = (await scrape(stream, { clock })).text
  expect(Object.values(valuesOf(after, 'rheo_group_in_flight'))).toEqual([0])
  expect(Object.values(valuesOf(after, 'rheo_group_dead_letters'))).toEqual([3])
  expect(Object.values(valuesOf(after, 'rheo_group_lag'))).toEqual([0])
  expect(Object.values(valuesOf(after, 'rheo_group_oldest_unsettled_age_seconds'))).toEqual([0])
})

test('API metrics tell of a replay, a reset and a deleted group', async () => {
  const stream = await createStream()
  await stream.appendMany(numbered(4))
  const group = await stream.group()
  const leases = await group.fetch()
  for (const lease of leases) await group.ok('ack', lease)
  const figures = async () => {
    const { text } = await scrape(stream)
    return ['frontier', 'available', 'in_flight'].map((name) => Object.values(valuesOf(text, `rheo_group_${name}`))[0])
  }
  expect(await figures()).toEqual([4, 0, 0])
  await group.replay({ fromSequence: 1 })
  expect(await figures()).toEqual([1, 3, 0])
  await group.reset({ start: 'latest' })
  expect(await figures()).toEqual([4, 0, 0])
  await group.send('DELETE', '?confirm=true')
  expect(samplesOf((await scrape(stream)).text).filter(({ labels }) => 'group' in labels)).toEqual([])
})

test('API metrics write no row and ask the catalog and each partition once', async () => {
  const stream = await createStream(3)
  await stream.appendMany(numbered(5))
  for (let count = 0; count < 3; count += 1) await stream.group()
  const cost = costOf(await scrape(stream))
  expect([cost.rowsWritten, cost.objects]).toEqual([0, 4])
})

test('API metrics refuse what they do not know', async () => {
  expectProblem(await call('GET', '/v1/metrics?stream=not-there'), 'stream_not_found')
  expectProblem(await call('GET', '/v1/metrics?stream=a%2Fb'), 'invalid_name')
  expect(expectProblem(await call('GET', '/v1/metrics?group=billing'), 'invalid_request').field).toBe('group')
})
