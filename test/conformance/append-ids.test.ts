import { expect, test } from 'vitest'
import { timed } from './clock.ts'
import { expectProblem, isCode } from './problem.ts'
import { createStream, numbered } from './stream.ts'
import type { NewEvent, StreamEvent } from './wire.ts'

type One = { event: StreamEvent }
type Many = { events: StreamEvent[] }

const original = {
  id: 'order-1',
  type: 'placed',
  key: 'k',
  payload: { a: 1, b: { c: [1, 2], d: null } },
  metadata: { m: 'x', n: 2 },
}

test('S2.5 a retry with the same content answers the original as a duplicate and appends nothing', async () => {
  const stream = await createStream()
  const event = await stream.append(original)
  expect(event).not.toHaveProperty('duplicate')
  for (let repeat = 0; repeat < 3; repeat += 1) {
    const answer = await stream.post<One>(original)
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ event, duplicate: true })
  }
  expect(await stream.read()).toEqual([event])
})

test('S2.5 the order of members is no difference', async () => {
  const stream = await createStream()
  await stream.append(original)
  const turned = { ...original, payload: { b: { d: null, c: [1, 2] }, a: 1.0 }, metadata: { n: 2, m: 'x' } }
  expect((await stream.post<One>(turned)).body).toMatchObject({ duplicate: true, event: { sequence: 1 } })
})

test.each<[string, NewEvent]>([
  ['type', { type: 'paid' }],
  ['type null', { type: null }],
  ['key', { key: 'other' }],
  ['key null', { key: null }],
  ['a payload value', { payload: { ...original.payload, a: 2 } }],
  ['a number for its text', { payload: { ...original.payload, a: '1' } }],
  ['a member missing for null', { payload: { a: 1, b: { c: [1, 2] } } }],
  ['the order of an array', { payload: { a: 1, b: { c: [2, 1], d: null } } }],
  ['a member more', { payload: { ...original.payload, e: 1 } }],
  ['a member named __proto__', { payload: JSON.parse('{"a":1,"b":{"c":[1,2],"d":null},"__proto__":1}') }],
  ['metadata', { metadata: { m: 'x', n: 3 } }],
  ['a member of metadata less', { metadata: { m: 'x' } }],
])('S2.5 other content under the same id is id_conflict: %s', async (_, change) => {
  const stream = await createStream()
  await stream.append(original)
  const problem = expectProblem(await stream.post({ ...original, ...change }), 'id_conflict')
  expect(problem).not.toHaveProperty('results')
  expect(await stream.highWatermark()).toBe(1)
})

timed(
  'S2.5 a retry without a timestamp, or with an equal one, is a duplicate; with another it is id_conflict',
  async (clock) => {
    const stream = await createStream(1, { clock })
    const event = await stream.append({ id: 'a' })
    clock.advance(3_600_000)
    expect((await stream.post<One>({ id: 'a' })).body).toEqual({ event, duplicate: true })
    expect((await stream.post<One>({ id: 'a', timestamp: event.timestamp })).body).toEqual({ event, duplicate: true })
    expectProblem(await stream.post({ id: 'a', timestamp: clock.now() }), 'id_conflict')
    expect(await stream.highWatermark()).toBe(1)
  },
)

test('S2.5 an id is remembered as long as its event, also when it was acked long ago', async () => {
  const stream = await createStream()
  const event = await stream.append({ id: 'first' })
  const group = await stream.group()
  await stream.appendMany(numbered(500))
  const leases = await group.fetch({ limit: 1000 })
  await group.many('ack', { receipts: [leases[0]!.receipt] })
  expect((await stream.post<One>({ id: 'first' })).body).toEqual({ event, duplicate: true })
  expect((await group.lag()).lag).toBe(0)
})

test('S2.5 two equal ids in one batch: the second is a duplicate of the first', async () => {
  const stream = await createStream()
  const answer = await stream.post<Many>({ events: [{ id: 'a' }, { id: 'b' }, { id: 'a' }] })
  expect(answer.status).toBe(201)
  const [first, , second] = answer.body.events
  expect(answer.body.events.map((event) => event.sequence)).toEqual([1, 2, 1])
  expect(first).not.toHaveProperty('duplicate')
  expect(second).toEqual({ ...first, duplicate: true })
  expect(await stream.highWatermark()).toBe(2)
})

test('S2.5 two equal ids of other content in one batch are id_conflict, and nothing of it is in', async () => {
  const stream = await createStream()
  const problem = expectProblem(
    await stream.post({ events: [{ id: 'a' }, {}, { id: 'a', payload: { other: true } }] }),
    'id_conflict',
  )
  expect(problem).not.toHaveProperty('results')
  expect(await stream.highWatermark()).toBe(0)
  expect((await stream.post({ id: 'a', payload: { other: true } })).status).toBe(201)
})

test('S8.6 two equal ids leave no event without a delivery: the frontier reaches the high watermark', async () => {
  const stream = await createStream()
  const group = await stream.group()
  await stream.post({ events: [{ id: 'a' }, { id: 'a' }, {}, { id: 'b' }] })
  await stream.post({ id: 'b' })
  const leases = await group.fetch()
  expect(leases.map((lease) => lease.eventId)).toEqual((await stream.read()).map((event) => event.id))
  await group.many('ack', { leases })
  expect(await group.lag()).toMatchObject({ partitions: { '0': { frontier: 3, highWatermark: 3, lag: 0 } }, lag: 0 })
})

test('S2.5 the same id in another partition is another event', async () => {
  const stream = await createStream(2)
  const one = await stream.append({ id: 'a', partition: 0, payload: { n: 1 } })
  const other = await stream.append({ id: 'a', partition: 1, payload: { n: 2 } })
  expect([one.sequence, other.sequence]).toEqual([1, 1])
})

test('S2.5 of 20 concurrent appends of one id one is in and 19 are its duplicates', async () => {
  const stream = await createStream()
  const answers = await Promise.all(Array.from({ length: 20 }, () => stream.post<One>({ id: 'a', payload: { n: 1 } })))
  expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1)
  expect(answers.filter((answer) => answer.status === 200)).toHaveLength(19)
  expect(new Set(answers.map((answer) => answer.body.event.sequence))).toEqual(new Set([1]))
  expect(await stream.highWatermark()).toBe(1)
})

test('API Events: a batch all repeated is 200, one with something new 201, and only repeated ones say duplicate', async () => {
  const stream = await createStream()
  await stream.appendMany([{ id: 'a' }, { id: 'b' }])
  const some = await stream.post<Many>({ events: [{ id: 'b' }, { id: 'c' }, { id: 'a' }] })
  expect(some.status).toBe(201)
  expect(some.body.events.map((event) => [event.id, event.sequence, event.duplicate])).toEqual([
    ['b', 2, true],
    ['c', 3, undefined],
    ['a', 1, true],
  ])
  const all = await stream.post<Many>({ events: [{ id: 'c' }, { id: 'a' }] })
  expect(all.status).toBe(200)
  expect(all.body.events.map((event) => [event.sequence, event.duplicate])).toEqual([
    [3, true],
    [1, true],
  ])
})

test('S2.4 id_conflict is decided per partition, and results say which events are in', async () => {
  const stream = await createStream(3)
  await stream.append({ id: 'a', partition: 1 })
  const answer = await stream.post({
    events: [
      { partition: 0, payload: { n: 0 } },
      { partition: 1, payload: { n: 1 } },
      { partition: 1, id: 'a', payload: { n: 2 } },
      { partition: 2, payload: { n: 3 } },
    ],
  })
  const { results } = expectProblem(answer, 'id_conflict') as unknown as { results: Record<string, unknown>[] }
  expect(results).toHaveLength(4)
  expect(results[0]).toMatchObject({ event: { partition: 0, sequence: 1, payload: { n: 0 } } })
  expect(results[3]).toMatchObject({ event: { partition: 2, sequence: 1, payload: { n: 3 } } })
  for (const result of results.slice(1, 3)) {
    expect(result).not.toHaveProperty('event')
    expect(result).toMatchObject({ code: 'id_conflict', detail: expect.any(String) })
    expect(isCode(result.code)).toBe(true)
  }
  expect(await stream.read(0)).toHaveLength(1)
  expect(await stream.read(1)).toHaveLength(1)
  expect(await stream.read(2)).toHaveLength(1)
})

test('S2.5 an id of 128 characters is kept whole, whatever it holds', async () => {
  const stream = await createStream()
  for (const id of ['x'.repeat(128), "'; drop table ids; --", 'a/b?c#d', '__proto__', 'ä😀']) {
    const event = await stream.append({ id })
    expect(event.id).toBe(id)
    expect((await stream.post<One>({ id })).body).toEqual({ event, duplicate: true })
  }
})

test('S2.6 generated ids are all different, over partitions and requests', async () => {
  const stream = await createStream(4)
  const events: StreamEvent[] = []
  for (let request = 0; request < 5; request += 1) {
    events.push(...(await stream.appendMany([0, 1, 2, 3, 0, 1, 2, 3].map((partition) => ({ partition })))))
  }
  expect(new Set(events.map((event) => event.id)).size).toBe(40)
  for (const event of events) expect(event.id.length).toBeLessThanOrEqual(128)
})

test('S2.6 an append that carries a generated id is checked against its event: same content is a duplicate', async () => {
  const stream = await createStream(4)
  const events = await stream.appendMany(numbered(4, { key: 'k' }))
  for (const event of events) {
    const answer = await stream.post<One>({ id: event.id, key: 'k', payload: event.payload })
    expect(answer.status, answer.where).toBe(200)
    expect(answer.body).toEqual({ event, duplicate: true })
  }
  expect(await stream.highWatermark(events[0]!.partition)).toBe(4)
})

test('S2.6 other content under a generated id, or another partition, is id_conflict', async () => {
  const stream = await createStream(2)
  const event = await stream.append({ partition: 0, payload: { n: 1 } })
  expectProblem(await stream.post({ id: event.id, partition: 0, payload: { n: 2 } }), 'id_conflict')
  expectProblem(await stream.post({ id: event.id, partition: 1, payload: { n: 1 } }), 'id_conflict')
  expect(await stream.highWatermark(0)).toBe(1)
  expect(await stream.highWatermark(1)).toBe(0)
})
