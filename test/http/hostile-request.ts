import fc from 'fast-check'
import { table } from './route-table.ts'

/*
 * Requests that may be right, and are wrong in one place or another. They are about the stream `orders` of three
 * partitions, with events `id-a` and so on, and its group `billing`.
 */

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
  fc.constantFrom(`0.1.${'a'.repeat(22)}`, `0.1.6.6.${'a'.repeat(22)}`, `999.1.${'a'.repeat(22)}`, `evt_u1_0_1`),
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
  ...[`[{"leaseId":"0.1.${'a'.repeat(22)}"}]`, `["0.1.6.6.${'a'.repeat(22)}"]`, `[{"leaseId":"x","outcome":"nack"}]`],
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
export const hostileBody = fc.oneof(
  hostileJson,
  bytes,
  fc.constantFrom('', '{', '[', '{}{}', 'NaN', '\ufeff{}', '{"a":1}\n{"b":2}', '['.repeat(100_000)),
)

/** A part of a path. */
export const segment = fc.oneof(
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
/** The query of a URL, with its question mark, or nothing. */
export const query = fc
  .array(fc.tuple(queryName, queryValue), { maxLength: 3 })
  .map((pairs) => (pairs.length === 0 ? '' : `?${pairs.map(([name, value]) => `${name}=${value}`).join('&')}`))

const headerValue = fc.oneof(
  fc.constantFrom('', 'x', '-', 'x'.repeat(129), 'x'.repeat(9_000), '\u00e9', 'a, b', '2026-02-30T00:00:00Z', 'orders'),
  fc.string({ unit: fc.constantFrom(...' ~!"\u00ff\tazAZ09;,='), maxLength: 20 }),
)
export const headers = fc.dictionary(
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

/** A request, with a body that no parser has seen. */
export interface Hostile {
  readonly method: string
  readonly path: string
  readonly options: { readonly headers: Record<string, string>; readonly raw?: string | Uint8Array }
}

/** A request of some route, right in most of it, so that it comes as far as what it is wrong in. */
export const request: fc.Arbitrary<Hostile> = fc.constantFrom(...table).chain(([method, path, , body]) =>
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
