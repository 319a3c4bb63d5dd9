import { expect, test } from 'vitest'
import { call } from './client.ts'
import { sequences } from './group.ts'
import { expectProblem, type Problem } from './problem.ts'
import { placeOf } from './search.ts'
import { createStream, numbered, type Stream, streamAt } from './stream.ts'
import { openTail, tailResponse } from './tail.ts'
import { tenantsAreFree } from './target.ts'

const where = (conditions: unknown): string => `where=${encodeURIComponent(JSON.stringify(conditions))}`

const places = (events: readonly { partition: number; sequence: number }[]): string[] => events.map(placeOf).sort()

/** The answer to a tail that is refused. */
const refused = (stream: Stream, query: string, headers: Record<string, string> = {}) =>
  stream.send<Problem>('GET', `/tail?${query}`, { headers })

test('API a tail is a stream of Server-Sent Events, not stored, with a request id and without a cost', async () => {
  const { response } = await openTail(await createStream())
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream\b/)
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(response.headers.get('rheo-request-id')).toMatch(/\S/)
  expect(response.headers.has('rheo-cost')).toBe(false)
})

test('API a tail gives what is appended from now on, as it is read', async () => {
  const stream = await createStream()
  await stream.appendMany(numbered(3))
  const tail = await openTail(stream)
  const appended = [await stream.append({ type: 'placed', key: 'k', payload: { text: 'a\nb\r\u2028é' } })]
  appended.push(...(await stream.appendMany(numbered(2))))
  expect(await tail.events(3)).toEqual(appended)
  expect((await stream.read()).slice(3)).toEqual(appended)
})

test('API after=0 tails from the beginning, after=n behind a sequence of each partition', async () => {
  const stream = await createStream(2)
  for (const partition of [0, 1]) await stream.appendMany(numbered(4, { partition }))
  const whole = await openTail(stream, { query: 'after=0' })
  expect(places(await whole.events(8))).toEqual(places([...(await stream.read(0)), ...(await stream.read(1))]))
  const part = await openTail(stream, { query: 'after=3' })
  expect(places(await part.events(2))).toEqual(['0:4', '1:4'])
  const ahead = await openTail(stream, { query: 'after=5' })
  for (const partition of [0, 1]) await stream.appendMany(numbered(2, { partition }))
  expect(places(await ahead.events(2))).toEqual(['0:6', '1:6'])
})

test('API a tail of all partitions gives each in its order, a tail of one that one alone', async () => {
  const stream = await createStream(3)
  const all = await openTail(stream)
  const one = await openTail(stream, { query: 'partition=2' })
  for (let round = 0; round < 20; round += 1) {
    for (const partition of [0, 1, 2]) await stream.append({ partition, payload: { round } })
  }
  const seen = await all.events(60)
  for (const partition of [0, 1, 2]) {
    const inOrder = Array.from({ length: 20 }, (_, index) => index + 1)
    expect(sequences(seen.filter((event) => event.partition === partition))).toEqual(inOrder)
  }
  expect((await one.events(20)).map(placeOf)).toEqual(Array.from({ length: 20 }, (_, index) => `2:${index + 1}`))
})

test('API Last-Event-ID resumes behind any event, over all partitions, with nothing lost and nothing twice', async () => {
  const stream = await createStream(3)
  let lastEventId: string | undefined
  const seen: string[] = []
  for (let round = 0; round < 6; round += 1) {
    const tail = await openTail(stream, lastEventId === undefined ? {} : { lastEventId })
    for (const partition of [0, 1, 2]) await stream.appendMany(numbered(7, { partition }))
    const part = await tail.events(11)
    seen.push(...part.map(placeOf))
    lastEventId = tail.id
    await tail.close()
  }
  const rest = await openTail(stream, { lastEventId: lastEventId! })
  seen.push(...(await rest.events(60)).map(placeOf))
  expect(new Set(seen).size).toBe(126)
  await stream.append({ partition: 1, payload: { last: true } })
  expect(await rest.events(1)).toMatchObject([{ partition: 1, sequence: 43, payload: { last: true } }])
})

test('API a tail whose connection breaks before the first event loses nothing', async () => {
  const stream = await createStream(2)
  const first = await openTail(stream)
  await first.close()
  await stream.append({ partition: 1 })
  const again = await openTail(stream, { lastEventId: first.id })
  expect((await again.events(1)).map(placeOf)).toEqual(['1:1'])
})

test('API a position may stand in after, too, and Last-Event-ID goes before it', async () => {
  const stream = await createStream()
  await stream.appendMany(numbered(5))
  const tail = await openTail(stream, { query: 'after=0' })
  await tail.events(1)
  const early = tail.id
  await tail.events(3)
  expect(sequences(await (await openTail(stream, { query: `after=${tail.id}` })).events(1))).toEqual([5])
  const both = await openTail(stream, { query: `after=${tail.id}`, lastEventId: early })
  expect(sequences(await both.events(4))).toEqual([2, 3, 4, 5])
})

test('API a tail catches up over many pages, large events and all', async () => {
  const stream = await createStream(2)
  for (let batch = 0; batch < 3; batch += 1) await stream.appendMany(numbered(1_000, { partition: 0 }))
  const text = 'é'.repeat(400_000)
  for (let n = 0; n < 4; n += 1) await stream.append({ partition: 1, payload: { n, text } })
  const whole = await stream.post<{ event: { sequence: number } }>({
    partition: 1,
    payload: { t: 'x'.repeat(1_048_400) },
  })
  expect(whole.status).toBe(201)
  const events = await (await openTail(stream, { query: 'after=0' })).events(3_005)
  const of = (partition: number) => events.filter((event) => event.partition === partition)
  expect(sequences(of(0))).toEqual(Array.from({ length: 3_000 }, (_, index) => index + 1))
  expect(of(1)).toEqual(await stream.read(1))
})

test('S6.3 a tail with where gives the events that match and no other', async () => {
  const stream = await createStream(2)
  await stream.append({ partition: 0, type: 'early' })
  const tail = await openTail(stream, { query: where({ type: 'wanted', total: { gte: 10 } }) })
  const wanted = { partition: 1, type: 'wanted' }
  await stream.appendMany([
    { ...wanted, payload: { total: 9 } },
    { ...wanted, payload: { total: 10 } },
    { ...wanted, type: 'other', payload: { total: 11 } },
    { ...wanted, payload: { total: 12 } },
    { partition: 0, type: 'other' },
  ])
  expect((await tail.events(2)).map(placeOf)).toEqual(['1:2', '1:4'])
  await stream.append({ ...wanted, payload: { total: 13 } })
  expect((await tail.events(1)).map(placeOf)).toEqual(['1:5'])
  const again = await openTail(stream, { query: where({ type: 'wanted' }), lastEventId: tail.id })
  await stream.append({ ...wanted, payload: { total: 1 } })
  expect((await again.events(1)).map(placeOf)).toEqual(['1:6'])
})

test('API when its stream is deleted a tail ends and says so', async () => {
  const stream = await createStream(3)
  const tails = [await openTail(stream), await openTail(stream, { query: 'partition=1' })]
  await stream.append({ partition: 1 })
  for (const tail of tails) await tail.events(1)
  expect((await stream.send('DELETE', '?confirm=true')).status).toBe(204)
  for (const tail of tails) expect(await tail.end()).toMatchObject({ code: 'stream_not_found' })
})

test('S8.16 a position is of its stream: no other takes it, nor the one that is created under its name', async () => {
  const stream = await createStream()
  await stream.append()
  const { id } = await openTail(stream)
  const other = await createStream()
  expectProblem(await refused(other, '', { 'Last-Event-ID': id }), 'cursor_not_found')
  await stream.send('DELETE', '?confirm=true')
  expect((await call('POST', '/v1/streams', { body: { name: stream.name } })).status).toBe(201)
  expectProblem(await refused(stream, `after=${id}`), 'cursor_not_found')
  const again = await openTail(stream)
  await stream.append({ payload: { again: true } })
  expect(await again.events(1)).toMatchObject([{ sequence: 1, payload: { again: true } }])
})

test('API a tail that cannot be is refused before it begins, naming the field', async () => {
  const stream = await createStream(2)
  const one = await openTail(stream, { query: 'partition=1' })
  const cases: [query: string, headers: Record<string, string>, code: string, field?: string][] = [
    ['after=-1', {}, 'invalid_request', 'after'],
    ['after=99999999999999999', {}, 'invalid_request', 'after'],
    ['after=1.5', {}, 'cursor_not_found', 'after'],
    ['after=nonsense', {}, 'cursor_not_found', 'after'],
    ['after=', {}, 'cursor_not_found', 'after'],
    ['', { 'Last-Event-ID': '7' }, 'cursor_not_found', 'Last-Event-ID'],
    ['', { 'Last-Event-ID': `${one.id}.1` }, 'cursor_not_found', 'Last-Event-ID'],
    ['', { 'Last-Event-ID': one.id }, 'cursor_not_found', 'Last-Event-ID'],
    ['partition=0', { 'Last-Event-ID': one.id }, 'cursor_not_found', 'Last-Event-ID'],
    ['partition=2', {}, 'invalid_partition'],
    ['partition=-1', {}, 'invalid_partition'],
    ['partition=x', {}, 'invalid_request', 'partition'],
    ['where=', {}, 'invalid_query', 'where'],
    ['where=type', {}, 'invalid_query', 'where'],
    ['where=[]', {}, 'invalid_query', 'where'],
    [where({ total: { above: 1 } }), {}, 'invalid_query', 'where.total.above'],
    [where(Object.fromEntries(Array.from({ length: 33 }, (_, n) => [`f${n}`, n]))), {}, 'invalid_request', 'where'],
    ['limit=1', {}, 'invalid_request', 'limit'],
    ['after=1&after=2', {}, 'invalid_request', 'after'],
  ]
  for (const [query, headers, code, field] of cases) {
    const body = expectProblem(await refused(stream, query, headers), code, query)
    if (field !== undefined) expect(body, query).toMatchObject({ field })
  }
  expectProblem(await refused(streamAt('nobody-made-this'), ''), 'stream_not_found')
})

test('API the where of a tail may have 8 192 characters, and not one more', async () => {
  const stream = await createStream()
  const ofLength = (length: number) => `where=${encodeURIComponent(JSON.stringify({ t: 'x'.repeat(length - 8) }))}`
  await openTail(stream, { query: ofLength(8_192) })
  expect(expectProblem(await refused(stream, ofLength(8_193)), 'invalid_request')).toMatchObject({ field: 'where' })
})

test.skipIf(!tenantsAreFree)('a tail shows nothing of a stream of that name that another tenant has', async () => {
  const stream = await createStream()
  const theirs = await createStream(1, { tenant: 'another-tenant' })
  expect((await call('POST', '/v1/streams', { body: { name: theirs.name } })).status).toBe(201)
  const ours = streamAt(theirs.name)
  const tail = await openTail(ours)
  const { id } = await openTail(theirs, { tenant: 'another-tenant' })
  await theirs.append({ payload: { secret: true } })
  await ours.append({ payload: { ours: true } })
  expect(await tail.events(1)).toMatchObject([{ payload: { ours: true } }])
  expectProblem(await refused(ours, '', { 'Last-Event-ID': id }), 'cursor_not_found')
  expectProblem(await stream.send('GET', '/tail', { tenant: 'another-tenant' }), 'stream_not_found')
})

test('HEAD answers for a tail without beginning one', async () => {
  const response = await tailResponse(await createStream(), { method: 'HEAD' })
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream\b/)
  expect(await response.text()).toBe('')
})

test('API a hundred tails each give every event', async () => {
  const stream = await createStream(2)
  const tails = await Promise.all(Array.from({ length: 100 }, () => openTail(stream)))
  for (let n = 0; n < 10; n += 1) await stream.append({ partition: n % 2 })
  for (const tail of tails) expect(new Set((await tail.events(10)).map(placeOf)).size).toBe(10)
})
