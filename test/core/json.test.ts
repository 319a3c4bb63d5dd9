import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { equalJson, exceedsBytes, faultOf, hasLoneSurrogate, isObject, type Json } from '../../src/core/json.ts'

const parse = (text: string): Json => JSON.parse(text) as Json
const nested = (levels: number, [open, close]: readonly [string, string]): Json =>
  parse(open.repeat(levels) + close.repeat(levels))
/** Texts with every kind of code unit, lone surrogates among them. */
const text = fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)) })

/** JSON without backslashes in names, which JSON.parse of Node 24 may confuse (nodejs/node#63785). */
const texts = fc
  .jsonValue({ maxDepth: 2, stringUnit: fc.constantFrom('a', '"', '0', 'é', '\u{1f600}') })
  .map((value) => JSON.stringify(value))

describe('equalJson', () => {
  it('a value equals itself after a journey as text', () => {
    fc.assert(fc.property(texts, (text) => equalJson(parse(text), parse(text))))
  })

  it('agrees with the comparison of canonical texts', () => {
    const canonical = (value: Json): string => {
      if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
      if (!isObject(value)) return JSON.stringify(value)
      return `{${Object.keys(value)
        .sort()
        .map((name) => JSON.stringify(name) + canonical(value[name]!))
        .join()}}`
    }
    const value = texts.map(parse)
    fc.assert(fc.property(value, value, (a, b) => equalJson(a, b) === (canonical(a) === canonical(b))))
  })

  it.each([
    ['{"a":1,"b":{"c":2,"d":3}}', '{"b":{"d":3,"c":2},"a":1}'],
    ['{"__proto__":1,"constructor":2,"":3}', '{"":3,"constructor":2,"__proto__":1}'],
    ['{"a":1,"a":2}', '{"a":2}'],
    ['1.0', '1'],
    ['-0', '0'],
  ])('%s equals %s', (a, b) => {
    expect(equalJson(parse(a), parse(b))).toBe(true)
  })

  it.each([
    ['1', '"1"'],
    ['0', 'false'],
    ['""', 'null'],
    ['[]', '{}'],
    ['{}', '[]'],
    ['[1,2]', '[2,1]'],
    ['[1]', '[1,1]'],
    ['{"a":null}', '{}'],
    ['{"a":null}', '{"b":null}'],
    ['{"__proto__":{}}', '{"a":{}}'],
    ['{"__proto__":{}}', '{}'],
    ['{"toString":null}', '{"a":null}'],
    ['{"0":1}', '[1]'],
    ['"\\ud800"', '"\\ud801"'],
  ])('%s is another value than %s', (a, b) => {
    expect(equalJson(parse(a), parse(b))).toBe(false)
    expect(equalJson(parse(b), parse(a))).toBe(false)
  })
})

describe('faultOf', () => {
  it.each([
    ['[', ']'],
    ['{"a":[', ']}'],
  ] as const)('counts levels of %s%s from the outermost', (open, close) => {
    const each = open.includes('[') && open.includes('{') ? 2 : 1
    expect(faultOf(nested(8 / each, [open, close]), 8)).toBe(null)
    expect(faultOf(nested(8 / each, [open, close]), 7)).toBe('too deep')
  })

  it('looks no deeper than it must, however deep the value', () => {
    let deep: Json = 1
    for (let level = 0; level < 200_000; level++) deep = [deep]
    expect(faultOf(deep, 64)).toBe('too deep')
  })

  it.each(['1e400', '-1e400', '[1,[2,{"a":1e309}]]'])('finds a number beyond the doubles in %s', (value) => {
    expect(faultOf(parse(value), 64)).toBe('not finite')
  })

  it.each(['1.7976931348623157e308', '5e-324', '1e-400', '9007199254740993', 'null', '"1e400"'])(
    '%s is sound',
    (value) => {
      expect(faultOf(parse(value), 0)).toBe(null)
    },
  )

  it('looks into members whatever their names', () => {
    expect(faultOf(parse('{"__proto__":[1e400]}'), 64)).toBe('not finite')
    expect(faultOf(parse('{"__proto__":[[]]}'), 2)).toBe('too deep')
  })
})

describe('exceedsBytes', () => {
  it('counts bytes of UTF-8', () => {
    const encoder = new TextEncoder()
    fc.assert(
      fc.property(text, fc.nat(40), (some, limit) => exceedsBytes(some, limit) === encoder.encode(some).length > limit),
    )
  })

  it.each(['a', 'é', '€', '\u{1f600}'])('is exact at the limit for %s', (character) => {
    const bytes = new TextEncoder().encode(character).length
    expect(exceedsBytes(character.repeat(100), 100 * bytes)).toBe(false)
    expect(exceedsBytes(character.repeat(100), 100 * bytes - 1)).toBe(true)
  })
})

describe('hasLoneSurrogate', () => {
  it('is the opposite of well-formed', () => {
    fc.assert(
      fc.property(
        text,
        (some) => hasLoneSurrogate(some) === !(some as unknown as { isWellFormed(): boolean }).isWellFormed(),
      ),
    )
  })
})

describe('isObject', () => {
  it('tells objects from arrays and null', () => {
    expect(['{}', '[]', 'null', '1', '"a"'].map((value) => isObject(parse(value)))).toEqual([
      true,
      false,
      false,
      false,
      false,
    ])
  })
})
