import { expect, test } from 'vitest'
import { call } from './client.ts'
import { endpointsWithBody, pathOf } from './endpoints.ts'
import { expectProblem } from './problem.ts'
import { createStream, numbered } from './stream.ts'

const bodyBytes = 16 * 1_048_576

test('API Limits: a body of 16 MiB is read, one byte more is payload_too_large', async () => {
  const stream = await createStream()
  const most = await stream.send('POST', '/events', { raw: `{}${' '.repeat(bodyBytes - 2)}` })
  expect(most.status, most.where).toBe(201)
  expectProblem(await stream.send('POST', '/events', { raw: `{}${' '.repeat(bodyBytes - 1)}` }), 'payload_too_large')
  expect(await stream.highWatermark()).toBe(1)
})

test('API Limits: the body limit holds without a Content-Length, too', async () => {
  const stream = await createStream()
  const chunk = new TextEncoder().encode(' '.repeat(1_048_576))
  let sent = 0
  const raw = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent === 0) controller.enqueue(new TextEncoder().encode('{}'))
      if (sent === 16) return controller.close()
      sent += 1
      controller.enqueue(chunk)
    },
  })
  expectProblem(await stream.send('POST', '/events', { raw }), 'payload_too_large')
  expect(await stream.highWatermark()).toBe(0)
})

test.each(endpointsWithBody.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
  'API Limits: a body beyond 16 MiB is payload_too_large: %s',
  async (_, endpoint) => {
    const stream = await createStream()
    const group = await stream.group()
    const raw = JSON.stringify(endpoint.body) + ' '.repeat(bodyBytes)
    expectProblem(await call(endpoint.method, pathOf(endpoint, stream.name, group.name), { raw }), 'payload_too_large')
  },
)

test('API Limits: an event just below 1 MiB is kept whole, one beyond it is payload_too_large', async () => {
  const stream = await createStream()
  const text = 'x'.repeat(1_048_576 - 2_048)
  const event = await stream.append({ payload: { text } })
  expect(event.payload).toEqual({ text })
  expect((await stream.read())[0]!.payload).toEqual({ text })
  expectProblem(await stream.post({ payload: { text: 'x'.repeat(1_048_576) } }), 'payload_too_large')
  expect(await stream.highWatermark()).toBe(1)
})

test('API Limits: an event counts as UTF-8, not as characters', async () => {
  const stream = await createStream()
  expectProblem(await stream.post({ payload: { text: '€'.repeat(400_000) } }), 'payload_too_large')
  expectProblem(await stream.post({ payload: { text: '😀'.repeat(300_000) } }), 'payload_too_large')
  const text = '€'.repeat(340_000)
  expect((await stream.append({ payload: { text } })).payload).toEqual({ text })
})

test('API Limits: metadata of 32 KiB is kept, one byte more is payload_too_large', async () => {
  const stream = await createStream()
  const most = { text: 'm'.repeat(32_768 - '{"text":""}'.length) }
  expect((await stream.append({ metadata: most })).metadata).toEqual(most)
  expectProblem(await stream.post({ metadata: { text: `${most.text}m` } }), 'payload_too_large')
  expectProblem(await stream.post({ metadata: { text: '€'.repeat(11_000) } }), 'payload_too_large')
  expect(await stream.highWatermark()).toBe(1)
})

test('API Limits: a key of 1 KiB is kept, one byte more is invalid_request', async () => {
  const stream = await createStream(8)
  for (const key of ['k'.repeat(1_024), 'é'.repeat(512), '😀'.repeat(256)]) {
    expect((await stream.append({ key })).key).toBe(key)
    expect(expectProblem(await stream.post({ key: `${key}k` }), 'invalid_request').detail).toContain('key')
  }
})

test('API Limits: a batch has at most 1 000 events', async () => {
  const stream = await createStream()
  expect(await stream.appendMany(numbered(1_000))).toHaveLength(1_000)
  expectProblem(await stream.post({ events: numbered(1_001) }), 'invalid_request')
  const raw = '{}\n'.repeat(1_001)
  expectProblem(await stream.send('POST', '/events', { raw, contentType: 'application/x-ndjson' }), 'invalid_request')
  expect(await stream.highWatermark()).toBe(1_000)
})

test('API Limits: a batch of large events up to the body limit is in as a whole', async () => {
  const stream = await createStream(2)
  const text = 'x'.repeat(1_000_000)
  const events = Array.from({ length: 16 }, (_, index) => ({ partition: index % 2, payload: { text, index } }))
  expect(await stream.appendMany(events)).toHaveLength(16)
  for (const partition of [0, 1]) {
    expect((await stream.read(partition)).map((event) => event.payload.index)).toEqual(
      Array.from({ length: 8 }, (_, index) => 2 * index + partition),
    )
  }
})

test('API Limits: payload members in great number come back all', async () => {
  const stream = await createStream()
  const payload = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`member ${index}`, index]))
  expect((await stream.append({ payload })).payload).toEqual(payload)
})

test('API Limits: a stream has at most 1 000 groups', async () => {
  const stream = await createStream()
  for (let start = 0; start < 1_000; start += 20) {
    await Promise.all(Array.from({ length: 20 }, () => stream.group()))
  }
  expectProblem(await stream.send('POST', '/groups', { body: { name: 'one-more' } }), 'invalid_request')
  expectProblem(await stream.send('GET', '/groups/one-more'), 'group_not_found')
})
