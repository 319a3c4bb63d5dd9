import { beforeEach, describe, expect, it } from 'vitest'
import { LocalBackend } from './local-backend.ts'
import { type Send, type SendOptions, type Sent, sendTo } from './send.ts'

const stream = '/v1/streams/orders'
const events = `${stream}/events`
const group = `${stream}/groups/billing`

let backend: LocalBackend
let send: Send
beforeEach(async () => {
  backend = new LocalBackend()
  send = sendTo(backend)
  await send('POST', '/v1/streams', { body: { name: 'orders' } })
  await send('POST', `${stream}/groups`, { body: { name: 'billing' } })
})

/** Sends what must be refused, and asserts that it wrote nothing. */
async function refused(method: string, path: string, options: SendOptions = {}): Promise<Sent> {
  const before = backend.rowsWritten
  const answer = await send(method, path, options)
  expect(answer.status, answer.text.slice(0, 200)).toBeGreaterThanOrEqual(400)
  expect(answer.status, answer.text.slice(0, 200)).toBeLessThan(500)
  expect(answer.headers.get('Content-Type')).toBe('application/problem+json')
  expect(backend.rowsWritten).toBe(before)
  return answer
}

/** Every text that a request can hold, as its body is written around it; and what half a surrogate pair there is told. */
const texts: readonly (readonly [name: string, path: string, body: (text: string) => string, surrogate: string])[] = [
  ['the name of a stream', '/v1/streams', (text) => `{"name":${text}}`, 'invalid_name'],
  ['the name of a group', `${stream}/groups`, (text) => `{"name":${text}}`, 'invalid_name'],
  ['key', events, (text) => `{"key":${text}}`, 'invalid_request'],
  ['id', events, (text) => `{"id":${text}}`, 'invalid_request'],
  ['timestamp', events, (text) => `{"timestamp":${text}}`, 'invalid_request'],
  ['consumerId of a fetch', `${group}/fetch`, (text) => `{"consumerId":${text}}`, 'invalid_request'],
  ['consumerId of a release', `${group}/leases/release`, (text) => `{"consumerId":${text}}`, 'invalid_request'],
  ['reason of a nack', `${group}/nack`, (text) => `{"leaseId":"x","reason":${text}}`, 'invalid_request'],
  ['reason of a reject', `${group}/reject`, (text) => `{"leaseId":"x","reason":${text}}`, 'invalid_request'],
  ['reason of claims', `${group}/nack`, (text) => `{"receipts":["x"],"reason":${text}}`, 'invalid_request'],
  [
    'reason of a settle',
    `${group}/settle`,
    (text) => `{"items":[{"leaseId":"x","outcome":"nack","reason":${text}}]}`,
    'invalid_request',
  ],
  ['outcome', `${group}/settle`, (text) => `{"items":[{"leaseId":"x","outcome":${text}}]}`, 'invalid_request'],
  ['leaseId', `${group}/ack`, (text) => `{"leaseId":${text}}`, 'stale_lease'],
  ['eventIds', `${group}/dead-letters/redrive`, (text) => `{"eventIds":[${text}]}`, 'invalid_request'],
  ['cursor', `${stream}/query`, (text) => `{"cursor":${text}}`, 'cursor_not_found'],
  ['order', `${stream}/query`, (text) => `{"order":${text}}`, 'invalid_request'],
  ['from', `${group}/replay`, (text) => `{"from":${text}}`, 'invalid_replay'],
  ['start', `${stream}/groups`, (text) => `{"name":"g","start":${text}}`, 'invalid_request'],
]

describe('half a surrogate pair, which UTF-8 cannot carry', () => {
  it.each(texts)('is refused in %s', async (_, path, body, code) => {
    for (const text of ['"\\ud800"', '"a\\udfff"', '"\\ud83dx"', '"\\ude00\\ud83d"']) {
      expect((await refused('POST', path, { raw: body(text) })).body.code, text).toBe(code)
    }
  })

  it('is a value like any other where JSON is kept as text: type, payload and metadata', async () => {
    const event = '{"type":"\\ud800","payload":{"\\udfff":"\\ud800"},"metadata":{"a":"\\udc00"}}'
    const { body } = await send('POST', events, { raw: event })
    const [read] = (await send('GET', events)).body.events
    for (const one of [body.event, read]) {
      expect(one).toMatchObject({ type: '\ud800', payload: { '\udfff': '\ud800' }, metadata: { a: '\udc00' } })
    }
    const found = await send('POST', `${stream}/query`, { raw: '{"where":{"type":"\\ud800"}}' })
    expect(found.body.events).toHaveLength(1)
  })
})

describe('NUL', () => {
  it('is refused in names and ids', async () => {
    for (const body of ['{"name":"a\\u0000"}', '{"name":"\\u0000"}']) {
      expect((await refused('POST', '/v1/streams', { raw: body })).body.code).toBe('invalid_name')
      expect((await refused('POST', `${stream}/groups`, { raw: body })).body.code).toBe('invalid_name')
    }
    expect((await refused('POST', events, { raw: '{"id":"a\\u0000"}' })).body.field).toBe('id')
  })

  it('comes back whole from key, type, payload, metadata, consumerId and reason, and is not an end', async () => {
    const text = 'a\u0000b'
    const sent = { key: text, type: text, payload: { [text]: text }, metadata: { [text]: text } }
    await send('POST', events, { body: sent })
    const [lease] = (await send('POST', `${group}/fetch`, { body: { consumerId: text } })).body.leases
    expect(lease).toMatchObject({ consumerId: text, event: sent })
    const leasesOf = async (name: string) =>
      (await send('GET', `${group}/leases?consumerId=${encodeURIComponent(name)}`)).body.leases.length
    expect([await leasesOf('a'), await leasesOf(text)]).toEqual([0, 1])
    expect((await send('POST', `${group}/leases/release`, { body: { consumerId: 'a' } })).body.released).toBe(0)
    await send('POST', `${group}/reject`, { body: { leaseId: lease.leaseId, reason: text } })
    expect((await send('GET', `${group}/dead-letters`)).body.deadLetters).toMatchObject([{ reason: text, event: sent }])
    expect((await send('POST', `${stream}/query`, { body: { where: { key: text } } })).body.events).toHaveLength(1)
    expect((await send('POST', `${stream}/query`, { body: { where: { key: 'a' } } })).body.events).toHaveLength(0)
  })
})

describe('__proto__', () => {
  /** Objects inside bodies, each with a place for one more member. */
  const places: readonly (readonly [path: string, body: string])[] = [
    [events, '{"events":[{@}]}'],
    [`${stream}/groups`, '{"name":"g","backoff":{"baseMs":1,@}}'],
    [`${stream}/groups`, '{"name":"g","startAfter":{@}}'],
    [`${group}/ack`, '{"leases":[{"leaseId":"x",@}]}'],
    [`${group}/settle`, '{"items":[{"leaseId":"x","outcome":"ack",@}]}'],
    [`${group}/settle`, '{"items":[{"leaseId":"x","outcome":"ack"}],"fetch":{@}}'],
    [`${group}/replay`, '{"fromSequence":{@}}'],
    [`${group}/replay`, '{"query":{@}}'],
    [`${group}/replay`, '{"query":{"where":{"a":{@}}}}'],
    [`${stream}/query`, '{"where":{"a":{@}}}'],
  ]

  it.each(places)('is refused as any unknown member is: %s %s', async (path, body) => {
    for (const name of ['__proto__', 'constructor', 'hasOwnProperty']) {
      for (const value of ['1', '{}', '{"leaseId":"y"}']) {
        const { body: told } = await refused('POST', path, { raw: body.replace('@', `"${name}":${value}`) })
        expect(told.detail).toContain(name)
      }
    }
  })

  it('gives nothing to an object that lacks a member', async () => {
    const raw = '{"__proto__":{"name":"stolen"}}'
    expect((await refused('POST', '/v1/streams', { raw })).body.code).toBe('invalid_request')
    expect((await send('GET', '/v1/streams/stolen')).body.code).toBe('stream_not_found')
    expect(Object.hasOwn(Object.prototype, 'name')).toBe(false)
  })

  it('is data in payload and metadata, and can be searched for', async () => {
    const raw = '{"payload":{"__proto__":1,"constructor":{"__proto__":2}},"metadata":{"__proto__":"m"}}'
    const { text } = await send('POST', events, { raw })
    expect(text).toContain('"payload":{"__proto__":1,"constructor":{"__proto__":2}},"metadata":{"__proto__":"m"}')
    for (const where of ['{"__proto__":1}', '{"payload.constructor.__proto__":2}', '{"metadata.__proto__":"m"}']) {
      const found = await send('POST', `${stream}/query`, { raw: `{"where":${where}}` })
      expect(found.body.events, where).toHaveLength(1)
    }
  })
})

describe('a member that is there twice', () => {
  it('counts as its last one, in what is checked and in what is kept', async () => {
    expect((await send('POST', '/v1/streams', { raw: '{"name":"-","name":"twice"}' })).body.name).toBe('twice')
    expect((await refused('POST', '/v1/streams', { raw: '{"name":"x","name":"-"}' })).body.code).toBe('invalid_name')
    const { text } = await send('POST', events, { raw: '{"payload":1,"payload":{"a":1,"a":2}}' })
    expect(text).toContain('"payload":{"a":2}')
  })
})

describe('depth, width and length', () => {
  it.each([
    ['POST', `${stream}/query`, '{"where":{"a":@}}'],
    ['POST', `${stream}/query`, '{"where":{"a":{"in":[@]}}}'],
    ['POST', `${stream}/query`, '{"where":@}'],
    ['POST', `${group}/replay`, '{"query":{"where":{"a":@}}}'],
    ['POST', `${group}/replay`, '{"fromSequence":@}'],
    ['POST', `${stream}/groups`, '{"name":"g","startAfter":@}'],
    ['POST', events, '{"payload":{"a":@}}'],
    ['POST', events, '{"metadata":{"a":@}}'],
    ['POST', events, '{"events":@}'],
    ['PATCH', group, '{"backoff":@}'],
  ])('%s %s %s nested a hundred thousand deep is refused', async (method, path, body) => {
    const deep = 100_000
    await refused(method, path, { raw: body.replace('@', `${'['.repeat(deep)}${']'.repeat(deep)}`) })
    await refused(method, path, { raw: body.replace('@', `${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}`) })
  })

  it('a lease may be pasted with anything beside it, however deep: what is ignored is not walked', async () => {
    const raw = `{"leaseId":"x","event":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
    expect((await refused('POST', `${group}/ack`, { raw })).body.code).toBe('stale_lease')
  })

  it('a name of megabytes is named in short', async () => {
    const long = 'x'.repeat(4_000_000)
    for (const [path, raw] of [
      ['/v1/streams', `{"name":"a","${long}":1}`],
      [events, `{"${long}":1}`],
      [`${stream}/query`, `{"where":{"a":{"${long}":1}}}`],
      [`${stream}/groups`, `{"name":"g","startAfter":{"${long}":1}}`],
    ] as const) {
      const { body, text } = await refused('POST', path, { raw })
      expect(body.detail).toContain('xxx')
      expect(text.length).toBeLessThan(4_000)
    }
    const { text } = await refused('GET', `/v1/${long.slice(0, 100_000)}`)
    expect(text.length).toBeLessThan(4_000)
  })

  it('a million members, items and lines are refused in less than seconds', async () => {
    const started = performance.now()
    const members = Array.from({ length: 400_000 }, (_, index) => `"m${index}":1`).join(',')
    await refused('POST', '/v1/streams', { raw: `{${members}}` })
    await refused('POST', `${stream}/query`, { raw: `{"where":{${members}}}` })
    await refused('POST', `${group}/ack`, { raw: `{"leases":[${'{},'.repeat(1_000_000)}{}]}` })
    await refused('POST', `${group}/fetch`, { raw: `{"partitions":[${'0,'.repeat(1_000_000)}0]}` })
    const lines = { raw: '{}\n'.repeat(1_000_000), headers: { 'Content-Type': 'application/x-ndjson' } }
    await refused('POST', events, lines)
    expect(performance.now() - started).toBeLessThan(10_000)
  })
})

describe('a path', () => {
  it.each([
    '%00',
    'a%00',
    '%2F',
    'a%2Fb',
    '%2e%2e%2f',
    '%ff',
    '%C0%80',
    '%ED%A0%80',
    '%',
    '%zz',
    '%u0041',
    'a%20b',
    '%0a',
  ])('with the name %s is invalid_name, wherever a name stands', async (name) => {
    expect((await refused('GET', `/v1/streams/${name}`)).body).toMatchObject({ code: 'invalid_name', field: 'stream' })
    expect((await refused('GET', `${stream}/groups/${name}/lag`)).body).toMatchObject({ field: 'group' })
  })

  it('with a percent-encoded name is that of the name', async () => {
    expect((await send('GET', '/v1/streams/%6Frders')).body.name).toBe('orders')
  })

  it.each(['%00', '%ff', '%', '%2F', 'x'.repeat(10_000), '%F0%9F%98%80', "'--", '__proto__'])(
    'may name an event by anything: %.20s is event_not_found',
    async (id) => {
      expect((await refused('GET', `${events}/${id}`)).body.code).toBe('event_not_found')
    },
  )
})

describe('headers', () => {
  it.each(['x'.repeat(129), 'x'.repeat(60_000), 'a, b', 'a b', 'é', '../b', ''])(
    'a tenant that is no name is refused: %.20s',
    async (tenant) => {
      const { body } = await refused('GET', '/v1/streams', { headers: { 'Rheo-Tenant': tenant } })
      expect(body).toMatchObject({ code: 'invalid_name', field: 'Rheo-Tenant' })
    },
  )

  it.each(['', 'x'.repeat(129), 'é', 'a\tb'])('an idempotency key like %j is refused', async (key) => {
    const { body } = await refused('POST', events, { body: {}, headers: { 'Idempotency-Key': key } })
    expect(body).toMatchObject({ code: 'invalid_request', field: 'Idempotency-Key' })
  })

  it('a length that is a lie changes nothing', async () => {
    for (const length of ['0', '-1', 'x', '1e3', '9'.repeat(400)]) {
      const { status } = await send('POST', events, { body: {}, headers: { 'Content-Length': length } })
      expect([201, 413], length).toContain(status)
    }
  })
})
