import { CloudEvent, type CloudEventV1, HTTP } from 'cloudevents'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Answer } from './client.ts'
import { expectProblem } from './problem.ts'
import { searchAll } from './search.ts'
import { createStream, type Stream } from './stream.ts'
import type { StreamEvent } from './wire.ts'

const ONE = 'application/cloudevents+json'
const BATCH = 'application/cloudevents-batch+json'

type Appended = { event: StreamEvent; events: StreamEvent[] }

/** Posts a CloudEvent as the SDK serializes it in structured mode, with the SDK's own headers. */
function postOne(stream: Stream, event: CloudEventV1<unknown>): Promise<Answer<Appended>> {
  const { headers, body } = HTTP.structured(event)
  return stream.send('POST', '/events', { raw: body as string, headers: headers as Record<string, string> })
}

function postBatch(stream: Stream, events: readonly unknown[]): Promise<Answer<Appended>> {
  return stream.send('POST', '/events', { raw: JSON.stringify(events), contentType: `${BATCH}; charset=utf-8` })
}

const postRaw = (stream: Stream, event: unknown): Promise<Answer<Appended>> =>
  stream.send('POST', '/events', { raw: JSON.stringify(event), contentType: ONE })

const lineage: Record<string, string> = {
  correlationid: 'correlation_id',
  causationid: 'causation_id',
  schemaversion: 'schema_version',
  dataschema: 'schema',
}

/** What the contract makes of a CloudEvent. */
function expected(event: CloudEventV1<unknown>): Partial<StreamEvent> {
  const { id, type, subject, time, data, ...others } = JSON.parse(JSON.stringify(event)) as CloudEventV1<unknown>
  const metadata = new Map<string, unknown>()
  for (const [name, value] of Object.entries(others)) {
    metadata.set(Object.hasOwn(lineage, name) ? lineage[name]! : name, value)
  }
  metadata.set('producer', event.source)
  return {
    id,
    type,
    key: subject ?? null,
    timestamp: new Date(time!).toISOString(),
    payload: (data ?? {}) as Record<string, unknown>,
    metadata: Object.fromEntries(metadata),
  }
}

const full = () =>
  new CloudEvent({
    id: 'A234-1234-1234',
    type: 'com.example.curve.updated',
    source: '/pricing/service',
    subject: 'EUR-EURIBOR-6M',
    time: '2026-03-15T13:00:00.5+01:00',
    datacontenttype: 'application/json',
    dataschema: 'https://example.com/curve/1',
    data: { rate: 2.9, tenors: ['6M'] },
    correlationid: 'corr-1',
    causationid: 'cmd-1',
    schemaversion: '1',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    urgent: true,
    count: 7,
  })

test('API CloudEvents: a structured event of the SDK is an event of ours', async () => {
  const stream = await createStream(4)
  const answer = await postOne(stream, full())
  expect(answer.status, answer.where).toBe(201)
  expect(answer.body.event).toMatchObject({
    id: 'A234-1234-1234',
    type: 'com.example.curve.updated',
    key: 'EUR-EURIBOR-6M',
    timestamp: '2026-03-15T12:00:00.500Z',
    payload: { rate: 2.9, tenors: ['6M'] },
  })
  expect(answer.body.event.metadata).toEqual({
    specversion: '1.0',
    source: '/pricing/service',
    producer: '/pricing/service',
    datacontenttype: 'application/json',
    schema: 'https://example.com/curve/1',
    correlation_id: 'corr-1',
    causation_id: 'cmd-1',
    schema_version: '1',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    urgent: true,
    count: 7,
  })
})

test('API CloudEvents: subject is the key, so it chooses the partition as a key does', async () => {
  const stream = await createStream(16)
  for (const subject of ['a', 'order/17', 'é😀', 'EUR-EURIBOR-6M']) {
    const { body } = await postOne(stream, new CloudEvent({ type: 't', source: '/s', subject, data: {} }))
    expect(body.event.partition).toBe((await stream.append({ key: subject })).partition)
  }
  const { body } = await postOne(stream, new CloudEvent({ type: 't', source: '/s', data: {} }))
  expect(body.event).toMatchObject({ key: null, partition: 0 })
})

test('API CloudEvents: a batch keeps its order, and lineage finds its events by bare names', async () => {
  const stream = await createStream(3)
  const events = Array.from(
    { length: 9 },
    (_, n) =>
      new CloudEvent({ type: 't', source: `/s/${n % 3}`, subject: `k${n}`, correlationid: `c${n % 2}`, data: { n } }),
  )
  const answer = await postBatch(stream, events)
  expect(answer.status, answer.where).toBe(201)
  expect(answer.body.events.map(({ id }) => id)).toEqual(events.map(({ id }) => id))
  const found = await searchAll(stream, { where: { producer: '/s/1', correlation_id: 'c0' } })
  expect(found.map(({ payload }) => payload.n)).toEqual([4])
  expect((await postBatch(stream, [])).body).toEqual({ events: [] })
})

test('S2.5 a CloudEvent sent again is the original, with other content id_conflict', async () => {
  const stream = await createStream()
  expect((await postOne(stream, full())).status).toBe(201)
  const again = await postOne(stream, full())
  expect([again.status, again.body]).toMatchObject([200, { duplicate: true, event: { sequence: 1 } }])
  expect((await postBatch(stream, [full()])).body.events).toMatchObject([{ duplicate: true, sequence: 1 }])
  expectProblem(await postOne(stream, full().cloneWith({ data: { rate: 3 } })), 'id_conflict')
  expect(await stream.highWatermark()).toBe(1)
})

const extension = fc.oneof(
  fc.boolean(),
  fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  fc.string({ unit: 'binary' }),
)
const attributes = new Set([
  'id',
  'type',
  'source',
  'specversion',
  'subject',
  'time',
  'data',
  'dataschema',
  'datacontenttype',
])
const arbitraryEvent = fc
  .record({
    type: fc.string({ minLength: 1 }),
    source: fc.constantFrom(
      '/a',
      'urn:uuid:6e8bc430-9c3a-11d9-9669-0800200c9a66',
      'mailto:a@b.c',
      'https://x.y/z?q#f',
      '1-555',
    ),
    subject: fc.option(fc.string({ minLength: 1, maxLength: 200, unit: 'binary' }), { nil: undefined }),
    time: fc
      .date({ min: new Date('1980-01-01'), max: new Date('2200-01-01'), noInvalidDate: true })
      .map((t) => t.toISOString()),
    datacontenttype: fc.constantFrom(undefined, 'application/json', 'application/vnd.x+json; charset=utf-8'),
    dataschema: fc.constantFrom(undefined, 'https://example.com/schema'),
    data: fc.option(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), { nil: undefined }),
    extensions: fc.dictionary(
      fc.stringMatching(/^[a-z0-9]{1,20}$/).filter((name) => !attributes.has(name)),
      extension,
    ),
    lineage: fc.dictionary(
      fc.constantFrom('correlationid', 'causationid', 'schemaversion', 'constructor'),
      fc.string(),
    ),
  })
  .map(({ extensions, lineage, ...event }) => {
    const given = Object.entries({ ...event, ...extensions, ...lineage }).filter(([, value]) => value !== undefined)
    return Object.fromEntries(given) as unknown as Partial<CloudEventV1<unknown>>
  })

test('API CloudEvents: whatever the SDK takes for a valid event arrives whole, structured and batched', async () => {
  const stream = await createStream(8)
  await fc.assert(
    fc.asyncProperty(fc.array(arbitraryEvent, { minLength: 1, maxLength: 8 }), async (given) => {
      const events = given.map((event) => new CloudEvent(event as CloudEventV1<unknown>))
      for (const event of events) event.validate()
      const batch = await postBatch(stream, events)
      expect(batch.status, batch.where).toBe(201)
      for (const [index, event] of events.entries()) {
        expect(batch.body.events[index]).toMatchObject(expected(event))
        expect(batch.body.events[index]!.metadata).toEqual(expected(event).metadata)
      }
      const copy = events[0]!.cloneWith({ id: `${events[0]!.id}-2` })
      const one = await postOne(stream, copy)
      expect(one.status, one.where).toBe(201)
      expect(one.body.event).toMatchObject(expected(copy))
    }),
    { numRuns: 60 },
  )
})

test('API CloudEvents: an extension called constructor is metadata of that name', async () => {
  const stream = await createStream()
  const { body } = await postRaw(stream, { specversion: '1.0', id: '1', source: '/s', type: 't', constructor: 'x' })
  expect(body.event.metadata).toEqual({ specversion: '1.0', source: '/s', producer: '/s', constructor: 'x' })
})

test('API CloudEvents: attributes that are null count as absent', async () => {
  const stream = await createStream()
  const event = {
    specversion: '1.0',
    id: '1',
    source: '/s',
    type: 't',
    subject: null,
    time: null,
    data: null,
    ext: null,
  }
  const { body, status } = await postRaw(stream, event)
  expect(status).toBe(201)
  expect(body.event).toMatchObject({ key: null, payload: {}, metadata: { specversion: '1.0', source: '/s' } })
  expect(body.event.metadata).not.toHaveProperty('ext')
})

const valid = { specversion: '1.0', id: '1', source: '/s', type: 't', data: {} }
const broken: [string, unknown][] = [
  ['specversion', { ...valid, specversion: '0.3' }],
  ['specversion', { ...valid, specversion: 1 }],
  ['specversion', { id: '1', source: '/s', type: 't' }],
  ['id', { ...valid, id: undefined }],
  ['id', { ...valid, id: '' }],
  ['id', { ...valid, id: 5 }],
  ['id', { ...valid, id: null }],
  ['id', { ...valid, id: 'x'.repeat(129) }],
  ['source', { ...valid, source: '' }],
  ['source', { ...valid, source: undefined }],
  ['type', { ...valid, type: '' }],
  ['type', { ...valid, type: ['t'] }],
  ['subject', { ...valid, subject: 5 }],
  ['time', { ...valid, time: 'yesterday' }],
  ['time', { ...valid, time: 5 }],
  ['data', { ...valid, data: 'text' }],
  ['data', { ...valid, data: [1] }],
  ['data', { ...valid, data: 5 }],
  ['data_base64', { ...valid, data: undefined, data_base64: 'AAAA' }],
  ['datacontenttype', { ...valid, datacontenttype: 'text/xml' }],
  ['datacontenttype', { ...valid, datacontenttype: 5 }],
  ['comExt', { ...valid, comExt: 'x' }],
  ['com_ext', { ...valid, com_ext: 'x' }],
  ['com-ext', { ...valid, 'com-ext': 'x' }],
  ['ext', { ...valid, ext: { a: 1 } }],
  ['ext', { ...valid, ext: [1] }],
]

test.each(broken)(
  'S7 a CloudEvent with a wrong %s is invalid_request, alone and in a batch: %j',
  async (field, event) => {
    const stream = await createStream()
    expect(expectProblem(await postRaw(stream, event), 'invalid_request').detail).toContain(field)
    const batch = expectProblem(await postBatch(stream, [valid, { ...valid, id: '2' }, event]), 'invalid_request')
    expect(batch.detail).toContain(`events[2].${field}`)
    expect(await stream.highWatermark()).toBe(0)
  },
)

test('S7 a body that is no CloudEvent, or no list of them, is invalid_request', async () => {
  const stream = await createStream()
  for (const body of [null, 5, 'a', [], [valid], {}]) expectProblem(await postRaw(stream, body), 'invalid_request')
  for (const body of [null, 5, {}, valid, [null], [[valid]], ['a']]) {
    const raw = JSON.stringify(body)
    expectProblem(await stream.send('POST', '/events', { raw, contentType: BATCH }), 'invalid_request', raw)
  }
  for (const raw of ['', '{', '{"__proto__":{}}', '\u0000']) {
    for (const contentType of [ONE, BATCH]) {
      expectProblem(await stream.send('POST', '/events', { raw, contentType }), 'invalid_request', raw)
    }
  }
  expect(await stream.highWatermark()).toBe(0)
})

test('API Limits: 1 000 CloudEvents are taken in a batch, not 1 001', async () => {
  const stream = await createStream()
  const events = Array.from({ length: 1_001 }, (_, n) => ({ ...valid, id: `${n}` }))
  expectProblem(await postBatch(stream, events), 'invalid_request')
  expect((await postBatch(stream, events.slice(1))).body.events).toHaveLength(1_000)
})
