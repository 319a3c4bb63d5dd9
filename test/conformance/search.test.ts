import { expect, test } from 'vitest'
import { timed } from './clock.ts'
import { sequences } from './group.ts'
import { expectProblem } from './problem.ts'
import { orders, placeOf, refusedSearch, searchAll, searchPage } from './search.ts'
import { createStream, numbered, streamAt } from './stream.ts'

const at = (second: number) => `2026-03-15T12:00:${String(second).padStart(2, '0')}.000Z`

test('S6.1 a search without conditions finds every event, as it was appended', async () => {
  const stream = await createStream(2)
  const appended = await stream.appendMany([
    { partition: 0, type: 'a', key: 'k', payload: { n: 1 }, metadata: { producer: 'p' } },
    { partition: 1, type: null, id: 'chosen', timestamp: at(1) },
    { partition: 0 },
  ])
  expect(await searchPage(stream)).toEqual({ events: [appended[0], appended[1], appended[2]], nextCursor: null })
  expect(await searchPage(stream, { where: {} })).toEqual(await searchPage(stream))
})

test('S6.1 all conditions and bounds hold together', async () => {
  const stream = await createStream()
  await stream.appendMany(
    Array.from({ length: 12 }, (_, index) => ({
      type: index % 2 === 0 ? 'even' : 'odd',
      timestamp: at(index),
      payload: { third: index % 3 },
    })),
  )
  const found = async (body: Record<string, unknown>) => sequences(await searchAll(stream, body))
  const where = { type: 'even', third: 0 }
  expect(await found({ where })).toEqual([1, 7])
  expect(await found({ where, afterSequence: 1 })).toEqual([7])
  expect(await found({ where, untilSequence: 6 })).toEqual([1])
  expect(await found({ where, from: at(1) })).toEqual([7])
  expect(await found({ where, from: at(0), to: at(5), afterSequence: 1 })).toEqual([])
})

test('S6.1 afterSequence is exclusive, untilSequence inclusive, and both hold in each partition', async () => {
  const stream = await createStream(2)
  await stream.appendMany([0, 1].flatMap((partition) => numbered(20, { partition })))
  const found = async (body: Record<string, unknown>) => (await searchAll(stream, body)).map(placeOf)
  const both = [11, 12, 13, 14, 15].flatMap((sequence) => [`0:${sequence}`, `1:${sequence}`])
  expect(await found({ afterSequence: 10, untilSequence: 15 })).toEqual(both)
  expect(await found({ afterSequence: 10, untilSequence: 15, descending: true })).toEqual([...both].reverse())
  expect(await found({ afterSequence: 20 })).toEqual([])
  expect(await found({ untilSequence: 0 })).toEqual([])
  expect(await found({ afterSequence: 15, untilSequence: 15 })).toEqual([])
  expect(await found({ afterSequence: 18, untilSequence: Number.MAX_SAFE_INTEGER })).toHaveLength(4)
})

test('S6.1 from and to are inclusive, whatever their offset', async () => {
  const stream = await createStream()
  await stream.appendMany([5, 1, 3, 2, 4].map((second) => ({ timestamp: at(second) })))
  const found = async (body: Record<string, unknown>) =>
    (await searchAll(stream, body)).map((event) => Number(event.timestamp.slice(17, 19)))
  expect(await found({ from: at(2), to: at(4) })).toEqual([3, 2, 4])
  expect(await found({ from: '2026-03-15T13:00:02+01:00', to: '2026-03-15T07:00:04.000-05:00' })).toEqual([3, 2, 4])
  expect(await found({ from: '2026-03-15T12:00:02.001Z' })).toEqual([5, 3, 4])
  expect(await found({ to: '2026-03-15T12:00:01.999Z' })).toEqual([1])
  expect(await found({ from: at(4), to: at(2) })).toEqual([])
})

timed('S6.1 from and to hold for timestamps that the server gave', async (clock) => {
  const stream = await createStream(2, { clock })
  const times: string[] = []
  for (let index = 0; index < 6; index += 1) {
    times.push(clock.now())
    await stream.append({ partition: index % 2 })
    clock.advance(1_000)
  }
  const found = await searchAll(stream, { from: times[2], to: times[4], order: 'timestamp' })
  expect(found.map((event) => event.timestamp)).toEqual(times.slice(2, 5))
})

test('S6.4 by sequence then partition, by timestamp then partition and sequence, ascending or descending', async () => {
  const stream = await createStream(3)
  const seconds = [
    [4, 2, 2, 9],
    [2, 4],
    [1, 2, 4],
  ]
  await stream.appendMany(seconds.flatMap((list, partition) => list.map((s) => ({ partition, timestamp: at(s) }))))
  const bySequence = ['0:1', '1:1', '2:1', '0:2', '1:2', '2:2', '0:3', '2:3', '0:4']
  const byTimestamp = ['2:1', '0:2', '0:3', '1:1', '2:2', '0:1', '1:2', '2:3', '0:4']
  for (const { order, descending } of orders) {
    const expected = order === 'sequence' ? bySequence : byTimestamp
    const found = (await searchAll(stream, { order, descending })).map(placeOf)
    expect(found, `${order} ${descending}`).toEqual(descending ? [...expected].reverse() : expected)
  }
})

test('S6.4 the order is by sequence, ascending, and a page has 100 unless asked otherwise', async () => {
  const stream = await createStream()
  await stream.appendMany(numbered(150))
  const { events, nextCursor } = await searchPage(stream)
  expect(sequences(events)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1))
  expect(nextCursor).not.toBeNull()
})

timed('S6.6 history stays searchable after ack, reject, dead letters and reset', async (clock) => {
  const stream = await createStream(1, { clock })
  await stream.appendMany(numbered(6))
  const group = await stream.group({ maxAttempts: 1 })
  const leases = await group.fetch()
  await group.many('ack', { leases: leases.slice(0, 2) })
  await group.many('reject', { leases: leases.slice(2, 4) })
  await group.many('nack', { leases: leases.slice(4) })
  const whole = await searchAll(stream)
  expect(sequences(whole)).toEqual([1, 2, 3, 4, 5, 6])
  await group.send('POST', '/reset', { body: { confirm: true, start: 'latest' } })
  expect(await searchAll(stream)).toEqual(whole)
  expect(sequences(await searchAll(stream, { where: { number: { gte: 3 } } }))).toEqual([3, 4, 5, 6])
})

test('S6 a search changes nothing and leases nothing', async () => {
  const stream = await createStream()
  await stream.appendMany(numbered(5))
  const group = await stream.group()
  const before = [await group.info(), await stream.info()]
  await searchAll(stream, { where: { number: 3 } })
  const after = [await group.info(), await stream.info()] as typeof before
  expect(JSON.stringify(after).replace(/"ageMs":\d+/, '')).toBe(JSON.stringify(before).replace(/"ageMs":\d+/, ''))
})

test('S6 a search over many partitions, most of them empty', async () => {
  const stream = await createStream(64)
  await stream.appendMany([63, 5, 40].map((partition) => ({ partition, payload: { in: partition } })))
  expect((await searchAll(stream)).map(placeOf)).toEqual(['5:1', '40:1', '63:1'])
  expect((await searchAll(stream, { where: { partition: 40 } })).map(placeOf)).toEqual(['40:1'])
  expect(await searchAll(await createStream(64))).toEqual([])
})

test('API a page holds at most about 8 MiB of events but always one if there is one, and the listing is whole', async () => {
  const stream = await createStream(2)
  const text = 'x'.repeat(1_000_000)
  await stream.appendMany(Array.from({ length: 14 }, (_, n) => ({ partition: n % 2, payload: { n, text } })))
  for (const { order, descending } of orders) {
    const pages: number[] = []
    let cursor: string | null = null
    do {
      const body: Record<string, unknown> = { order, descending, limit: 1_000 }
      const page = await searchPage(stream, cursor === null ? body : { ...body, cursor })
      pages.push(page.events.length)
      expect(page.events.length, `${order} ${descending}`).toBeLessThanOrEqual(9)
      cursor = page.nextCursor
    } while (cursor !== null && pages.length < 50)
    expect(pages[0], `${order} ${descending}`).toBeGreaterThan(0)
    expect(
      pages.reduce((sum, count) => sum + count, 0),
      `${order} ${descending}`,
    ).toBe(14)
  }
})

test.each([
  ['where', { where: { type: {} } }, 'invalid_query'],
  ['where', { where: 5 }, 'invalid_query'],
  ['where', { where: [] }, 'invalid_query'],
  ['where', { where: 'type' }, 'invalid_query'],
  ['where', { where: null }, 'invalid_query'],
  ['order', { order: 'key' }, 'invalid_request'],
  ['order', { order: null }, 'invalid_request'],
  ['order', { order: { sequence: 'asc' } }, 'invalid_request'],
  ['descending', { descending: 'yes' }, 'invalid_request'],
  ['descending', { descending: null }, 'invalid_request'],
  ['limit', { limit: 0 }, 'invalid_request'],
  ['limit', { limit: 1_001 }, 'invalid_request'],
  ['limit', { limit: 1.5 }, 'invalid_request'],
  ['limit', { limit: '10' }, 'invalid_request'],
  ['limit', { limit: null }, 'invalid_request'],
  ['afterSequence', { afterSequence: -1 }, 'invalid_request'],
  ['afterSequence', { afterSequence: 1.5 }, 'invalid_request'],
  ['afterSequence', { afterSequence: '1' }, 'invalid_request'],
  ['afterSequence', { afterSequence: 2 ** 53 }, 'invalid_request'],
  ['untilSequence', { untilSequence: -1 }, 'invalid_request'],
  ['untilSequence', { untilSequence: null }, 'invalid_request'],
  ['untilSequence', { untilSequence: { '0': 1 } }, 'invalid_request'],
  ['from', { from: 'yesterday' }, 'invalid_request'],
  ['from', { from: 5 }, 'invalid_request'],
  ['from', { from: '2026-02-30T00:00:00Z' }, 'invalid_request'],
  ['from', { from: null }, 'invalid_request'],
  ['to', { to: '' }, 'invalid_request'],
  ['cursor', { cursor: 5 }, 'invalid_request'],
  ['cursor', { cursor: null }, 'invalid_request'],
  ['partition', { partition: 0 }, 'invalid_request'],
  ['type', { type: 'a' }, 'invalid_request'],
  ['orderBy', { orderBy: 'sequence' }, 'invalid_request'],
  ['constructor', { constructor: 1 }, 'invalid_request'],
])('S7 a wrong %s is refused by its name: %j', async (field, body, code) => {
  const stream = await createStream()
  expect((await refusedSearch(stream, body, code)).detail).toContain(field)
})

test('S7 a member called __proto__ is unknown like any other', async () => {
  const stream = await createStream()
  const answer = await stream.send('POST', '/query', { raw: '{"__proto__":{"limit":5}}' })
  expect(expectProblem(answer, 'invalid_request').detail).toContain('__proto__')
})

test.each(['null', '[]', '5', '"a"', '', '{', '{"where":{"a":1}'])(
  'S7 a body of %j is invalid_request',
  async (raw) => {
    const stream = await createStream()
    expectProblem(await stream.send('POST', '/query', { raw }), 'invalid_request')
  },
)

test('S7 the shape of the body is looked at before the stream', async () => {
  const nowhere = streamAt('nobody-made-this')
  await refusedSearch(nowhere, { limit: 0 }, 'invalid_request')
  await refusedSearch(nowhere, { where: { type: {} } }, 'invalid_query')
  await refusedSearch(nowhere, { cursor: 'x' }, 'stream_not_found')
  await refusedSearch(nowhere, {}, 'stream_not_found')
})

test('S7 a search with another method is method_not_allowed, and with a query parameter invalid_request', async () => {
  const stream = await createStream()
  for (const method of ['PUT', 'DELETE', 'PATCH']) {
    const answer = await stream.send(method, '/query')
    expectProblem(answer, 'method_not_allowed')
    expect(answer.headers.get('allow')).toContain('POST')
  }
  expectProblem(await stream.send('POST', '/query?limit=5', { body: {} }), 'invalid_request')
  expectProblem(await stream.send('POST', '/query', { raw: '{}', contentType: 'text/plain' }), 'invalid_request')
})
