import { expect, test } from 'vitest'
import { timed } from './clock.ts'
import { expectProblem } from './problem.ts'
import { createStream, numbered } from './stream.ts'
import type { StreamEvent } from './wire.ts'

type One = { event: StreamEvent; duplicate?: boolean }
type Many = { events: StreamEvent[] }

const key = (value: string) => ({ 'Idempotency-Key': value })

test('S2.7 a repeat of one event answers the original as a duplicate and appends nothing', async () => {
  const stream = await createStream()
  const first = await stream.post<One>({ payload: { n: 1 } }, key('k-1'))
  expect(first.status).toBe(201)
  expect(first.body).not.toHaveProperty('duplicate')
  const repeat = await stream.post<One>({ payload: { n: 1 } }, key('k-1'))
  expect(repeat.status).toBe(200)
  expect(repeat.body).toEqual({ event: first.body.event, duplicate: true })
  expect(await stream.highWatermark()).toBe(1)
})

test('S2.7 a repeat of a batch over several partitions answers all its originals', async () => {
  const stream = await createStream(4)
  const request = { events: Array.from({ length: 12 }, (_, index) => ({ partition: index % 4, payload: { index } })) }
  const first = await stream.post<Many>(request, key('k-1'))
  expect(first.status).toBe(201)
  await stream.appendMany(numbered(3))
  const repeat = await stream.post<Many>(request, key('k-1'))
  expect(repeat.status).toBe(200)
  expect(repeat.body.events).toEqual(first.body.events.map((event) => ({ ...event, duplicate: true })))
  expect(await stream.highWatermark(1)).toBe(3)
})

test('S2.7 a repeat of an NDJSON body is a repeat', async () => {
  const stream = await createStream()
  const options = { raw: '{"payload":{"n":1}}\n{}\n', contentType: 'application/x-ndjson', headers: key('lines') }
  expect((await stream.send('POST', '/events', options)).status).toBe(201)
  expect((await stream.send('POST', '/events', options)).status).toBe(200)
  expect(await stream.highWatermark()).toBe(2)
})

test.each([
  ['another payload', { payload: { n: 2 } }],
  ['another type', { type: 'other', payload: { n: 1 } }],
  ['another key', { key: 'other', payload: { n: 1 } }],
  ['metadata', { payload: { n: 1 }, metadata: { m: 1 } }],
  ['an event more', { events: [{ payload: { n: 1 } }, {}] }],
])('S2.7 the same idempotency key with another request is id_conflict: %s', async (_, other) => {
  const stream = await createStream()
  await stream.post({ payload: { n: 1 } }, key('k-1'))
  expectProblem(await stream.post(other, key('k-1')), 'id_conflict')
  expect(await stream.highWatermark()).toBe(1)
})

test('S2.7 a request that says more, though to another partition, is another request: id_conflict', async () => {
  const stream = await createStream(2)
  const first = { partition: 0, payload: { n: 1 } }
  await stream.post({ events: [first] }, key('k-1'))
  expectProblem(await stream.post({ events: [first, { partition: 1 }] }, key('k-1')), 'id_conflict')
  expect(await stream.highWatermark(0)).toBe(1)
})

test('S2.7 keys are independent of each other, of letter case and of other streams', async () => {
  const [stream, other] = [await createStream(), await createStream()]
  for (const value of ['k-1', 'k-2', 'K-1']) expect((await stream.post({}, key(value))).status).toBe(201)
  expect((await other.post({}, key('k-1'))).status).toBe(201)
  expect(await stream.highWatermark()).toBe(3)
})

test('S2.7 without a key equal requests are different appends', async () => {
  const stream = await createStream()
  await stream.append({ payload: { n: 1 } })
  await stream.append({ payload: { n: 1 } })
  expect(await stream.highWatermark()).toBe(2)
})

timed('S2.7 a key is remembered for 10 minutes, and the repeat carries the original time', async (clock) => {
  const stream = await createStream(1, { clock })
  const first = await stream.post<One>({ payload: { n: 1 } }, key('k-1'))
  clock.advance(599_999)
  const repeat = await stream.post<One>({ payload: { n: 1 } }, key('k-1'))
  expect(repeat.status).toBe(200)
  expect(repeat.body).toEqual({ event: first.body.event, duplicate: true })
})

timed('S2.7 a key is remembered over a thousand other appends', async (clock) => {
  const stream = await createStream(1, { clock })
  const first = await stream.post<One>({}, key('k-1'))
  for (let batch = 0; batch < 10; batch += 1) {
    clock.advance(1_000)
    await stream.post({ events: numbered(100) }, key(`batch-${batch}`))
  }
  expect((await stream.post<One>({}, key('k-1'))).body).toEqual({ event: first.body.event, duplicate: true })
  expect(await stream.highWatermark()).toBe(1_001)
})

test('S2.7 a repeat writes what was not in yet and leaves alone what was', async () => {
  const stream = await createStream(2)
  await stream.append({ partition: 0, id: 'a' })
  const request = {
    events: [
      { partition: 0, id: 'a', payload: { other: true } },
      { partition: 1, payload: { n: 1 } },
    ],
  }
  for (let repeat = 0; repeat < 3; repeat += 1) {
    const problem = expectProblem(await stream.post(request, key('half')), 'id_conflict')
    const results = problem.results as Record<string, unknown>[]
    expect(results[0]).toMatchObject({ code: 'id_conflict' })
    expect(results[1]).toMatchObject({ event: { partition: 1, sequence: 1 }, ...(repeat > 0 && { duplicate: true }) })
  }
  expect(await stream.highWatermark(0)).toBe(1)
  expect(await stream.highWatermark(1)).toBe(1)
})

test('S2.7 of 20 concurrent appends with one key one is in', async () => {
  const stream = await createStream()
  const answers = await Promise.all(Array.from({ length: 20 }, () => stream.post<One>({ payload: { n: 1 } }, key('k'))))
  expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1)
  expect(answers.filter((answer) => answer.body.duplicate === true)).toHaveLength(19)
  expect(await stream.highWatermark()).toBe(1)
})

test('S2.8 an append with a key and an expectedSequence is answered again though the high watermark has moved', async () => {
  const stream = await createStream()
  const request = { payload: { n: 1 }, expectedSequence: 0 }
  expect((await stream.post(request, key('k'))).status).toBe(201)
  await stream.append()
  expect((await stream.post<One>(request, key('k'))).body).toMatchObject({ duplicate: true, event: { sequence: 1 } })
})

test('API Events: an idempotency key has 1 to 128 characters', async () => {
  const stream = await createStream()
  expect((await stream.post({}, key('k'))).status).toBe(201)
  expect((await stream.post({}, key('k'.repeat(128)))).status).toBe(201)
  expectProblem(await stream.post({}, key('k'.repeat(129))), 'invalid_request')
  expectProblem(await stream.post({}, key('')), 'invalid_request')
  expect(await stream.highWatermark()).toBe(2)
})
