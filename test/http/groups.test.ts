import { beforeEach, describe, expect, it, vi } from 'vitest'
import { defaultGroupOptions } from '../../src/core/group.ts'
import { type Answer, done, type OldestUnsettled } from '../../src/core/partition/commands.ts'
import { FakeBackend, objectError, type Received } from './fake-backend.ts'
import { type Send, sendTo } from './send.ts'

const groups = '/v1/streams/orders/groups'
let backend: FakeBackend
let send: Send

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  backend = new FakeBackend()
  backend.addStream('orders', 3)
  backend.addGroup('orders', 'billing')
  send = sendTo(backend)
})

/** Sends a body and gives what the catalog was told. */
async function told(method: string, path: string, body: object) {
  backend.catalogAnswer = () => done(backend.groups.get('orders/billing'))
  const answer = await send(method, path, { body })
  return { answer, command: backend.asked.at(-1) }
}

describe('creating a group', () => {
  it('resolves every default once, at the edge', async () => {
    const { answer, command } = await told('POST', groups, { name: 'billing' })
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({
      name: 'billing',
      stream: 'orders',
      createdAt: '1970-01-01T00:00:00.000Z',
      maxAttempts: 5,
      leaseMs: 30_000,
      start: { 0: 0, 1: 0, 2: 0 },
      maxInFlight: null,
      backoff: null,
      paused: false,
    })
    const start = { kind: 'earliest' }
    expect(command).toEqual({
      type: 'createGroup',
      stream: 'orders',
      name: 'billing',
      options: defaultGroupOptions,
      start,
      maxGroups: 1_000,
    })
  })

  it.each([
    [{ start: 'latest' }, { kind: 'latest' }],
    [{ startAfter: 7 }, { kind: 'after', sequence: 7 }],
    [{ startAfter: { 0: 7, 2: 1 } }, { kind: 'afterEach', sequences: { 0: 7, 2: 1 } }],
    [{ startAfter: {} }, { kind: 'afterEach', sequences: {} }],
    [{ startAt: '1970-01-01T00:00:01Z' }, { kind: 'at', timeMs: 1_000 }],
  ])('S3.2 begins where it is told: %j', async (body, start) => {
    expect((await told('POST', groups, { name: 'billing', ...body })).command).toMatchObject({ start })
  })

  it('fills in a backoff', async () => {
    const { command } = await told('POST', groups, { name: 'billing', backoff: { baseMs: 10, factor: 1.5 } })
    expect(command).toMatchObject({ options: { backoff: { baseMs: 10, factor: 1.5, maxMs: 43_200_000 } } })
  })

  it.each([
    ['{"start":"earliest","startAt":"1970-01-01T00:00:01Z"}', 'startAt'],
    ['{"start":"latest","startAfter":1}', 'startAfter'],
    ['{"start":"now"}', 'start'],
    ['{"start":null}', 'start'],
    ['{"startAfter":-1}', 'startAfter'],
    ['{"startAfter":null}', 'startAfter'],
    ['{"startAfter":[1]}', 'startAfter'],
    ['{"startAfter":{"01":1}}', 'startAfter.01'],
    ['{"startAfter":{"__proto__":1}}', 'startAfter.__proto__'],
    ['{"startAfter":{"0":1.5}}', 'startAfter.0'],
    ['{"startAt":"yesterday"}', 'startAt'],
    ['{"maxAttempts":0}', 'maxAttempts'],
    ['{"maxAttempts":-1}', 'maxAttempts'],
    ['{"maxAttempts":1.5}', 'maxAttempts'],
    ['{"maxAttempts":1001}', 'maxAttempts'],
    ['{"leaseMs":9}', 'leaseMs'],
    ['{"maxInFlight":null}', 'maxInFlight'],
    ['{"backoff":{}}', 'backoff.baseMs'],
    ['{"backoff":{"baseMs":1,"factor":0.5}}', 'backoff.factor'],
    ['{"backoff":{"baseMs":1,"foo":1}}', 'backoff.foo'],
    ['{"backoff":[]}', 'backoff'],
    ['{"paused":"yes"}', 'paused'],
    ['{"__proto__":{}}', '__proto__'],
    ['{"constructor":1}', 'constructor'],
  ])('refuses %s, naming %s', async (fields, field) => {
    const raw = `{"name":"billing",${fields.slice(1)}`
    expect((await send('POST', groups, { raw })).body).toMatchObject({ code: 'invalid_request', field })
    expect(backend.asked).toHaveLength(0)
  })

  it.each([
    ['{"name":"-"}', 'invalid_name'],
    ['{"name":"","foo":1}', 'invalid_name'],
    ['{"name":5}', 'invalid_request'],
    ['{}', 'invalid_request'],
    ['[]', 'invalid_request'],
  ])('looks at the name first: %s is %s', async (raw, code) => {
    expect((await send('POST', groups, { raw })).body.code).toBe(code)
  })
})

describe('patching a group', () => {
  it('replaces the given fields, and null restores a default', async () => {
    const patch = { maxAttempts: null, leaseMs: 50, backoff: null, maxInFlight: null, paused: true }
    const { answer, command } = await told('PATCH', `${groups}/billing`, patch)
    expect(answer.status).toBe(200)
    expect(command).toEqual({
      type: 'patchGroup',
      stream: 'orders',
      group: 'billing',
      patch: { maxAttempts: 5, leaseMs: 50, backoff: null, maxInFlight: null, paused: true },
    })
    expect((await told('PATCH', `${groups}/billing`, {})).command).toMatchObject({ patch: {} })
  })

  it.each([[{ name: 'a' }], [{ start: 'latest' }], [{ maxAttempts: 0 }]])('refuses %j', async (body) => {
    expect((await send('PATCH', `${groups}/billing`, { body })).body.code).toBe('invalid_request')
  })
})

describe('one group', () => {
  const info = (partition: number, oldestUnsettled: OldestUnsettled | null) => ({
    lag: { frontier: partition, highWatermark: 10, lag: 10 - partition },
    inFlight: 1,
    delayed: 2,
    available: 3,
    deadLetters: 4,
    oldestUnsettled,
  })
  const oldest = (timestampMs: number): OldestUnsettled => ({ sequence: 1, eventId: 'e', timestampMs, state: 'leased' })

  it('is all its partitions together, and its oldest event that of the lowest timestamp', async () => {
    const times = [5_000, 1_000, 1_000]
    backend.answer = ({ partition }) => done(info(partition, oldest(times[partition]!)))
    const { body } = await sendTo(backend, { RHEO_AUTH: 'open', RHEO_TEST_CLOCK: '1' })('GET', `${groups}/billing`, {
      headers: { 'Rheo-Now': '1970-01-01T00:00:03Z' },
    })
    expect(body).toMatchObject({ lag: { lag: 27 }, inFlight: 3, delayed: 6, available: 9, deadLetters: 12 })
    expect(body.lag.partitions['1']).toEqual({ frontier: 1, highWatermark: 10, lag: 9 })
    expect(body.oldestUnsettled).toEqual({
      partition: 1,
      sequence: 1,
      eventId: 'e',
      timestamp: '1970-01-01T00:00:01.000Z',
      ageMs: 2_000,
      state: 'leased',
    })
  })

  it('has an age of no less than 0, and no oldest event when all is settled', async () => {
    backend.answer = ({ partition }) => done(info(partition, partition === 2 ? oldest(Date.now() + 60_000) : null))
    expect((await send('GET', `${groups}/billing`)).body.oldestUnsettled).toMatchObject({ partition: 2, ageMs: 0 })
    backend.answer = ({ partition }) => done(info(partition, null))
    expect((await send('GET', `${groups}/billing`)).body.oldestUnsettled).toBeNull()
  })
})

describe('S5.10 releasing a consumer', () => {
  const release = () => send('POST', `${groups}/billing/leases/release`, { body: { consumerId: 'w' } })
  const answerIn =
    (broken: number[], released: number) =>
    (received: Received): Answer<unknown> => {
      if (broken.includes(received.partition)) throw objectError({ notStarted: true })
      return done({ released })
    }

  it('sums what every partition released', async () => {
    backend.answer = answerIn([], 2)
    expect((await release()).body).toEqual({ released: 6 })
  })

  it('S7 that ends half-way is ambiguous with what is done and where it is not', async () => {
    backend.answer = answerIn([1, 2], 2)
    const { body } = await release()
    expect(body).toMatchObject({ code: 'ambiguous', partitions: [1, 2] })
    expect(body.detail).toContain('released 2')
  })

  it('that changed nothing is backend_unavailable', async () => {
    backend.answer = answerIn([1], 0)
    expect((await release()).body.code).toBe('backend_unavailable')
  })
})

describe('creating a stream', () => {
  it.each(['0', '257', '1.5', '"4"', 'null'])(
    'with a partitionCount of %s is invalid_partition_count',
    async (count) => {
      const { body } = await send('POST', '/v1/streams', { raw: `{"name":"a","partitionCount":${count}}` })
      expect(body).toMatchObject({ code: 'invalid_partition_count', field: 'partitionCount' })
    },
  )
})
