import { beforeEach, describe, expect, it, vi } from 'vitest'
import { type Failure, failure } from '../../src/core/failure.ts'
import { type Answer, type Appended, type Command, done, refused } from '../../src/core/partition/commands.ts'
import { FakeBackend, objectError } from './fake-backend.ts'
import { type Send, sendTo } from './send.ts'

const path = '/v1/streams/orders/events'
let backend: FakeBackend
let send: Send

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  backend = new FakeBackend()
  backend.addStream('orders', 4, 'u1')
  backend.answer = () => done({ first: 1, duplicates: [] })
  send = sendTo(backend)
})

/** Answers the appends of some partitions in a way of their own. */
function answerOf(ways: Record<number, () => Answer<Appended>>): void {
  backend.answer = ({ partition }) => ways[partition]?.() ?? done({ first: 1, duplicates: [] })
}

const refuse = (reason: Failure) => () => refused(reason)
const broken = (marks: Parameters<typeof objectError>[0] = {}) => {
  return (): never => {
    throw objectError(marks)
  }
}
const conflict = failure('id_conflict', 'the id "a" is taken', { id: 'a' })
const appends = (): { partition: number; append: Command<'append'>['append'] }[] =>
  backend.commands('append').map(({ partition, command }) => ({ partition, append: command.append }))
const post = (body: unknown, headers: Record<string, string> = {}) => send('POST', path, { body, headers })

describe('an append', () => {
  it('S2.4 sends each partition its events in input order, as one command', async () => {
    const events = [2, 0, 2, 0, 2].map((partition, n) => ({ partition, payload: { n } }))
    await post({ events })
    const sent = appends().toSorted((a, b) => a.partition - b.partition)
    expect(sent.map(({ partition, append }) => [partition, append.count])).toEqual([
      [0, 2],
      [2, 3],
    ])
    const numbers = sent.map(({ append }) => append.lines.split('\n').map((line) => JSON.parse(line).payload.n))
    expect(numbers).toEqual([
      [1, 3],
      [0, 2, 4],
    ])
  })

  it('names the chosen ids and times by their place in the partition', async () => {
    const timestamp = '2026-01-02T03:04:05.006Z'
    await post({ events: [{ partition: 1 }, { id: 'a', partition: 3 }, { partition: 1, id: 'b', timestamp }] })
    const sent = new Map(appends().map(({ partition, append }) => [partition, append]))
    expect(sent.get(1)).toMatchObject({ ids: [[1, 'b']], times: [[1, Date.parse(timestamp)]] })
    expect(sent.get(3)).toMatchObject({ ids: [[0, 'a']], times: [] })
  })

  it('answers 201 with the events in input order, over all partitions', async () => {
    answerOf({ 1: () => done({ first: 7, duplicates: [] }) })
    const answer = await post({ events: [{ partition: 1 }, { partition: 0 }, { partition: 1 }] })
    expect(answer.status).toBe(201)
    const places = answer.body.events.map((event: Record<string, unknown>) => [event.id, event.sequence])
    expect(places).toEqual([
      ['evt_u1_1_7', 7],
      ['evt_u1_0_1', 1],
      ['evt_u1_1_8', 8],
    ])
  })

  it('tells repeated events by duplicate, and gives new ones the sequences from first on', async () => {
    const original = '{"id":"a","sequence":3}'
    answerOf({ 0: () => done({ first: 10, duplicates: [{ index: 1, event: original }] }) })
    const answer = await post({ events: [{}, { id: 'a' }, {}] })
    expect(answer.status).toBe(201)
    expect(answer.body.events[1]).toEqual({ id: 'a', sequence: 3, duplicate: true })
    expect([0, 2].map((index) => answer.body.events[index].sequence)).toEqual([10, 11])
    expect(answer.body.events[0]).not.toHaveProperty('duplicate')
  })

  it('answers 200 when all are repeated, and when there is none', async () => {
    answerOf({ 0: () => done({ first: 10, duplicates: [{ index: 0, event: '{"id":"a"}' }] }) })
    const one = await post({ id: 'a' })
    expect([one.status, one.body]).toEqual([200, { event: { id: 'a' }, duplicate: true }])
    const many = await post({ events: [{ id: 'a' }] })
    expect([many.status, many.body]).toEqual([200, { events: [{ id: 'a', duplicate: true }] }])
    const none = await post({ events: [] })
    expect([none.status, none.body]).toEqual([200, { events: [] }])
    expect((await send('POST', '/v1/streams/none/events', { body: { events: [] } })).body.code).toBe('stream_not_found')
  })

  it('splices the text it stored and stringifies no event anew', async () => {
    const raw = '{"payload":{"__proto__":1,"":2,"2":"b","1":"a"}}'
    const { text } = await send('POST', path, { raw })
    expect(text).toContain('"payload":{"1":"a","2":"b","__proto__":1,"":2}')
  })
})

describe('S7 an append that is not entirely in', () => {
  const events = [0, 1, 2, 0].map((partition) => ({ partition }))

  it('is a problem with the worst code of its partitions', async () => {
    const full = failure('partition_full', 'full', { partition: 2 })
    for (const [ways, code, status] of [
      [{ 0: broken(), 1: broken({ overloaded: true }), 2: refuse(conflict) }, 'ambiguous', 504],
      [{ 0: refuse(conflict), 1: broken({ notStarted: true }) }, 'backend_unavailable', 503],
      [{ 0: refuse(conflict), 1: broken({ overloaded: true }) }, 'overloaded', 503],
      [{ 0: refuse(full), 1: refuse(conflict) }, 'id_conflict', 409],
      [{ 2: refuse(full) }, 'partition_full', 507],
    ] as const) {
      answerOf(ways)
      const answer = await post({ events })
      expect([answer.body.code, answer.status]).toEqual([code, status])
    }
  })

  it('says for each event whether it is in, not in, or unknown', async () => {
    answerOf({
      1: refuse(conflict),
      2: broken(),
      0: () => done({ first: 5, duplicates: [{ index: 0, event: '{"id":"x"}' }] }),
    })
    const { body } = await post({ events })
    expect(body).toMatchObject({ code: 'ambiguous', partitions: [2] })
    expect(body.results).toEqual([
      { event: { id: 'x' }, duplicate: true },
      { code: 'id_conflict', detail: conflict.detail },
      { code: 'ambiguous' },
      { event: expect.objectContaining({ sequence: 5 }) },
    ])
  })

  it('has no results when one partition was touched: nothing is in', async () => {
    answerOf({ 2: refuse(conflict) })
    const { body } = await post({ events: [{ partition: 2 }, { partition: 2 }] })
    expect(body).toMatchObject({ code: 'id_conflict', id: 'a' })
    expect(body).not.toHaveProperty('results')
  })

  it('is sent again only when it surely did not start', async () => {
    answerOf({ 1: broken() })
    await post({ partition: 1 })
    expect(backend.received).toHaveLength(1)
    backend.received.length = 0
    let turn = 0
    answerOf({ 1: () => (turn++ === 0 ? broken({ notStarted: true })() : done({ first: 1, duplicates: [] })) })
    expect((await post({ partition: 1 })).status).toBe(201)
    expect(backend.received).toHaveLength(2)
  })
})

describe('what is checked before anything is sent', () => {
  it.each([
    [{ events: [{}, {}, {}, { key: 1.5 }] }, 'invalid_request', 'events[3].key'],
    [{ key: 1.5 }, 'invalid_request', 'key'],
    [{ events: [{}, 7] }, 'invalid_request', 'events[1]'],
    [{ events: [{}], type: 'x' }, 'invalid_request', 'type'],
    [{ events: 7 }, 'invalid_request', 'events'],
    [{ events: Array(1_001).fill({}) }, 'invalid_request', 'events'],
    [{ expectedSequence: null }, 'invalid_request', 'expectedSequence'],
    [{ events: [{ partition: 0 }, { partition: 1 }], expectedSequence: 0 }, 'invalid_request', 'expectedSequence'],
    [[{}], 'invalid_request', 'body'],
  ])('%j is %s naming %s', async (body, code, field) => {
    const answer = await post(body)
    expect(answer.body).toMatchObject({ code, field })
    expect(answer.body.detail).toContain(field)
    expect(backend.received).toHaveLength(0)
  })

  it('S2.4 one partition out of range rejects the whole batch', async () => {
    const { body } = await post({ events: [{}, { partition: 4 }] })
    expect(body).toMatchObject({ code: 'invalid_partition', partition: 4, partitionCount: 4 })
    expect(body.detail).toContain('events[1].partition')
    expect(backend.received).toHaveLength(0)
  })
})

describe('S2.7 an idempotency key', () => {
  const fingerprintsOf = async (body: unknown): Promise<string[]> => {
    backend.received.length = 0
    await post(body, { 'Idempotency-Key': 'k' })
    return appends().map(({ append }) => append.idempotency!.fingerprint)
  }

  it('comes with a digest of the whole request, the same in every partition', async () => {
    const [a, b, ...others] = await fingerprintsOf({ events: [{ partition: 0 }, { partition: 1 }] })
    expect(a).toMatch(/^[A-Za-z0-9_-]{22}$/)
    expect([b, others]).toEqual([a, []])
  })

  it('tells apart another payload, partition, order or condition, and not the order of members', async () => {
    const bodies = [
      { events: [{ partition: 0 }, { partition: 1 }] },
      { events: [{ partition: 1 }, { partition: 0 }] },
      { events: [{ partition: 0 }] },
      { events: [{ partition: 0 }], expectedSequence: 0 },
      { events: [{ partition: 0, payload: { a: 1 } }] },
    ]
    const prints = new Set<string>()
    for (const body of bodies) prints.add((await fingerprintsOf(body))[0]!)
    expect(prints.size).toBe(bodies.length)
    const [a] = await fingerprintsOf({ type: 't', key: 'k' })
    expect(await fingerprintsOf({ key: 'k', type: 't' })).toEqual([a])
  })

  it('is 1 to 128 printable ASCII characters', async () => {
    for (const key of ['', 'k'.repeat(129), 'é', 'a\tb']) {
      const { body } = await post({}, { 'Idempotency-Key': key })
      expect(body, key).toMatchObject({ code: 'invalid_request', field: 'Idempotency-Key' })
    }
    expect((await post({}, { 'Idempotency-Key': 'k'.repeat(128) })).status).toBe(201)
  })
})

describe('an NDJSON body', () => {
  const lines = (raw: string) => send('POST', path, { raw, headers: { 'Content-Type': 'application/x-ndjson' } })

  it('holds one event a line, empty lines aside', async () => {
    const answer = await lines('{"partition":1}\r\n\n{"partition":2}\n')
    expect(answer.status).toBe(201)
    expect(answer.body.events.map((event: { partition: number }) => event.partition)).toEqual([1, 2])
    expect((await lines('')).body).toEqual({ events: [] })
  })

  it('is refused by the event that is wrong', async () => {
    expect((await lines('{}\n{"key":1.5}')).body).toMatchObject({ field: 'events[1].key' })
    expect((await lines('{}\n{')).body).toMatchObject({ code: 'invalid_request', field: 'events[1]' })
    expect((await lines('{}\n'.repeat(1_001))).body).toMatchObject({ code: 'invalid_request', field: 'events' })
  })
})
