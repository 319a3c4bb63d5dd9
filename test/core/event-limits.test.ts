import { describe, expect, it } from 'vitest'
import { parseEvent } from '../../src/core/event.ts'
import type { Json } from '../../src/core/json.ts'
import { limits } from '../../src/core/limits.ts'

const parse = (text: string): Json => JSON.parse(text) as Json
const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length
const refusal = (input: unknown, path = '') => {
  const parsed = parseEvent(input, path)
  return parsed.ok ? null : parsed.failure
}
const nested = (levels: number) => parse(`${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`)
/** An object that is exactly so many bytes of JSON. */
const sized = (bytes: number) => ({ a: 'x'.repeat(bytes - bytesOf({ a: '' })) })

describe('an event of a request body', () => {
  it.each([null, true, 1, 'a', [], [{}]])('that is %j is refused', (input) => {
    expect(refusal(input, 'events[3].')).toMatchObject({ code: 'invalid_request', field: 'events[3]' })
    expect(refusal(input)).toMatchObject({ code: 'invalid_request', field: 'body' })
  })

  it.each(['sequence', 'stream', 'Type', '', '__proto__', 'constructor', 'hasOwnProperty'])(
    'with the unknown field %j is refused by that name',
    (name) => {
      expect(refusal(parse(`{${JSON.stringify(name)}:{}}`), 'events[0].')).toMatchObject({
        code: 'invalid_request',
        field: `events[0].${name}`,
      })
    },
  )

  it.each([
    ['type', ['1', 'true', '{}', '[]']],
    ['key', ['1.5', '9007199254740992', '1e400', 'true', '{}', '["a"]']],
    ['payload', ['null', '1', '"a"', '[]', 'true']],
    ['metadata', ['null', '1', '"a"', '[]', 'true']],
    ['id', ['null', '1', '{}', '""', '"a\\u0000"', '"\\u0085"', '"a\\ud800"', '"\\udc00"']],
    ['timestamp', ['null', '1773576000000', '""', '"now"', '"2026-02-30T00:00:00Z"', '["2026-01-01T00:00:00Z"]']],
    ['partition', ['null', '"0"', '1.5', '1e400', 'true', '[0]']],
  ] as const)('S2.1 %s of a wrong kind is invalid_request by its name', (field, values) => {
    for (const value of values) {
      expect(refusal(parse(`{"${field}":${value}}`), 'events[1].'), value).toMatchObject({
        code: 'invalid_request',
        field: `events[1].${field}`,
      })
    }
  })

  it('type and key may be null, which is as good as absent', () => {
    expect(refusal({ type: null, key: null })).toBe(null)
  })

  it('a lone surrogate is kept in payload and metadata, and refused in key and id, which must be UTF-8', () => {
    expect(refusal(parse('{"payload":{"\\ud800":"\\udc00"},"metadata":{"a":"\\ud800"},"type":"\\ud800"}'))).toBe(null)
    expect(refusal({ key: '\ud83d\ude00', id: '\ud83d\ude00' })).toBe(null)
    for (const key of ['\ud800', 'a\udc00', '\ude00\ud83d']) {
      expect(refusal({ key }), JSON.stringify(key)).toMatchObject({ code: 'invalid_request', field: 'key' })
    }
  })

  it.each(['payload', 'metadata'])('a number beyond the doubles is refused anywhere in %s', (field) => {
    for (const value of ['{"a":1e400}', '{"a":[{"b":-1e400}]}', '{"__proto__":1e400}']) {
      expect(refusal(parse(`{"${field}":${value}}`)), value).toMatchObject({ code: 'invalid_request', field })
    }
    expect(refusal(parse(`{"${field}":{"a":1.7976931348623157e308,"b":1e-400}}`))).toBe(null)
  })
})

describe('limits of an event', () => {
  it('nesting: 64 levels, not 65', () => {
    for (const field of ['payload', 'metadata']) {
      expect(refusal({ [field]: nested(limits.nesting) })).toBe(null)
      expect(refusal({ [field]: nested(limits.nesting + 1) })).toMatchObject({ code: 'invalid_request', field })
      expect(refusal({ [field]: nested(10_000) })).toMatchObject({ code: 'invalid_request', field })
    }
    expect(refusal({ payload: { a: parse('['.repeat(63) + ']'.repeat(63)) } })).toBe(null)
    expect(refusal({ payload: { a: parse('['.repeat(64) + ']'.repeat(64)) } })).toMatchObject({ field: 'payload' })
  })

  it('key: 1 KiB of UTF-8, not a byte more', () => {
    expect(refusal({ key: 'a'.repeat(1_024) })).toBe(null)
    expect(refusal({ key: '\u{1f600}'.repeat(256) })).toBe(null)
    expect(refusal({ key: 'a'.repeat(1_025) })).toMatchObject({ code: 'invalid_request', field: 'key' })
    expect(refusal({ key: `${'\u{1f600}'.repeat(256)}a` })).toMatchObject({ code: 'invalid_request', field: 'key' })
  })

  it('id: 1 to 128 characters', () => {
    expect(refusal({ id: 'a' })).toBe(null)
    expect(refusal({ id: '€'.repeat(limits.idLength) })).toBe(null)
    expect(refusal({ id: 'a'.repeat(limits.idLength + 1) })).toMatchObject({ code: 'invalid_request', field: 'id' })
  })

  it('metadata: 32 KiB, beyond it payload_too_large', () => {
    const limit = limits.metadataBytes
    expect(refusal({ metadata: sized(limit) })).toBe(null)
    expect(refusal({ metadata: sized(limit + 1) }, 'events[0].')).toMatchObject({
      code: 'payload_too_large',
      field: 'events[0].metadata',
      limit,
    })
    expect(refusal({ metadata: { a: '€'.repeat(limit / 3) } })).toMatchObject({ code: 'payload_too_large' })
  })

  it('event: 1 MiB as it is given, beyond it payload_too_large', () => {
    const limit = limits.eventBytes
    const given = (bytes: number, rest: object = {}) => {
      const event = { ...rest, payload: sized(20) }
      return { ...event, payload: sized(20 + bytes - bytesOf(event)) }
    }
    for (const rest of [{}, { type: 'a', key: 'k' }, { metadata: { a: 1 }, id: 'x' }]) {
      expect(bytesOf(given(limit, rest))).toBe(limit)
      expect(refusal(given(limit, rest))).toBe(null)
      expect(refusal(given(limit + 1, rest), 'events[0].')).toMatchObject({
        code: 'payload_too_large',
        field: 'events[0]',
        limit,
      })
    }
  })
})
