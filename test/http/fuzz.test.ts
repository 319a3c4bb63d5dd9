import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { problems } from '../../src/http/problem.ts'
import { LocalBackend } from './local-backend.ts'
import { table } from './route-table.ts'
import { type Send, type SendOptions, type Sent, sendTo } from './send.ts'

/** How many requests each property sends; set it higher to look longer. */
const numRuns = Number(process.env.RHEO_FUZZ_RUNS ?? 3_000)

let backend: LocalBackend
let send: Send
let faults: unknown[][]

beforeEach(async () => {
  // The clock stands still, so that nothing expires: whatever is written, a request has written.
  vi.useFakeTimers({ toFake: ['Date'] })
  faults = []
  vi.spyOn(console, 'error').mockImplementation((...fault) => void faults.push(fault))
  backend = new LocalBackend()
  send = sendTo(backend, { RHEO_AUTH: 'open', RHEO_TEST_CLOCK: '1' })
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** Sees to it that there is something to hit: requests may delete it, and all that came after would be told so. */
async function prepare(): Promise<void> {
  const { status } = await send('POST', '/v1/streams/orders/groups', { body: { name: 'billing' } })
  if (status !== 404) return
  await send('POST', '/v1/streams', { body: { name: 'orders', partitionCount: 3 } })
  await send('POST', '/v1/streams/orders/groups', { body: { name: 'billing' } })
  const events = ['a', 'b', 'c', 'd', 'e', 'f'].map((key) => ({ key, id: `id-${key}` }))
  await send('POST', '/v1/streams/orders/events', { body: { events } })
}

/** What upsets parsers, escapers and databases. */
const hostileText = fc.oneof(
  fc.constantFrom('', '\u0000', 'a\u0000b', '\ud800', '\udfff\ud800', '\ufeff', '__proto__', 'constructor', 'toString'),
  fc.constantFrom(
    '../..',
    '%00',
    '%2F',
    '%',
    '\r\n',
    "'",
    '"',
    ';--',
    '1e999',
    '-0',
    '１',
    'İ',
    'ﬀ',
    'e\u0301',
    '\u202e',
  ),
  fc.constantFrom('x'.repeat(127), 'x'.repeat(129), 'x'.repeat(1_001), 'é'.repeat(600), 'x'.repeat(40_000)),
  fc.constantFrom(`0.1.${'a'.repeat(22)}`, `0.1.6.${'a'.repeat(22)}`, `999.1.${'a'.repeat(22)}`, `evt_u1_0_1`),
  fc.string({ unit: 'binary', maxLength: 20 }),
)

/** Values of JSON as text, so that no parser on the way here tames them. */
const hostileJson: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    hostileText.map((text) => JSON.stringify(text)),
    fc.constantFrom('null', 'true', 'false', '0', '-0', '1', '-1', '0.5', '1e400', '-1e400', '9007199254740993'),
    fc.constantFrom('256', '257', '1000', '1001', '43200001', '1e21', '[]', '{}', '[[]]', '"2026-01-01T00:00:00Z"'),
    fc.constantFrom(`${'['.repeat(65)}${']'.repeat(65)}`, `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`),
    fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
    fc
      .array(fc.tuple(fc.oneof(hostileText, fc.constantFrom('eq', 'in', 'gt', 'prefix', '0', 'id')), tie('value')), {
        maxLength: 4,
      })
      .map((members) => `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`),
  ),
})).value

/** The members that the body of a route knows, by the last part of its path. */
const membersOf: Readonly<Record<string, string>> = {
  streams: 'name partitionCount',
  events: 'type key payload metadata id timestamp partition expectedSequence events',
  query: 'where from to afterSequence untilSequence order descending limit cursor',
  groups: 'name maxAttempts leaseMs start startAfter startAt maxInFlight backoff paused',
  ':group': 'maxAttempts leaseMs maxInFlight backoff paused',
  fetch: 'limit leaseMs consumerId partition partitions waitMs',
  settle: 'items fetch',
  replay: 'fromSequence from query partition partitions resetAttempts dryRun',
  reset: 'confirm start startAfter startAt partition partitions',
  redrive: 'eventIds all',
  release: 'consumerId leaseId leases',
}
const settled = 'leaseId receipt reason delayMs leaseMs leases receipts'

/** Values that some member takes, so that what is wrong lies deeper than its kind. */
const sound = fc.constantFrom(
  ...['0', '1', '2', '3', '10', '1000', 'true', 'false', 'null', '"a"', '"orders"', '"id-a"', '"earliest"', '"latest"'],
  ...['"2026-01-01T00:00:00Z"', '[0]', '[0,1,2]', '{"0":1}', '{"2":0}', '{"a":1}', '{"baseMs":1}', '["id-a"]', '{}'],
  ...['[{}]', '[{"id":"id-a"},{"id":"id-a"}]', '[{"partition":0},{"partition":2}]', '{"where":{"type":"a"},"limit":1}'],
  ...[`[{"leaseId":"0.1.${'a'.repeat(22)}"}]`, `["0.1.6.${'a'.repeat(22)}"]`, `[{"leaseId":"x","outcome":"nack"}]`],
)

/** A body that is right but for a few members: changed, added, or there twice. */
function mutated(path: string, body: object): fc.Arbitrary<string> {
  const known = (membersOf[path.split('/').at(-1)!] ?? settled).split(' ')
  const name = fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...known) },
    { weight: 1, arbitrary: fc.constantFrom('__proto__', 'constructor', 'foo', '') },
  )
  const value = fc.oneof({ weight: 3, arbitrary: sound }, { weight: 2, arbitrary: hostileJson })
  return fc.array(fc.tuple(name, value), { maxLength: 2 }).map((changes) => {
    const good = Object.entries(body).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
    return `{${[...good, ...changes.map(([name, value]) => `${JSON.stringify(name)}:${value}`)].join(',')}}`
  })
}

const bytes = fc.uint8Array({ maxLength: 40 })
const hostileBody = fc.oneof(
  hostileJson,
  bytes,
  fc.constantFrom('', '{', '[', '{}{}', 'NaN', '\ufeff{}', '{"a":1}\n{"b":2}', '['.repeat(100_000)),
)

const segment = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom('orders', 'billing') },
  { weight: 2, arbitrary: fc.constantFrom('nobody', 'ORDERS', 'id-a', 'evt_u10000000000000_0_1', '-', '.', '..', '%') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('%00', '%2F', '%2e%2e', '%ff', '%C0%80', '%ED%A0%80', '%u0041', 'a%20b', 'é'),
  },
  { weight: 1, arbitrary: hostileText.map((text) => encodeURIComponent(text.toWellFormed())) },
)

const queryName = fc.constantFrom('limit', 'after', 'partition', 'confirm', 'groups', 'consumerId', 'foo', '__proto__')
const queryValue = fc.oneof(
  fc.constantFrom('', '1', '0', '-1', '1001', '1e3', 'true', 'x', '%', '%00', '%ff', '9'.repeat(17)),
  hostileText.map((text) => encodeURIComponent(text.toWellFormed())),
)
const query = fc
  .array(fc.tuple(queryName, queryValue), { maxLength: 3 })
  .map((pairs) => (pairs.length === 0 ? '' : `?${pairs.map(([name, value]) => `${name}=${value}`).join('&')}`))

const headerValue = fc.oneof(
  fc.constantFrom('', 'x', '-', 'x'.repeat(129), 'x'.repeat(9_000), '\u00e9', 'a, b', '2026-02-30T00:00:00Z', 'orders'),
  fc.string({ unit: fc.constantFrom(...' ~!"\u00ff\tazAZ09;,='), maxLength: 20 }),
)
const headers = fc.dictionary(
  fc.constantFrom('Rheo-Tenant', 'Rheo-Now', 'Idempotency-Key', 'Accept', 'Authorization', 'Origin', 'Content-Length'),
  headerValue,
  { maxKeys: 2, noNullPrototype: true },
)
const contentType = fc.oneof(
  { weight: 20, arbitrary: fc.constant('application/json') },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      'application/x-ndjson',
      'application/cloudevents+json',
      'application/cloudevents-batch+json',
      'application/json; charset=utf-8',
      'application/json; charset=utf-16',
      'text/plain',
      '',
      ';',
    ),
  },
)

interface Hostile {
  readonly method: string
  readonly path: string
  readonly options: SendOptions
}

/** A request of some route, right in most of it, so that it comes as far as what it is wrong in. */
const request: fc.Arbitrary<Hostile> = fc.constantFrom(...table).chain(([method, path, , body]) =>
  fc
    .record({
      method: fc.oneof(
        { weight: 12, arbitrary: fc.constant(method) },
        { weight: 1, arbitrary: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD') },
      ),
      stream: fc.oneof({ weight: 12, arbitrary: fc.constant('orders') }, { weight: 1, arbitrary: segment }),
      group: fc.oneof({ weight: 12, arbitrary: fc.constant('billing') }, { weight: 1, arbitrary: segment }),
      event: segment,
      query: fc.oneof(
        { weight: 6, arbitrary: fc.constant(method === 'DELETE' ? '?confirm=true' : '') },
        { weight: 1, arbitrary: query },
      ),
      headers: fc.oneof({ weight: 6, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: headers }),
      contentType,
      raw: fc.oneof({ weight: 8, arbitrary: mutated(path, body ?? {}) }, { weight: 1, arbitrary: hostileBody }),
    })
    .map(({ method, stream, group, event, query, headers, contentType, raw }) => ({
      method,
      path: path.replace(':stream', stream).replace(':group', group).replace(':event', event) + query,
      options: {
        headers: { ...headers, 'Content-Type': contentType },
        ...(method === 'GET' || method === 'HEAD' ? {} : { raw }),
      },
    })),
)

/** Sends a request and asserts what holds for every answer, and that nothing was written by what was refused. */
async function expectSound({ method, path, options }: Hostile): Promise<Sent> {
  await prepare()
  const before = backend.rowsWritten
  const answer = await send(method, path, options)
  const { status, body, headers } = answer
  const where = `${status} ${answer.text.slice(0, 300)} ${String(faults.at(-1)?.[1])}`
  expect(status, where).not.toBe(500)
  expect(headers.get('Rheo-Request-Id'), where).toMatch(/^[0-9a-f-]{36}$/)
  expect(headers.get('Cache-Control'), where).toBe('no-store')
  if (status < 400 || method === 'HEAD') return answer
  expect(headers.get('Content-Type'), where).toBe('application/problem+json')
  expect(Object.keys(problems), where).toContain(body.code)
  expect([problems[body.code as keyof typeof problems][0], 415], where).toContain(status)
  expect(body, where).toMatchObject({ status, type: `/docs/errors#${body.code}`, detail: expect.stringMatching(/./) })
  // What several partitions answered differently may be in in part, and says so.
  if (body.results === undefined) expect(backend.rowsWritten - before, where).toBe(0)
  return answer
}

describe('a request, whatever it holds', () => {
  it('never makes an answer of 500, is refused with a code of the closed set, and then writes nothing', async () => {
    const answered = new Map<string, number>()
    await fc.assert(
      fc.asyncProperty(request, async (one) => {
        const { status, body } = await expectSound(one)
        const key = `${body?.code ?? status}`
        answered.set(key, (answered.get(key) ?? 0) + 1)
      }),
      { numRuns },
    )
    // A fuzz that is refused at the door proves little: it must come to every kind of answer.
    const often = ['200', '201', '204', 'invalid_name', 'invalid_request', 'stream_not_found', 'stale_lease']
    for (const key of often) expect(answered.get(key) ?? 0, key).toBeGreaterThan(0)
  })

  it('of any path at all is answered soundly', async () => {
    const path = fc.array(fc.oneof(segment, fc.constantFrom('v1', 'streams', 'groups', 'events', '')), { maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('GET', 'DELETE', 'POST'), path, query, async (method, segments, query) => {
        const answer = await expectSound({ method, path: `/${segments.join('/')}${query}`, options: {} })
        expect(answer.status).not.toBe(500)
      }),
      { numRuns: Math.ceil(numRuns / 3) },
    )
  })
})
