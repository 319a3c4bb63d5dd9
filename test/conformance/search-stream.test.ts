import { expect, test } from 'vitest'
import { call } from './client.ts'
import { sequences } from './group.ts'
import { expectProblem, type Problem } from './problem.ts'
import { placeOf } from './search.ts'
import { createStream, numbered, type Stream, streamAt } from './stream.ts'
import { tenant, token, url } from './target.ts'
import type { StreamEvent } from './wire.ts'

const NDJSON = 'application/x-ndjson'

/** A streamed search as it comes. The cost is not known when the headers go, so it is not asked for here. */
async function streamed(stream: Stream, body: unknown, accept = NDJSON): Promise<Response> {
  const headers = new Headers({ 'Content-Type': 'application/json', Accept: accept })
  if (token === '') headers.set('Rheo-Tenant', tenant)
  else headers.set('Authorization', `Bearer ${token}`)
  return fetch(`${url}${stream.path}/query`, { method: 'POST', headers, body: JSON.stringify(body) })
}

/** All events of a streamed search, one a line. */
async function linesOf(stream: Stream, body: unknown): Promise<StreamEvent[]> {
  const response = await streamed(stream, body)
  expect(response.status).toBe(200)
  const text = await response.text()
  expect(text === '' || text.endsWith('\n')).toBe(true)
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as StreamEvent)
}

test('API with Accept: application/x-ndjson every match comes, one a line, beyond a page', async () => {
  const stream = await createStream(3)
  const appended: StreamEvent[] = []
  for (let batch = 0; batch < 5; batch += 1) {
    appended.push(
      ...(await stream.appendMany(
        Array.from({ length: 1_000 }, (_, index) => ({ partition: [0, 0, 0, 1][index % 4]!, payload: { index } })),
      )),
    )
  }
  const found = await linesOf(stream, {})
  expect(found).toHaveLength(5_000)
  expect(new Set(found.map(placeOf)).size).toBe(5_000)
  const inOrder = appended.toSorted((a, b) => a.sequence - b.sequence || a.partition - b.partition)
  expect(found).toEqual(inOrder)
  expect(await linesOf(stream, { where: { index: 7 } })).toHaveLength(5)
})

test('API the answer of a streamed search is ndjson, not stored, with a request id', async () => {
  const stream = await createStream()
  await stream.append()
  const response = await streamed(stream, {})
  expect(response.headers.get('content-type')).toMatch(/^application\/x-ndjson\b/)
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(response.headers.get('rheo-request-id')).toMatch(/\S/)
  await response.text()
})

test.each([1, 2, 999, 1_000, 1_001, 2_500, 5_000])(
  'API a limit of %d bounds a streamed search as a whole',
  async (limit) => {
    const stream = await createStream(2)
    for (let batch = 0; batch < 3; batch += 1) await stream.appendMany(numbered(1_000, { partition: batch % 2 }))
    const found = await linesOf(stream, { limit })
    expect(found).toHaveLength(Math.min(limit, 3_000))
    expect(new Set(found.map(placeOf)).size).toBe(found.length)
  },
)

test('API a streamed search in another order, with conditions', async () => {
  const stream = await createStream(2)
  for (const partition of [0, 1]) await stream.appendMany(numbered(700, { partition }))
  const found = await linesOf(stream, { where: { number: { lte: 650 } }, order: 'sequence', descending: true })
  expect(sequences(found)).toEqual(Array.from({ length: 1_300 }, (_, index) => 650 - Math.floor(index / 2)))
})

test('API a streamed search without matches is an empty body', async () => {
  const stream = await createStream(2)
  expect(await linesOf(stream, {})).toEqual([])
  await stream.append()
  expect(await linesOf(stream, { where: { nothing: 1 } })).toEqual([])
})

test('API a streamed search goes on from a cursor', async () => {
  const stream = await createStream()
  await stream.appendMany(numbered(20))
  const { body } = await stream.send<{ nextCursor: string }>('POST', '/query', { body: { limit: 5 } })
  expect(sequences(await linesOf(stream, { cursor: body.nextCursor }))).toEqual(
    Array.from({ length: 15 }, (_, index) => index + 6),
  )
})

test('API large events are streamed whole', async () => {
  const stream = await createStream(2)
  const text = 'é'.repeat(450_000)
  for (let batch = 0; batch < 2; batch += 1) {
    await stream.appendMany(Array.from({ length: 12 }, (_, n) => ({ partition: n % 2, payload: { n, text } })))
  }
  const found = await linesOf(stream, {})
  expect(found).toHaveLength(24)
  expect(found.every((event) => event.payload.text === text)).toBe(true)
})

test('API a reader that goes away in the middle does no harm', async () => {
  const stream = await createStream()
  for (let batch = 0; batch < 5; batch += 1) await stream.appendMany(numbered(1_000))
  const response = await streamed(stream, {})
  const reader = response.body!.getReader()
  await reader.read()
  await reader.cancel()
  expect(await linesOf(stream, { limit: 3 })).toHaveLength(3)
})

test('S7 what is wrong from the start is a proper problem, also for a streamed search', async () => {
  const stream = await createStream()
  await stream.append()
  const cases: [Stream, unknown, string][] = [
    [stream, { where: { a: {} } }, 'invalid_query'],
    [stream, { limit: 0 }, 'invalid_request'],
    [stream, { nothing: 1 }, 'invalid_request'],
    [stream, { cursor: 'x' }, 'cursor_not_found'],
    [streamAt('nobody-made-this'), {}, 'stream_not_found'],
  ]
  for (const [one, body, code] of cases) {
    const answer = await one.send<Problem>('POST', '/query', { body, headers: { Accept: NDJSON } })
    expectProblem(answer, code)
  }
})

test('API an Accept that names other types, too, or none of ours', async () => {
  const stream = await createStream()
  await stream.append()
  for (const accept of [NDJSON, `${NDJSON};q=1`, `text/html, ${NDJSON}`, NDJSON.toUpperCase()]) {
    const response = await streamed(stream, {}, accept)
    expect(response.headers.get('content-type'), accept).toMatch(/^application\/x-ndjson\b/)
    await response.text()
  }
  for (const accept of ['*/*', 'application/json', 'application/*', '']) {
    const answer = await call('POST', `${stream.path}/query`, { body: {}, headers: { Accept: accept } })
    expect(answer.body, accept).toMatchObject({ nextCursor: null })
  }
})
