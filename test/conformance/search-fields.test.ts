import { expect, test } from 'vitest'
import { sequences } from './group.ts'
import { refusedSearch, searchAll } from './search.ts'
import { createStream, type Stream } from './stream.ts'
import type { NewEvent } from './wire.ts'

/** The sequences of what a condition finds in a stream of one partition. */
const found = async (stream: Stream, where: unknown): Promise<number[]> => sequences(await searchAll(stream, { where }))

async function streamWith(...events: NewEvent[]): Promise<Stream> {
  const stream = await createStream()
  await stream.appendMany(events)
  return stream
}

test('S6.2 type, key and partition are the event’s, even where the payload has members of these names', async () => {
  const stream = await createStream(2)
  await stream.appendMany([
    { partition: 1, type: 'a', key: 'k', payload: { type: 'b', key: 'l', partition: 0 } },
    { partition: 1, type: 'b', key: 'l', payload: { type: 'a', key: 'k', partition: 1 } },
    { partition: 1 },
  ])
  expect(await found(stream, { type: 'a' })).toEqual([1])
  expect(await found(stream, { key: 'l' })).toEqual([2])
  expect(await found(stream, { partition: 1 })).toEqual([1, 2, 3])
  expect(await found(stream, { partition: { ne: 1 } })).toEqual([])
  expect(await found(stream, { partition: '1' })).toEqual([])
  expect(await found(stream, { type: null })).toEqual([3])
  expect(await found(stream, { key: { exists: true } })).toEqual([1, 2, 3])
  expect(await found(stream, { 'payload.type': 'a' })).toEqual([2])
  expect(await found(stream, { 'payload.partition': 0 })).toEqual([1])
  expect(await found(stream, { 'event.type': 'a', 'event.key': 'k', 'event.partition': 1 })).toEqual([1])
})

test('S2.10 S6.2 the five lineage names are metadata, even where the payload has members of these names', async () => {
  const names = ['correlation_id', 'causation_id', 'producer', 'schema', 'schema_version']
  for (const name of names) {
    const stream = await streamWith({ metadata: { [name]: 'x' } }, { payload: { [name]: 'x' } }, {})
    expect(await found(stream, { [name]: 'x' }), name).toEqual([1])
    expect(await found(stream, { [name]: { exists: false } }), name).toEqual([2, 3])
    expect(await found(stream, { [`payload.${name}`]: 'x' }), name).toEqual([2])
    expect(await found(stream, { [`metadata.${name}`]: { prefix: 'x' } }), name).toEqual([1])
  }
})

test('S6.2 every other name is a top-level payload field, taken literally: dots, empty names, __proto__', async () => {
  const names = ['a.b', 'timestamp', 'id', 'sequence', 'event', 'payload', 'metadata', 'eventual.x', '.', 'a..b']
  for (const name of [...names, '', ' ', 'constructor', 'hasOwnProperty', '0', 'é😀', '"', '\\', '\n', '$', '*']) {
    const stream = await streamWith({ payload: { [name]: 7 } }, { payload: { other: 7 } }, { metadata: { [name]: 7 } })
    expect(await found(stream, { [name]: 7 }), JSON.stringify(name)).toEqual([1])
    expect(await found(stream, { [name]: { gte: 7 } }), JSON.stringify(name)).toEqual([1])
    expect(await found(stream, { [name]: { exists: false } }), JSON.stringify(name)).toEqual([2, 3])
  }
})

test('S6.2 a payload field called __proto__ is found, and one that is not there is not inherited', async () => {
  const stream = await createStream()
  const raw = '{"events":[{"payload":{"__proto__":{"a":1}}},{"payload":{"a":1}},{"payload":{"__proto__":"x"}}]}'
  expect((await stream.send('POST', '/events', { raw })).status).toBe(201)
  const search = async (where: string) => {
    const { body } = await stream.send<{ events: { sequence: number }[] }>('POST', '/query', {
      raw: `{"where":${where}}`,
    })
    return sequences(body.events)
  }
  expect(await search('{"__proto__":"x"}')).toEqual([3])
  expect(await search('{"__proto__":{"eq":{"a":1}}}')).toEqual([1])
  expect(await search('{"__proto__":{"exists":false}}')).toEqual([2])
  expect(await search('{"payload.__proto__.a":1}')).toEqual([1])
  expect(await search('{"payload.constructor":{"exists":true}}')).toEqual([])
  expect(await search('{"metadata.toString":{"exists":true}}')).toEqual([])
  expect(await search('{"payload.a.constructor.name":{"exists":true}}')).toEqual([])
})

test('S6.2 paths split at dots, and a path never names a member whose name holds a dot', async () => {
  const stream = await streamWith(
    { payload: { a: { b: { c: 1 } } }, metadata: { m: { n: 2 } } },
    { payload: { 'a.b.c': 1, 'a.b': { c: 1 } }, metadata: { 'm.n': 2 } },
  )
  expect(await found(stream, { 'payload.a.b.c': 1 })).toEqual([1])
  expect(await found(stream, { 'payload.a.b': { eq: { c: 1 } } })).toEqual([1])
  expect(await found(stream, { 'metadata.m.n': 2 })).toEqual([1])
  expect(await found(stream, { 'a.b.c': 1 })).toEqual([2])
  expect(await found(stream, { 'payload.a.b.c.d': { exists: true } })).toEqual([])
  expect(await found(stream, { 'payload.a.b.c.d': { ne: 1 } })).toEqual([1, 2])
})

test('S6.2 empty names in a path are names', async () => {
  const stream = await streamWith({ payload: { '': { '': 1 } } }, { payload: { '': 1 } }, { metadata: { '': 1 } })
  expect(await found(stream, { 'payload..': 1 })).toEqual([1])
  expect(await found(stream, { 'payload.': 1 })).toEqual([2])
  expect(await found(stream, { '': 1 })).toEqual([2])
  expect(await found(stream, { 'metadata.': 1 })).toEqual([3])
})

test('S6.2 digits index arrays, and name members of objects', async () => {
  const stream = await streamWith(
    { payload: { list: ['a', { x: 1 }, ['deep']] } },
    { payload: { list: { '0': 'a', '1': { x: 1 } } } },
    { payload: { list: 'abc' } },
    { payload: { list: [] } },
  )
  expect(await found(stream, { 'payload.list.0': 'a' })).toEqual([1, 2])
  expect(await found(stream, { 'payload.list.1.x': 1 })).toEqual([1, 2])
  expect(await found(stream, { 'payload.list.2.0': 'deep' })).toEqual([1])
  expect(await found(stream, { 'payload.list.2.0': { prefix: 'de' } })).toEqual([1])
  expect(await found(stream, { 'payload.list.3': { exists: true } })).toEqual([])
  for (const index of ['-1', '1.5', '00', '01', '1e0', 'length', ' 0', '99999999999999999999', 'x']) {
    expect(await found(stream, { [`payload.list.${index}`]: { exists: true } }), index).toEqual([])
  }
})

test('S6.2 event. has id, sequence, partition, type, key and timestamp', async () => {
  const stream = await createStream()
  const [one, two] = await stream.appendMany([
    { id: 'mine', timestamp: '2026-03-15T12:00:00.000Z' },
    { timestamp: '2026-03-15T12:00:00.500Z' },
  ])
  expect(await found(stream, { 'event.id': 'mine' })).toEqual([1])
  expect(await found(stream, { 'event.id': two!.id })).toEqual([2])
  expect(await found(stream, { 'event.id': { in: [one!.id, two!.id, 'x'] } })).toEqual([1, 2])
  expect(await found(stream, { 'event.sequence': 2 })).toEqual([2])
  expect(await found(stream, { 'event.sequence': { gt: 0, lt: 2 } })).toEqual([1])
  expect(await found(stream, { 'event.sequence': '2' })).toEqual([])
  expect(await found(stream, { 'event.timestamp': { exists: true } })).toEqual([1, 2])
})

test('S6.3 event.timestamp is compared as a time, in whatever offset and digits the operand comes', async () => {
  const stream = await streamWith(
    { timestamp: '2026-03-15T12:00:00.000Z' },
    { timestamp: '2026-03-15T12:00:00.500Z' },
    { timestamp: '2026-03-15T13:00:01+01:00' },
  )
  const cases: [unknown, number[]][] = [
    ['2026-03-15T12:00:00Z', [1]],
    ['2026-03-15T14:00:00.5+02:00', [2]],
    ['2026-03-15t06:30:01.000-05:30', [3]],
    [{ ne: '2026-03-15T13:00:00+01:00' }, [2, 3]],
    [{ in: ['2026-03-15T13:00:00+01:00', '2026-03-15T12:00:01.0Z'] }, [1, 3]],
    [{ gt: '2026-03-15T13:00:00+01:00' }, [2, 3]],
    [{ gte: '2026-03-15T11:00:00.500-01:00' }, [2, 3]],
    [{ lt: '2026-03-15T23:59:01.000+11:59' }, [1, 2]],
    [{ lte: '2026-03-15T12:00:00.5Z', gt: '2026-03-15T12:00:00Z' }, [2]],
    [{ prefix: '2026-03-15T12:00:00' }, [1, 2]],
  ]
  for (const [operand, expected] of cases) {
    expect(await found(stream, { 'event.timestamp': operand }), JSON.stringify(operand)).toEqual(expected)
  }
})

const conditions = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, n]))
const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)])

test('API Limits: 32 conditions are taken, 33 refused', async () => {
  const stream = await streamWith({ payload: conditions(33) })
  expect(await found(stream, conditions(32))).toEqual([1])
  await refusedSearch(stream, { where: conditions(33) }, 'invalid_request')
})

test('API Limits: in takes 1 000 values, not 1 001', async () => {
  const stream = await streamWith({ payload: { v: 999 } })
  const values = (count: number) => Array.from({ length: count }, (_, index) => index)
  expect(await found(stream, { v: { in: values(1_000) } })).toEqual([1])
  await refusedSearch(stream, { where: { v: { in: values(1_001) } } }, 'invalid_request')
})

test('API Limits: a path goes 16 names deep, not 17', async () => {
  const names = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`)
  const payload = names(17).reduceRight<unknown>((inner, name) => ({ [name]: inner }), 1)
  const stream = await streamWith({ payload })
  expect(await found(stream, { [`payload.${names(16).join('.')}`]: { exists: true } })).toEqual([1])
  expect(await found(stream, { [`metadata.${names(16).join('.')}`]: { exists: true } })).toEqual([])
  await refusedSearch(stream, { where: { [`payload.${names(17).join('.')}`]: 1 } }, 'invalid_request')
  await refusedSearch(stream, { where: { [`payload${'.'.repeat(100_000)}`]: 1 } }, 'invalid_request')
})

test('API Limits: an operand nests 64 levels, not 65, and holds no number beyond the doubles', async () => {
  const stream = await streamWith({ payload: { v: nested(63) } })
  expect(await found(stream, { v: { eq: nested(63) } })).toEqual([1])
  expect(await found(stream, { v: { eq: nested(64) } })).toEqual([])
  await refusedSearch(stream, { where: { v: { eq: nested(65) } } }, 'invalid_request')
  await refusedSearch(stream, { where: { v: { in: [nested(64)] } } }, 'invalid_request')
  const deep = `{"where":{"v":{"eq":${'['.repeat(50_000)}${']'.repeat(50_000)}}}}`
  const answers = [deep, '{"where":{"v":1e999}}', '{"where":{"v":{"in":[-1e999]}}}', '{"where":{"v":{"gt":1e400}}}']
  for (const raw of answers) {
    expect((await stream.send('POST', '/query', { raw })).body, raw.slice(0, 60)).toMatchObject({
      code: 'invalid_request',
    })
  }
})
