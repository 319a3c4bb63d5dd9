import { expect, test } from 'vitest'
import { sequences } from './group.ts'
import { randomFrom, randomSeed } from './random.ts'
import { orders, placeOf, refusedSearch, searchAll, searchPage } from './search.ts'
import { createStream, numbered, type Stream } from './stream.ts'
import type { NewEvent, StreamEvent } from './wire.ts'

const START_MS = Date.UTC(2026, 2, 15, 12)
const time = (ms: number) => new Date(START_MS + ms).toISOString()

/** Appends events in requests of at most 1 000. */
async function appendAll(stream: Stream, events: NewEvent[]): Promise<StreamEvent[]> {
  const appended: StreamEvent[] = []
  for (let start = 0; start < events.length; start += 1_000) {
    appended.push(...(await stream.appendMany(events.slice(start, start + 1_000))))
  }
  return appended
}

/** The events in one of the four orders (S6.4). */
function sorted(events: StreamEvent[], order: 'sequence' | 'timestamp', descending: boolean): StreamEvent[] {
  const keyOf = ({ timestamp, partition, sequence }: StreamEvent): [number, number, number] =>
    order === 'sequence' ? [sequence, partition, 0] : [Date.parse(timestamp), partition, sequence]
  const compare = (a: StreamEvent, b: StreamEvent): number => {
    const [left, right] = [keyOf(a), keyOf(b)]
    const at = left.findIndex((value, index) => value !== right[index])
    return at === -1 ? 0 : left[at]! - right[at]!
  }
  const ascending = events.toSorted(compare)
  return descending ? ascending.reverse() : ascending
}

for (const { order, descending } of orders) {
  const name = `${order} ${descending ? 'descending' : 'ascending'}`

  test(`S8.4 1 000 events against 3, in pages of 10 by ${name}: each once, in order, and paging ends`, async () => {
    const stream = await createStream(3)
    const sizes = [1_000, 3, 0]
    const appended = await appendAll(
      stream,
      sizes.flatMap((size, partition) =>
        Array.from({ length: size }, (_, index) => ({ partition, timestamp: time((index * 7_919) % 1_000) })),
      ),
    )
    let pages = 1
    const body = { order, descending, limit: 10 }
    const found = await searchAll(stream, body, async () => {
      pages += 1
    })
    expect(found).toEqual(sorted(appended, order, descending))
    expect(pages).toBeLessThanOrEqual(200)
  })

  test(`S6.5 appends between the pages do not enter the listing by ${name}, and paging ends`, async () => {
    const stream = await createStream(3)
    const before = await appendAll(
      stream,
      Array.from({ length: 40 }, (_, index) => ({ partition: index % 2, timestamp: time((index * 37) % 40) })),
    )
    // Into every partition, the empty one too, with times before, among and after those of the listing.
    const between = (page: number) =>
      stream.appendMany(
        [0, 1, 2].flatMap((partition) =>
          [-1_000 - page, page, 5_000 + page].map((ms) => ({ partition, timestamp: time(ms) })),
        ),
      )
    const found = await searchAll(stream, { order, descending, limit: 3 }, between)
    expect(found.map(placeOf)).toEqual(sorted(before, order, descending).map(placeOf))
  })

  test(`S6.4 many equal timestamps and pages of every size by ${name}`, async () => {
    const stream = await createStream(4)
    const events = Array.from({ length: 60 }, (_, index) => ({
      partition: [0, 0, 0, 1, 3][index % 5]!,
      timestamp: time(Math.floor(index / 20)),
      payload: { even: index % 2 === 0 },
    }))
    const expected = sorted(await appendAll(stream, events), order, descending).map(placeOf)
    for (const limit of [1, 2, 3, 7, 20, 59, 60, 61, 1_000]) {
      expect((await searchAll(stream, { order, descending, limit })).map(placeOf), `limit ${limit}`).toEqual(expected)
    }
  })
}

test('S6.5 random listings: any order, conditions, bounds, page size, partitions and appends in between', async () => {
  const seed = randomSeed()
  const next = randomFrom(seed)
  const below = (limit: number) => Math.floor(next() * limit)
  for (let round = 0; round < 8; round += 1) {
    const partitionCount = 1 + below(8)
    const stream = await createStream(partitionCount)
    const newEvents = (count: number): NewEvent[] =>
      Array.from({ length: count }, () => ({
        partition: Math.floor(next() ** 3 * partitionCount),
        timestamp: time(below(50)),
        type: `t${below(3)}`,
        payload: { n: below(10) },
      }))
    const appended = await appendAll(stream, newEvents(1 + below(300)))
    for (const { order, descending } of orders) {
      const [type, least, fromMs, after] = [`t${below(3)}`, below(6), below(20), below(10)]
      const body = {
        where: { type, n: { gte: least } },
        from: time(fromMs),
        afterSequence: after,
        order,
        descending,
        limit: 1 + below(next() < 0.5 ? 5 : 400),
      }
      const expected = appended.filter(
        (event) =>
          event.type === type &&
          (event.payload.n as number) >= least &&
          Date.parse(event.timestamp) >= START_MS + fromMs &&
          event.sequence > after,
      )
      const between = () => stream.appendMany(newEvents(2)).then((late) => later.push(...late))
      const later: StreamEvent[] = []
      const found = await searchAll(stream, body, between)
      expect(found.map(placeOf), `seed ${seed}, round ${round}, ${JSON.stringify(body)}`).toEqual(
        sorted(expected, order, descending).map(placeOf),
      )
      appended.push(...later)
    }
  }
})

test('S8.4 a bound does not drop after the first page', async () => {
  const stream = await createStream(2)
  await stream.appendMany([0, 1].flatMap((partition) => numbered(50, { partition })))
  const body = { afterSequence: 10, untilSequence: 20, where: { number: { ne: 15 } }, limit: 3 }
  const found = await searchAll(stream, body)
  expect(sequences(found)).toEqual([11, 12, 13, 14, 16, 17, 18, 19, 20].flatMap((sequence) => [sequence, sequence]))
})

test('S6.5 what was appended after the end of a listing is in the next one', async () => {
  const stream = await createStream(2)
  await stream.appendMany(numbered(5, { partition: 1 }))
  expect(await searchAll(stream, { limit: 2 })).toHaveLength(5)
  await stream.append({ partition: 0 })
  expect(await searchAll(stream, { limit: 2 })).toHaveLength(6)
})

test('S6.5 a cursor may be used twice and gives the same page', async () => {
  const stream = await createStream(2)
  await stream.appendMany(numbered(20, { partition: 0 }))
  const { nextCursor: cursor } = await searchPage(stream, { limit: 5 })
  const page = await searchPage(stream, { limit: 5, cursor })
  await stream.append({ partition: 1 })
  expect(await searchPage(stream, { limit: 5, cursor })).toEqual(page)
  expect(sequences((await searchPage(stream, { limit: 7, cursor })).events)).toEqual([6, 7, 8, 9, 10, 11, 12])
})

test('S6.5 a cursor of another query is cursor_not_found', async () => {
  const stream = await createStream(2)
  await stream.appendMany(Array.from({ length: 20 }, (_, n) => ({ type: 'a', payload: { n }, timestamp: time(n) })))
  const query = { where: { type: 'a', n: { gte: 0 } }, from: time(0), to: time(100), afterSequence: 0, limit: 3 }
  const { nextCursor: cursor } = await searchPage(stream, query)
  expect(cursor).toEqual(expect.any(String))
  const others: Record<string, unknown>[] = [
    { where: {} },
    { where: { type: 'b', n: { gte: 0 } } },
    { where: { type: 'a', n: { gte: 1 } } },
    { where: { type: 'a', n: { gt: 0 } } },
    { where: { type: 'a', n: { gte: 0, ne: 5 } } },
    { where: { type: 'a', n: { gte: '0' } } },
    { from: time(1) },
    { to: time(99) },
    { afterSequence: 1 },
    { untilSequence: 20 },
    { order: 'timestamp' },
    { descending: true },
  ]
  for (const other of others) await refusedSearch(stream, { ...query, ...other, cursor }, 'cursor_not_found')
  expect((await searchPage(stream, { ...query, cursor })).events).toHaveLength(3)
})

test('S6.5 a cursor of another stream is cursor_not_found', async () => {
  const [stream, other] = [await createStream(2), await createStream(2)]
  for (const one of [stream, other]) await one.appendMany(numbered(20))
  const { nextCursor: cursor } = await searchPage(stream, { limit: 3 })
  await refusedSearch(other, { limit: 3, cursor }, 'cursor_not_found')
})

test('S6.5 a cursor that is damaged in any one character is cursor_not_found, never a restart', async () => {
  const stream = await createStream(3)
  await stream.appendMany(numbered(20))
  const cursor = (await searchPage(stream, { limit: 3 })).nextCursor!
  const damaged = new Set<string>()
  for (let at = 0; at < cursor.length; at += 1) {
    const [before, after] = [cursor.slice(0, at), cursor.slice(at + 1)]
    const character = cursor[at]!
    const others = ['A', 'Z', 'a', 'z', '0', '9', '-', '_', '=', '+', '/', ' ', '.', 'é']
    const flipped = String.fromCharCode(character.charCodeAt(0) ^ 1)
    for (const other of [...others, flipped, character.toUpperCase(), character.toLowerCase(), '']) {
      damaged.add(before + other + after)
    }
    damaged.add(`${before}${character}${character}${after}`)
  }
  damaged.delete(cursor)
  for (const end of ['=', '==', ' ', '\n', 'A', '\u0000']) damaged.add(cursor + end)
  const list = [...damaged]
  for (let start = 0; start < list.length; start += 50) {
    const slice = list.slice(start, start + 50)
    await Promise.all(slice.map((one) => refusedSearch(stream, { limit: 3, cursor: one }, 'cursor_not_found')))
  }
})

test('S6.5 what never was a cursor is cursor_not_found', async () => {
  const stream = await createStream()
  await stream.append()
  for (const cursor of ['', ' ', '0', 'null', 'W10', '😀', '\ud800', '[]', 'x'.repeat(10_000), '__proto__', 'AAAA']) {
    await refusedSearch(stream, { cursor }, 'cursor_not_found')
  }
})
