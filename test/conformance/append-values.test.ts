import { expect, test } from 'vitest'
import { expectProblem } from './problem.ts'
import { createStream, type Stream } from './stream.ts'

/** Appends a payload given as JSON text and returns it as it comes back from a read and from a fetch. */
async function roundTrip(stream: Stream, payload: string, member = 'payload'): Promise<unknown[]> {
  const group = await stream.group({ start: 'latest' })
  const answer = await stream.send('POST', '/events', { raw: `{"${member}":${payload}}` })
  expect(answer.status, answer.where).toBe(201)
  const events = await stream.read()
  const [lease] = await group.fetch()
  return [
    (answer.body as { event: Record<string, unknown> }).event[member],
    (events.at(-1) as unknown as Record<string, unknown>)[member],
    (lease!.event as unknown as Record<string, unknown>)[member],
  ]
}

/** The value as text, every member in order: equal texts are equal values, whatever a member is called. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value === 0 ? 0 : value)
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join()}}`
}

/** Payloads that have been lost, changed or refused by other systems. */
const payloads: readonly (readonly [what: string, json: string])[] = [
  ['a member without a name', '{"":1,"a":{"":{"":null}}}'],
  ['a member named __proto__', '{"__proto__":{"polluted":true},"a":{"__proto__":1}}'],
  ['a member named constructor', '{"constructor":{"prototype":{"x":1}},"toString":1,"hasOwnProperty":2}'],
  ['members that look like numbers', '{"2":"b","1":"a","-1":"c","01":"d"}'],
  ['members like those of an event', '{"id":1,"sequence":2,"payload":{},"event":{},"duplicate":true,"events":[]}'],
  ['empty values', '{"a":{},"b":[],"c":"","d":null,"e":false,"f":[[],{}]}'],
  ['big integers as doubles', '{"n":12345678901234567890,"m":9007199254740993,"o":-9223372036854775808}'],
  [
    'small and large doubles',
    '{"a":5e-324,"b":1.7976931348623157e308,"c":0.1,"d":1E5,"e":1.0,"f":123456789.123456789}',
  ],
  ['minus zero', '{"z":-0,"y":-0.0,"x":0}'],
  ['lone surrogates', '{"high":"\\ud800","low":"\\udc00","turned":"\\udc00\\ud800","\\ud800":"name"}'],
  ['surrogate pairs', '{"a":"\\ud83d\\ude00","b":"😀","😀":"name"}'],
  ['NUL and control characters', '{"a":"\\u0000","b":"x\\u0000y","\\u0000":"name","c":"\\u0001\\u001f\\u007f"}'],
  ['line separators', '{"a":"\\u2028\\u2029\\n\\r\\t","b":"\\ufeff"}'],
  ['quotes and backslashes', '{"a":"\\"\\\\\\/\\b\\f","\'":"\' or 1=1 --","b":"\\\\u0041"}'],
  ['text that is not normalized', '{"a":"e\\u0301","b":"\\u00e9"}'],
]

test.each(payloads)('S2.1 a payload with %s comes back as an equal JSON value', async (_, json) => {
  const expected = canonical(JSON.parse(json))
  const returned = await roundTrip(await createStream(), json)
  expect(returned.map(canonical)).toEqual([expected, expected, expected])
})

test.each(payloads)('S2.1 metadata with %s come back as an equal JSON value', async (_, json) => {
  const expected = canonical(JSON.parse(json))
  const returned = await roundTrip(await createStream(), json, 'metadata')
  expect(returned.map(canonical)).toEqual([expected, expected, expected])
})

test('S2.1 of duplicate members the last one wins, at every depth', async () => {
  const returned = await roundTrip(
    await createStream(),
    '{"a":1,"b":{"c":1,"c":2},"a":{"x":1},"a":3,"__proto__":1,"__proto__":2}',
  )
  const expected = canonical(JSON.parse('{"b":{"c":2},"a":3,"__proto__":2}'))
  expect(returned.map(canonical)).toEqual([expected, expected, expected])
})

test.each(['1e400', '-1e400', '[1e309]', '{"deep":[{"n":2e308}]}'])(
  'S2.1 a number beyond a double is refused: %s',
  async (value) => {
    const stream = await createStream()
    for (const member of ['payload', 'metadata']) {
      const answer = await stream.send('POST', '/events', { raw: `{"${member}":{"n":${value}}}` })
      expectProblem(answer, 'invalid_request')
    }
    expect(await stream.highWatermark()).toBe(0)
  },
)

/** A JSON value of so many levels, its own included. */
function nested(levels: number, open: string, close: string): string {
  return `{"a":${open.repeat(levels - 1)}1${close.repeat(levels - 1)}}`
}

test.each([
  ['objects', '{"a":', '}'],
  ['arrays', '[', ']'],
])('API Limits: %s in a payload nest 64 levels deep and not 65', async (_, open, close) => {
  const stream = await createStream()
  const deepest = nested(64, open, close)
  const returned = await roundTrip(stream, deepest)
  expect(returned.map(canonical)).toEqual(Array(3).fill(canonical(JSON.parse(deepest))))
  for (const levels of [65, 1_000, 100_000]) {
    const answer = await stream.send('POST', '/events', { raw: `{"payload":${nested(levels, open, close)}}` })
    expectProblem(answer, 'invalid_request', `${levels} levels`)
  }
  expect(await stream.highWatermark()).toBe(1)
})

test('S2.1 keys come back as they were sent, whatever they hold', async () => {
  const stream = await createStream(8)
  const keys = [
    '',
    ' ',
    '\u0000',
    'a\u0000b',
    '😀',
    'e\u0301',
    '\u00e9',
    "'; drop table batches; --",
    '"',
    '\n',
    '__proto__',
  ]
  const events = await stream.appendMany(keys.map((key) => ({ key })))
  expect(events.map((event) => event.key)).toEqual(keys)
  for (const event of events) expect((await stream.read(event.partition)).map((read) => read.key)).toContain(event.key)
})

test('S2.1 types come back as they were sent, whatever they hold', async () => {
  const stream = await createStream()
  const types = ['', 'order.placed', '\u0000', '😀', '"', '\\', '\n', 'null', '__proto__']
  await stream.appendMany(types.map((type) => ({ type })))
  expect((await stream.read()).map((event) => event.type)).toEqual(types)
})

test('S2.1 a key with a lone surrogate is kept or refused, never changed', async () => {
  const stream = await createStream()
  const answer = await stream.send<{ event: { key: string } }>('POST', '/events', { raw: '{"key":"a\\ud800"}' })
  if (answer.status === 201) expect(answer.body.event.key).toBe('a\ud800')
  else expectProblem(answer, 'invalid_request')
})

test('S7 bytes that are no UTF-8 never end in an internal failure', async () => {
  const stream = await createStream()
  const raw = new Uint8Array([
    ...new TextEncoder().encode('{"payload":{"a":"'),
    0xff,
    0xc0,
    0x80,
    ...new TextEncoder().encode('"}}'),
  ])
  const answer = await stream.send('POST', '/events', { raw })
  if (answer.status !== 201) expectProblem(answer, 'invalid_request')
})
