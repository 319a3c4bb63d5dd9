import { expect, test } from 'vitest'
import { timed } from './clock.ts'
import { expectProblem } from './problem.ts'
import { createStream, numbered } from './stream.ts'
import type { NewEvent, StreamEvent } from './wire.ts'

timed(
  'S2.1 an event of nothing has null type and key, empty payload and metadata, and the time of its append',
  async (clock) => {
    const stream = await createStream(1, { clock })
    const answer = await stream.post<{ event: StreamEvent }>({})
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({
      event: {
        id: expect.stringMatching(/^.{1,128}$/),
        stream: stream.name,
        partition: 0,
        sequence: 1,
        type: null,
        key: null,
        timestamp: clock.now(),
        payload: {},
        metadata: {},
      },
    })
  },
)

test('S2.1 an event carries everything it was given', async () => {
  const stream = await createStream(4)
  const given = {
    id: 'order-17',
    type: 'order.placed',
    key: 'customer-9',
    timestamp: '2026-01-02T03:04:05.678Z',
    partition: 2,
    payload: { total: 12.5, lines: [{ sku: 'a', count: 2 }], paid: false, note: null },
    metadata: { correlation_id: 'c-1', schema_version: 3 },
  }
  const event = await stream.append(given)
  expect(event).toEqual({ ...given, stream: stream.name, sequence: 1 })
  expect(await stream.read(2)).toEqual([event])
})

timed('S2.1 one request has one now: all its events carry the same timestamp', async (clock) => {
  const stream = await createStream(4, { clock })
  const events = await stream.appendMany([0, 1, 2, 3, 0, 1].map((partition) => ({ partition })))
  expect(events.map((event) => event.timestamp)).toEqual(Array(6).fill(clock.now()))
})

test('S2.1 null is a type and a key, the same as none', async () => {
  const stream = await createStream(4)
  expect(await stream.append({ type: null, key: null })).toMatchObject({ type: null, key: null, partition: 0 })
})

/** Members of an event with a wrong value, as JSON text. */
const wrong: readonly (readonly [member: string, ...values: string[]])[] = [
  ['payload', 'null', '[]', '"text"', '5', 'true'],
  ['metadata', 'null', '[]', '"text"', '5'],
  ['type', '5', '{}', '[]', 'true'],
  ['key', '1.5', '9007199254740992', '-9007199254740992', 'true', '{}', '["a"]', '1e400'],
  ['id', 'null', '5', '{}', `"${'x'.repeat(129)}"`],
  ['timestamp', 'null', '5', '""', '"yesterday"', '"2026-13-01T00:00:00.000Z"', '"2026-02-30T00:00:00.000Z"', '{}'],
  ['expectedSequence', 'null', '-1', '1.5', '"0"', '1e400'],
  ['sequence', '1'],
  ['stream', '"other"'],
  ['constructor', '1'],
  ['__proto__', '{}'],
  ['toString', '1'],
]

test.each(wrong.flatMap(([member, ...values]) => values.map((value) => [member, value.slice(0, 60), value] as const)))(
  'S2.1 an event with %s: %s is invalid_request, and nothing is written',
  async (member, _, value) => {
    const stream = await createStream()
    const problem = expectProblem(
      await stream.send('POST', '/events', { raw: `{"${member}":${value}}` }),
      'invalid_request',
    )
    expect(problem.detail).toContain(member)
    expect(await stream.highWatermark()).toBe(0)
    if (member === 'expectedSequence') return
    const many = await stream.send('POST', '/events', { raw: `{"events":[{},{"${member}":${value}},{}]}` })
    expect(expectProblem(many, 'invalid_request').detail).toContain(member)
    expect(await stream.highWatermark()).toBe(0)
  },
)

test.each([
  '{"events":null}',
  '{"events":{}}',
  '{"events":"all"}',
  '{"events":[null]}',
  '{"events":[[]]}',
  '{"events":["text"]}',
  '{"events":[{"expectedSequence":0}]}',
  '{"events":[],"payload":{}}',
  '{"events":[{}],"partition":0}',
  '[]',
  '[{}]',
  'null',
  '"text"',
  '5',
])('API Events: the body %s is invalid_request', async (raw) => {
  const stream = await createStream()
  expectProblem(await stream.send('POST', '/events', { raw }), 'invalid_request')
  expect(await stream.highWatermark()).toBe(0)
})

test('S2.3 sequences are dense from 1 in each partition, whatever comes at once', async () => {
  const stream = await createStream(2)
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) => stream.append({ partition: index % 2, payload: { index } })),
  )
  for (const partition of [0, 1]) {
    const events = await stream.read(partition)
    expect(events.map((event) => event.sequence)).toEqual(Array.from({ length: 25 }, (_, index) => index + 1))
    const appended = answers.filter((event) => event.partition === partition)
    expect(events).toEqual(appended.sort((a, b) => a.sequence - b.sequence))
  }
})

test('S2.4 a batch keeps its order, in the answer and in each partition', async () => {
  const stream = await createStream(3)
  const given = Array.from({ length: 30 }, (_, index) => ({ partition: (index * 7) % 3, payload: { index } }))
  const answer = await stream.post<{ events: StreamEvent[] }>({ events: given })
  expect(answer.status).toBe(201)
  expect(answer.body.events.map((event) => event.payload.index)).toEqual(given.map((event) => event.payload.index))
  for (const partition of [0, 1, 2]) {
    const events = await stream.read(partition)
    expect(events).toEqual(answer.body.events.filter((event) => event.partition === partition))
    expect(events.map((event) => event.sequence)).toEqual(Array.from({ length: 10 }, (_, index) => index + 1))
  }
})

test('S2.4 concurrent batches stay whole: contiguous sequences each', async () => {
  const stream = await createStream()
  const batches = await Promise.all(Array.from({ length: 12 }, () => stream.appendMany(numbered(20))))
  for (const batch of batches) {
    const first = batch[0]!.sequence
    expect(batch.map((event) => event.sequence)).toEqual(Array.from({ length: 20 }, (_, index) => first + index))
  }
  expect(await stream.highWatermark()).toBe(240)
})

test.each<[string, NewEvent, string]>([
  ['a wrong shape', { payload: [] }, 'invalid_request'],
  ['a partition that is not there', { partition: 4 }, 'invalid_partition'],
  ['too large a key', { key: 'k'.repeat(1025) }, 'invalid_request'],
  ['too large metadata', { metadata: { text: 'm'.repeat(32_768) } }, 'payload_too_large'],
  ['too large a payload', { payload: { text: 'p'.repeat(1_048_576) } }, 'payload_too_large'],
])('S2.4 one event with %s rejects the whole batch, in every partition', async (_, bad, code) => {
  const stream = await createStream(4)
  const good = [0, 1, 2, 3].map((partition) => ({ partition }))
  const problem = expectProblem(await stream.post({ events: [...good, bad, ...good] }), code)
  expect(problem).not.toHaveProperty('results')
  const { partitions } = await stream.info()
  expect(Object.values(partitions).map((partition) => partition.highWatermark)).toEqual([0, 0, 0, 0])
})

test('API Events: an empty batch is 200 with no events', async () => {
  const stream = await createStream()
  const answer = await stream.post({ events: [] })
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({ events: [] })
})

test('API Events: an NDJSON body is one event a line, answered as many', async () => {
  const stream = await createStream(2)
  const raw =
    '{"partition":1,"payload":{"n":1}}\n{"partition":0,"payload":{"n":2}}\n{"partition":1,"payload":{"n":3}}\n'
  for (const [body, sequence] of [
    [raw, 1],
    [raw.trimEnd(), 3],
  ] as const) {
    const answer = await stream.send<{ events: StreamEvent[] }>('POST', '/events', {
      raw: body,
      contentType: 'application/x-ndjson',
    })
    expect(answer.status, answer.where).toBe(201)
    expect(answer.body.events.map((event) => event.payload.n)).toEqual([1, 2, 3])
    expect(answer.body.events[2]).toMatchObject({ partition: 1, sequence: sequence + 1 })
  }
})

test.each(['{"payload":{}}\n{"payload":}\n', '{}\n[]\n', '{}\n{"foo":1}\n', '{}\n{"expectedSequence":0}\n', '{} {}\n'])(
  'API Events: one bad line rejects the whole NDJSON body: %j',
  async (raw) => {
    const stream = await createStream()
    expectProblem(await stream.send('POST', '/events', { raw, contentType: 'application/x-ndjson' }), 'invalid_request')
    expect(await stream.highWatermark()).toBe(0)
  },
)

test('S2.9 events are the same before and after they are acked', async () => {
  const stream = await createStream()
  await stream.appendMany(numbered(20))
  const before = await stream.read()
  const group = await stream.group()
  const leases = await group.fetch({ limit: 20 })
  expect(leases.map((lease) => lease.event)).toEqual(before)
  await group.many('ack', { receipts: [leases[0]!.receipt] })
  expect(await stream.read()).toEqual(before)
})
