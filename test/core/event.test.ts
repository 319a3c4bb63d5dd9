import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { eventText, idOf, ownTimestamp, parseEvent, sameContent, stamped } from '../../src/core/event.ts'
import { equalJson, isObject, type Json, type JsonObject } from '../../src/core/json.ts'
import { formatTime, parseTime } from '../../src/core/time.ts'

const AT_MS = Date.UTC(2026, 2, 15, 12)
const place = { stream: 'orders', partition: 3, sequence: 17, generatedId: 'evt_u_3_17', at: formatTime(AT_MS) }

const parse = (text: string): Json => JSON.parse(text) as Json
const lineOf = (input: unknown): string => {
  const parsed = parseEvent(input, '')
  if (!parsed.ok) throw new Error(parsed.failure.detail)
  return parsed.value.line
}
/** The event as a reader gets it. */
const back = (input: unknown): JsonObject => parse(eventText(lineOf(input), place)) as JsonObject

/** Texts with every kind of code unit, lone surrogates among them. */
const text = fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)) })
const goodText = fc.string({ unit: 'binary' })
/**
 * Without a backslash: once a member's name begins with one, JSON.parse of Node 24 takes other escaped names for it
 * (nodejs/node#63785; the runtime of the Worker does not).
 */
const names = fc
  .oneof(fc.constantFrom('', '__proto__', 'constructor', 'toString', 'id', 'timestamp', '0', '"', '\n'), text)
  .filter((name) => !name.includes('\\'))
const json = fc.letrec<{ value: Json; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.oneof(text, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc
    .array(fc.tuple(names, tie('value')), { maxLength: 4 })
    // Goes by text: only JSON.parse makes a member out of the name `__proto__`, as a request's body does.
    .map(
      (members) =>
        parse(`{${members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)}}`) as JsonObject,
    ),
}))
const id = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
  .filter((some) => some.length <= 128 && !/\p{Cc}/u.test(some))
const timestamp = fc.integer({ min: -1e12, max: 4e12 }).map(formatTime)
const input = fc.record(
  { type: fc.option(text), key: fc.option(goodText), payload: json.object, metadata: json.object, id, timestamp },
  { requiredKeys: [] },
)

describe('S2.1 an event comes back as it was sent', () => {
  it('for all types, keys, payloads, metadata, ids and timestamps, whatever the names of members', () => {
    fc.assert(
      fc.property(input, (sent) => {
        const { type = null, key = null, payload = {}, metadata = {}, id, timestamp } = sent
        const event = back(sent)
        const expected = { id: id ?? place.generatedId, timestamp: timestamp ?? place.at, type, key, payload, metadata }
        expect(equalJson(event, { stream: 'orders', partition: 3, sequence: 17, ...expected } as JsonObject)).toBe(true)
        const line = lineOf(sent)
        expect(idOf(line, place.generatedId)).toBe(expected.id)
        expect(ownTimestamp(line)).toBe(timestamp === undefined ? null : parseTime(timestamp))
      }),
    )
  })

  it('the line is one line of JSON whatever is in it', () => {
    fc.assert(
      fc.property(input, (sent) => {
        const line = lineOf(sent)
        expect(line).not.toContain('\n')
        expect(isObject(parse(line))).toBe(true)
      }),
    )
  })

  it.each([
    '{"":1}',
    '{"__proto__":{"a":1}}',
    '{"__proto__":null}',
    '{"constructor":{"prototype":1}}',
    '{"toJSON":"x","valueOf":1,"hasOwnProperty":2}',
    '{"2":"b","1":"a"}',
    '{"a":"\\ud800","\\udfff":"\\ude00\\ud83d"}',
    '{"a":"\\u2028\\u2029\\u0000\\u007f"}',
    '{"a":[1.5e300,-0.1,5e-324,9007199254740993]}',
  ])('%s as payload and as metadata', (value) => {
    const { payload, metadata } = back(parse(`{"payload":${value},"metadata":${value}}`))
    expect(equalJson(payload!, parse(value))).toBe(true)
    expect(equalJson(metadata!, parse(value))).toBe(true)
    expect(JSON.stringify(payload)).toBe(JSON.stringify(parse(value)))
  })

  it('of members named twice the last one wins', () => {
    expect(back(parse('{"payload":{"a":1,"b":2,"a":3}}')).payload).toEqual({ a: 3, b: 2 })
  })

  it('all fields may be left out', () => {
    const { id, timestamp } = { id: place.generatedId, timestamp: place.at }
    const rest = { stream: 'orders', partition: 3, sequence: 17, type: null, key: null, payload: {}, metadata: {} }
    expect(back({})).toEqual({ id, timestamp, ...rest })
  })

  it('finer digits of a timestamp are cut off, and another offset is the same time in UTC', () => {
    expect(back({ timestamp: '2026-03-15T13:00:00.1239+01:00' }).timestamp).toBe('2026-03-15T12:00:00.123Z')
  })

  it('S2.2 an integer key is its decimal text, and the empty text is a key', () => {
    expect([0, -0, -17, Number.MAX_SAFE_INTEGER, ''].map((key) => back({ key }).key)).toEqual([
      '0',
      '0',
      '-17',
      '9007199254740991',
      '',
    ])
  })

  it('says what routing needs to know', () => {
    const parsed = parseEvent({ id: 'a', key: 5, partition: 2, timestamp: '1970-01-01T00:00:01Z' }, '')
    expect(parsed).toMatchObject({ ok: true, value: { id: 'a', key: '5', partition: 2, timestampMs: 1_000 } })
    expect(parseEvent({}, '')).toMatchObject({ value: { id: null, key: null, partition: null, timestampMs: null } })
  })
})

describe('S2.5 same content', () => {
  const same = (stored: unknown, retry: unknown, storedAtMs = AT_MS) =>
    sameContent(lineOf(stored), storedAtMs, lineOf(retry))

  it('is equal type, key, payload and metadata, whatever the order of members', () => {
    fc.assert(
      fc.property(input, input, (a, b) => {
        const content = ({ type = null, key = null, payload = {}, metadata = {} }: typeof a): JsonObject => ({
          type,
          key,
          payload,
          metadata,
        })
        const { timestamp: _, ...withoutTime } = b
        expect(same(a, withoutTime)).toBe(equalJson(content(a), content(b)))
        expect(same(a, a)).toBe(true)
      }),
    )
    const retry = parse('{"payload":{"b":{"y":1,"x":2},"a":1}}')
    expect(same(parse('{"payload":{"a":1,"b":{"x":2,"y":1}}}'), retry)).toBe(true)
    expect(same(parse('{"payload":{"a":1,"b":[1,2]}}'), parse('{"payload":{"a":1,"b":[2,1]}}'))).toBe(false)
  })

  it('does not ask for the id: it is what the two have in common', () => {
    expect(same({ type: 'a' }, { type: 'a', id: 'x' })).toBe(true)
  })

  it('asks for the timestamp only if the retry carries one', () => {
    const time = '2026-01-01T00:00:00.000Z'
    expect(same({ timestamp: time }, {})).toBe(true)
    expect(same({ timestamp: time }, { timestamp: '2026-01-01T01:00:00+01:00' })).toBe(true)
    expect(same({ timestamp: time }, { timestamp: '2026-01-01T00:00:00.001Z' })).toBe(false)
    expect(same({}, { timestamp: formatTime(AT_MS) })).toBe(true)
    expect(same({}, { timestamp: formatTime(AT_MS + 1) })).toBe(false)
  })

  it('is the same for a line that says its timestamp because its row has another', () => {
    const line = stamped(lineOf({ type: 'a', id: 'x' }), AT_MS)
    expect(ownTimestamp(line)).toBe(AT_MS)
    expect(stamped(line, AT_MS + 1)).toBe(line)
    expect(sameContent(line, AT_MS + 1, lineOf({ type: 'a', timestamp: formatTime(AT_MS) }))).toBe(true)
    expect(idOf(line, '')).toBe('x')
  })
})
