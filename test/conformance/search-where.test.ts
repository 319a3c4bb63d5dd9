import { expect, test } from 'vitest'
import { namesFound, refusedSearch, searchAll } from './search.ts'
import { createStream, type Stream } from './stream.ts'

/** A stream with one event for each value, whose payload holds it as `v`; `undefined` leaves it out. */
async function streamOf(values: Record<string, unknown>): Promise<Stream> {
  const stream = await createStream()
  await stream.appendMany(Object.entries(values).map(([name, v]) => ({ payload: { name, v } })))
  return stream
}

const everyType = {
  absent: undefined,
  null: null,
  false: false,
  true: true,
  zero: 0,
  one: 1,
  half: 0.5,
  minus: -1,
  empty: '',
  text: 'a',
  digit: '1',
  list: [1, 'a', null],
  emptyList: [],
  object: { a: 1, b: [2] },
  emptyObject: {},
}
const all = Object.keys(everyType)
const without = (...names: string[]) => all.filter((name) => !names.includes(name))

test('S6.3 a plain value means strict JSON equality, for each type', async () => {
  const stream = await streamOf(everyType)
  const cases: [unknown, string[]][] = [
    [null, ['null']],
    [false, ['false']],
    [true, ['true']],
    [0, ['zero']],
    [1, ['one']],
    [0.5, ['half']],
    [-1, ['minus']],
    ['', ['empty']],
    ['a', ['text']],
    ['1', ['digit']],
    [[1, 'a', null], ['list']],
    [[1, 'a'], []],
    [['a', 1, null], []],
    [[], ['emptyList']],
    ['null', []],
    ['A', []],
  ]
  for (const [v, expected] of cases) expect(await namesFound(stream, { v }), JSON.stringify(v)).toEqual(expected)
})

test('S6.3 eq takes objects as well, member order aside, and numbers in any writing', async () => {
  const stream = await streamOf(everyType)
  expect(await namesFound(stream, { v: { eq: { b: [2], a: 1 } } })).toEqual(['object'])
  expect(await namesFound(stream, { v: { eq: {} } })).toEqual(['emptyObject'])
  const { body } = await stream.send<{ events: { payload: { name: string } }[] }>('POST', '/query', {
    raw: '{"where":{"v":10e-1}}',
  })
  expect(body.events.map((event) => event.payload.name)).toEqual(['one'])
  const minusZero = await stream.send<{ events: { payload: { name: string } }[] }>('POST', '/query', {
    raw: '{"where":{"v":-0}}',
  })
  expect(minusZero.body.events.map((event) => event.payload.name)).toEqual(['zero'])
})

test('S6.3 missing equals nothing, so ne is true for it', async () => {
  const stream = await streamOf(everyType)
  expect(await namesFound(stream, { v: { ne: 1 } })).toEqual(without('one'))
  expect(await namesFound(stream, { v: { ne: null } })).toEqual(without('null'))
  expect(await namesFound(stream, { v: { ne: {} } })).toEqual(without('emptyObject'))
  expect(await namesFound(stream, { nowhere: { ne: null } })).toEqual(all)
  expect(await namesFound(stream, { nowhere: null })).toEqual([])
})

test('S6.3 exists is true for null and false only for what is missing', async () => {
  const stream = await streamOf(everyType)
  expect(await namesFound(stream, { v: { exists: true } })).toEqual(without('absent'))
  expect(await namesFound(stream, { v: { exists: false } })).toEqual(['absent'])
  expect(await namesFound(stream, { nowhere: { exists: false } })).toEqual(all)
})

test('S6.3 in holds for a value that equals one of a list, of whatever types', async () => {
  const stream = await streamOf(everyType)
  expect(await namesFound(stream, { v: { in: [1, '1', null, [], {}] } })).toEqual([
    'null',
    'one',
    'digit',
    'emptyList',
    'emptyObject',
  ])
  expect(await namesFound(stream, { v: { in: ['nothing', 2] } })).toEqual([])
  expect(await namesFound(stream, { v: { in: [] } })).toEqual([])
  expect(await namesFound(stream, { nowhere: { in: [null] } })).toEqual([])
})

test('S6.3 order operators compare numbers with numbers and strings with strings; anything else does not match', async () => {
  const stream = await streamOf(everyType)
  const cases: [Record<string, unknown>, string[]][] = [
    [{ gt: 0 }, ['one', 'half']],
    [{ gte: 0 }, ['zero', 'one', 'half']],
    [{ lt: 0.5 }, ['zero', 'minus']],
    [{ lte: 0.5 }, ['zero', 'half', 'minus']],
    [{ gt: '' }, ['text', 'digit']],
    [{ gte: '' }, ['empty', 'text', 'digit']],
    [{ lt: 'a' }, ['empty', 'digit']],
    [{ lte: 'a' }, ['empty', 'text', 'digit']],
  ]
  for (const [v, expected] of cases) expect(await namesFound(stream, { v }), JSON.stringify(v)).toEqual(expected)
})

test('S6.3 strings compare by code point, surrogate pairs included', async () => {
  const texts = ['', 'A', 'Z', 'a', 'aa', 'é', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{1f600}', '\u{10ffff}']
  const stream = await streamOf(Object.fromEntries(texts.map((text, index) => [`t${index}`, text])))
  for (const [index, text] of texts.entries()) {
    const names = (from: number, to: number) => texts.map((_, at) => `t${at}`).slice(from, to)
    expect(await namesFound(stream, { v: { lt: text } }), text).toEqual(names(0, index))
    expect(await namesFound(stream, { v: { lte: text } }), text).toEqual(names(0, index + 1))
    expect(await namesFound(stream, { v: { gt: text } }), text).toEqual(names(index + 1, texts.length))
    expect(await namesFound(stream, { v: { gte: text } }), text).toEqual(names(index, texts.length))
  }
})

test('S6.3 prefix holds for strings that begin so, and for nothing else', async () => {
  const stream = await streamOf({ ...everyType, emoji: '😀x', long: 'abc' })
  expect(await namesFound(stream, { v: { prefix: 'a' } })).toEqual(['text', 'long'])
  expect(await namesFound(stream, { v: { prefix: '' } })).toEqual(['empty', 'text', 'digit', 'emoji', 'long'])
  expect(await namesFound(stream, { v: { prefix: '😀' } })).toEqual(['emoji'])
  expect(await namesFound(stream, { v: { prefix: 'abcd' } })).toEqual([])
})

test('S6.3 an object is a set of operators that must all hold', async () => {
  const stream = await streamOf(everyType)
  expect(await namesFound(stream, { v: { gte: 0, lt: 1 } })).toEqual(['zero', 'half'])
  expect(await namesFound(stream, { v: { gte: 0, lt: 1, ne: 0 } })).toEqual(['half'])
  expect(await namesFound(stream, { v: { exists: true, in: [null, 1], ne: 1 } })).toEqual(['null'])
  expect(await namesFound(stream, { v: { gt: 0, lt: 'z' } })).toEqual([])
})

const wrong: Record<string, unknown>[] = [
  { v: {} },
  { v: { equals: 1 } },
  { v: { eq: 1, like: 'a' } },
  { v: { EQ: 1 } },
  { v: { $gt: 1 } },
  { v: { toString: 1 } },
  { v: { in: 1 } },
  { v: { in: 'abc' } },
  { v: { in: { a: 1 } } },
  { v: { in: null } },
  { v: { gt: null } },
  { v: { gte: true } },
  { v: { lt: [1] } },
  { v: { lte: { a: 1 } } },
  { v: { prefix: 1 } },
  { v: { prefix: null } },
  { v: { prefix: ['a'] } },
  { v: { exists: 1 } },
  { v: { exists: 'true' } },
  { v: { exists: null } },
  { 'event.nothing': 1 },
  { 'event.': 1 },
  { 'event.payload': 1 },
  { 'event.timestamp.x': 1 },
  { 'event.constructor': 1 },
]

test.each(wrong)('S6.3 what is unknown, empty or has operands of a wrong type is invalid_query: %j', async (where) => {
  const stream = await createStream()
  await stream.append({ payload: { v: 1 } })
  expect((await refusedSearch(stream, { where }, 'invalid_query')).detail).toContain(Object.keys(where)[0])
})

test('S6.3 an operator called __proto__ is unknown', async () => {
  const stream = await createStream()
  const answer = await stream.send('POST', '/query', { raw: '{"where":{"v":{"__proto__":1}}}' })
  expect(answer.body).toMatchObject({ code: 'invalid_query' })
})

test('S6.3 a value that is an operator in the payload is found by eq', async () => {
  const stream = await streamOf({ a: { eq: 1 }, b: { gt: 5 } })
  expect(await namesFound(stream, { v: { eq: { gt: 5 } } })).toEqual(['b'])
})

test('S6.3 conditions that filters may answer find what those find that read: equality in every place', async () => {
  const stream = await createStream()
  // More than one segment of the log, so that both what is sealed and what is not are searched.
  for (let batch = 0; batch < 10; batch += 1) {
    await stream.appendMany(
      Array.from({ length: 1_000 }, (_, index) => ({
        type: `t${index % 7}`,
        payload: { name: `${batch}/${index}`, v: index, deep: { v: index } },
      })),
    )
  }
  await stream.append({ payload: { name: 'last', v: 77, deep: { v: 77 } } })
  const expected = [...Array.from({ length: 10 }, (_, batch) => `${batch}/77`), 'last']
  const wheres = [
    { v: 77 },
    { v: { eq: 77 } },
    { v: { in: [77, -1] } },
    { v: { gte: 77, lte: 77 } },
    { 'payload.v': 77 },
    { 'payload.deep.v': 77 },
    { deep: { eq: { v: 77 } } },
    { v: 77, 'payload.deep.v': { in: [77] }, name: { exists: true } },
  ]
  for (const where of wheres) expect(await namesFound(stream, where), JSON.stringify(where)).toEqual(expected)
  expect(await searchAll(stream, { where: { v: '77' } })).toEqual([])
  expect(await searchAll(stream, { where: { v: 77, name: 'last' } })).toHaveLength(1)
})
