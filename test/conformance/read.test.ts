import { expect, test } from 'vitest'
import { expectProblem } from './problem.ts'
import { createStream, numbered, streamAt } from './stream.ts'
import type { StreamEvent } from './wire.ts'

interface Page {
  events: StreamEvent[]
  nextAfter: number | null
  highWatermark: number
}

test('API Events: a read begins at partition 0, after 0, with 100 events', async () => {
  const stream = await createStream(2)
  const events = await stream.appendMany(numbered(150))
  const answer = await stream.send<Page>('GET', '/events')
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({ events: events.slice(0, 100), nextAfter: 100, highWatermark: 150 })
})

test('API Events: nextAfter leads through the partition and is null at the high watermark', async () => {
  const stream = await createStream(2)
  const events = await stream.appendMany(numbered(10, { partition: 1 }))
  const read: StreamEvent[] = []
  const nexts: (number | null)[] = []
  for (let after: number | null = 0; after !== null; ) {
    const { body }: { body: Page } = await stream.send('GET', `/events?partition=1&after=${after}&limit=4`)
    expect(body.highWatermark).toBe(10)
    read.push(...body.events)
    after = body.nextAfter
    nexts.push(after)
  }
  expect(read).toEqual(events)
  expect(nexts).toEqual([4, 8, null])
})

test('API Events: a page that ends at the high watermark has no next one', async () => {
  const stream = await createStream()
  await stream.appendMany(numbered(4))
  const { body } = await stream.send<Page>('GET', '/events?limit=4')
  expect(body.events).toHaveLength(4)
  expect(body.nextAfter).toBeNull()
})

test('API Events: after the high watermark, and in an empty partition, there is nothing', async () => {
  const stream = await createStream(2)
  await stream.appendMany(numbered(4))
  for (const after of [4, 5, Number.MAX_SAFE_INTEGER]) {
    const { body } = await stream.send<Page>('GET', `/events?after=${after}`)
    expect(body).toEqual({ events: [], nextAfter: null, highWatermark: 4 })
  }
  const { body } = await stream.send<Page>('GET', '/events?partition=1')
  expect(body).toEqual({ events: [], nextAfter: null, highWatermark: 0 })
})

test('API Events: a page has 1 to 1 000 events', async () => {
  const stream = await createStream()
  await stream.appendMany(numbered(1_000))
  await stream.append()
  expect((await stream.send<Page>('GET', '/events?limit=1')).body.events).toHaveLength(1)
  expect((await stream.send<Page>('GET', '/events?limit=1000')).body.events).toHaveLength(1_000)
})

test.each([
  'limit=0',
  'limit=1001',
  'limit=-1',
  'limit=1.5',
  'limit=ten',
  'limit=',
  'after=-1',
  'after=1.5',
  'after=x',
])('API Events: a read with %s is invalid_request', async (query) => {
  const stream = await createStream()
  const name = query.split('=')[0]!
  expect(expectProblem(await stream.send('GET', `/events?${query}`), 'invalid_request').detail).toContain(name)
})

test.each(['2', '256', '-1'])('S7 reading partition %s of 2 is invalid_partition', async (partition) => {
  const stream = await createStream(2)
  expectProblem(await stream.send('GET', `/events?partition=${partition}`), 'invalid_partition')
})

test.each(['x', '1.5', ''])('API Events: a read of partition "%s" is refused', async (partition) => {
  const stream = await createStream(2)
  const answer = await stream.send('GET', `/events?partition=${partition}`)
  expectProblem(answer, ['invalid_partition', 'invalid_request'])
})

test('S7 reading a stream that is not there is stream_not_found', async () => {
  expectProblem(await streamAt('nobody-has-this').send('GET', '/events'), 'stream_not_found')
})

test('API Limits: a read answers about 8 MiB at most, always an event if there is one, and loses none', async () => {
  const stream = await createStream()
  const text = 'x'.repeat(1_000_000)
  for (let batch = 0; batch < 2; batch += 1) await stream.appendMany(numbered(6, { payload: { text } }))
  const read: number[] = []
  for (let after: number | null = 0; after !== null; ) {
    const answer: { body: Page; text: string } = await stream.send('GET', `/events?after=${after}&limit=100`)
    expect(answer.text.length).toBeLessThan(9.5 * 1_048_576)
    expect(answer.body.events.length).toBeGreaterThan(0)
    read.push(...answer.body.events.map((event) => event.sequence))
    after = answer.body.nextAfter
  }
  expect(read).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
})
