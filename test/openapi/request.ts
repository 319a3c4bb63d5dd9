import fc from 'fast-check'
import type { Document, Operation, Parameter } from '../../src/reference/document.ts'
import { operationsOf, parameterOf } from '../../src/reference/document.ts'
import type { Schema } from '../../src/reference/schema.ts'
import { type Hostile, headers, hostileBody, query, segment } from '../http/hostile-request.ts'
import { type Drawn, drawnFrom, type Hints } from './arbitrary.ts'

const lease = `0.1.${'a'.repeat(22)}`

/** What hits the stream `orders` of three partitions, its events `id-a` and so on, and its group `billing`. */
export const hints: Hints = {
  name: ['orders', 'billing', 'other'],
  partitionCount: [1, 2, 3],
  partition: [0, 1, 2, 3],
  partitions: [[0], [0, 1, 2], [2, 2]],
  key: ['a', 'b', 7],
  id: ['id-a', 'id-b', 'id-new'],
  eventIds: [['id-a'], ['id-a', 'id-b']],
  leaseId: [lease, 'x', '999.1.a'],
  receipt: [`0.1.6.6.${'a'.repeat(22)}`],
  receipts: [[`0.1.6.6.${'a'.repeat(22)}`], ['x']],
  consumerId: ['worker-1'],
  limit: [1, 2, 10],
  waitMs: [0],
  delayMs: [0, 1],
  expectedSequence: [0, 1, 2, 1_000],
  fromSequence: [0, 1, { '0': 0 }, { '2': 1 }],
  startAfter: [0, 1, { '0': 1 }, { '7': 0 }],
  where: ['type', 'key', 'total', 'payload.a.b', 'metadata.producer', 'event.id', 'event.timestamp', 'correlation_id'],
}

/** A member of a path: what is there, or what no name is. */
const named: Readonly<Record<string, fc.Arbitrary<string>>> = {
  stream: fc.oneof({ weight: 12, arbitrary: fc.constant('orders') }, segment),
  group: fc.oneof({ weight: 12, arbitrary: fc.constant('billing') }, segment),
  event: fc.oneof({ weight: 3, arbitrary: fc.constantFrom('id-a', 'id-b') }, segment),
}

/** Texts of a body of some media type: right, wrong in one place, or no such thing at all. */
export function bodyOf(drawn: Drawn, type: string, schema: Schema): fc.Arbitrary<string> {
  const text = (schema: Schema) => drawn.sound(schema).map((value) => JSON.stringify(value))
  const right = type === 'application/x-ndjson' ? linesOf(text) : text(schema)
  const wrong = type === 'application/x-ndjson' ? linesOf((of) => drawn.broken(of)) : drawn.broken(schema)
  return fc.oneof({ weight: 2, arbitrary: right }, { weight: 3, arbitrary: wrong })
}

const newEvent: Schema = { $ref: '#/components/schemas/NewEvent' }
const linesOf = (of: (schema: Schema) => fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.array(of(newEvent), { maxLength: 3 }).map((lines) => lines.join('\n'))

/** The query of an operation: members that it knows, right or wrong, and now and then another one. */
function queryOf(drawn: Drawn, document: Document, { parameters }: Operation): fc.Arbitrary<string> {
  const known = parameters
    .map((one) => parameterOf(document, one))
    .filter((one: Parameter) => one.in === 'query')
    .map(({ name, schema, required }) => {
      const right = drawn.sound(schema, name).map((value) => `${value}`)
      const wrong = drawn.broken(schema, name).map((text) => text.replaceAll('"', ''))
      const value = fc.oneof({ weight: 4, arbitrary: right }, wrong)
      const pair = value.map((value) => `${name}=${encodeURIComponent(value.slice(0, 300).toWellFormed())}`)
      return fc.option(required ? fc.oneof({ weight: 4, arbitrary: fc.constant(`${name}=true`) }, pair) : pair, {
        nil: null,
        freq: required ? 6 : 1,
      })
    })
  const own = fc.tuple(...known).map((pairs) => pairs.filter((pair) => pair !== null).join('&'))
  const text = own.map((text) => (text === '' ? '' : `?${text}`))
  return fc.oneof({ weight: 8, arbitrary: text }, query)
}

function requestOf(document: Document, drawn: Drawn, method: string, path: string, operation: Operation) {
  const types = Object.entries(operation.requestBody?.content ?? {})
  const body: fc.Arbitrary<{ type: string; raw?: string | Uint8Array }> =
    types.length === 0
      ? fc.constant({ type: 'application/json' })
      : fc.oneof(
          ...types.map(([type, { schema }]) => ({
            weight: 12,
            arbitrary: bodyOf(drawn, type, schema).map((raw) => ({ type, raw })),
          })),
          hostileBody.map((raw) => ({ type: types[0]![0], raw })),
          fc.constantFrom('text/plain', '', 'application/json; charset=utf-16').map((type) => ({ type, raw: '{}' })),
        )
  const names = fc.record({ stream: named.stream!, group: named.group!, event: named.event! })
  const others = fc.oneof({ weight: 8, arbitrary: fc.constant({}) }, headers)
  const accept = fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, fc.constant({ Accept: 'application/x-ndjson' }))
  return fc
    .tuple(names, queryOf(drawn, document, operation), body, others, accept)
    .map(([names, query, { type, raw }, others, accept]): Hostile => {
      const filled = path.replace(/\{(\w+)\}/g, (_, name: keyof typeof names) => names[name])
      const sent = { ...accept, ...others, 'Content-Type': type }
      return { method, path: filled + query, options: { headers: sent, ...(raw === undefined ? {} : { raw }) } }
    })
}

/** Requests of every operation of a document: such as it allows, and such as break one keyword of it. */
export function requestsOf(document: Document): fc.Arbitrary<Hostile> {
  const drawn = drawnFrom(document, hints)
  return fc.oneof(
    ...operationsOf(document).map(({ method, path, operation }) => requestOf(document, drawn, method, path, operation)),
  )
}
