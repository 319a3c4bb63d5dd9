import fc from 'fast-check'
import type { Document } from '../../src/reference/document.ts'
import type { Schema } from '../../src/reference/schema.ts'

/** Values that mean something where a request is sent, by the name of the member that takes them. */
export type Hints = Readonly<Record<string, readonly unknown[]>>

/** Draws values that a schema allows, and texts of JSON that it refuses for one reason. */
export interface Drawn {
  sound(schema: Schema, name?: string): fc.Arbitrary<unknown>
  broken(schema: Schema, name?: string): fc.Arbitrary<string>
}

/** A text as long as this is beyond every limit but those of bodies, and cheap. */
const LONGEST = 3_000
const DEEP = 70

const typesOf = ({ type }: Schema): readonly string[] => (type === undefined ? [] : [type].flat())

const ofType: Readonly<Record<string, readonly string[]>> = {
  string: ['""', '"a"', '"\\u0000"', '"\\ud800"', '"__proto__"'],
  integer: ['0', '-1', '9007199254740993', '-0'],
  number: ['0.5', '1e21', '1e400', '-1e400'],
  boolean: ['true', 'false'],
  null: ['null'],
  array: ['[]', '[[]]', '[null]', `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`],
  object: ['{}', '{"a":1}', '{"__proto__":1}', `${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`],
}

const time = fc
  .date({ min: new Date('2025-12-31T00:00:00Z'), max: new Date('2026-01-02T00:00:00Z'), noInvalidDate: true })
  .map((date) => date.toISOString())

/** Builds the arbitraries of a document's schemas. `hints` make values that hit something likely. */
export function drawnFrom(document: Document, hints: Hints): Drawn {
  const resolve = (schema: Schema): Schema => {
    if (schema.$ref === undefined) return schema
    const [, , part, name] = schema.$ref.split('/') as [string, string, 'schemas', string]
    return resolve(document.components[part][name]!)
  }

  const sound = (given: Schema, name = ''): fc.Arbitrary<unknown> => {
    const schema = resolve(given)
    const hinted = hints[name]
    const any = unhinted(schema)
    return hinted === undefined ? any : fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...hinted) }, any)
  }

  const unhinted = (schema: Schema): fc.Arbitrary<unknown> => {
    if ('const' in schema) return fc.constant(schema.const)
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
    const alternatives = schema.oneOf ?? schema.anyOf
    if (alternatives !== undefined && schema.properties === undefined) {
      return fc.oneof(...alternatives.map((one) => sound(one)))
    }
    const types = typesOf(schema)
    if (types.length === 0) return fc.jsonValue({ maxDepth: 2 })
    return fc.oneof(...types.map((type) => soundOf(type, schema)))
  }

  const soundOf = (type: string, schema: Schema): fc.Arbitrary<unknown> => {
    switch (type) {
      case 'null':
        return fc.constant(null)
      case 'boolean':
        return fc.boolean()
      case 'integer': {
        const { minimum = -1_000, maximum = 1_000 } = schema
        const near = fc.integer({ min: minimum, max: Math.min(maximum, minimum + 20) })
        return fc.oneof({ weight: 4, arbitrary: near }, fc.constantFrom(minimum, maximum))
      }
      case 'number': {
        const { minimum = -1_000, maximum = 1_000 } = schema
        return fc.double({ min: minimum, max: maximum, noNaN: true })
      }
      case 'string':
        return soundText(schema)
      case 'array': {
        const { minItems = 0, maxItems = 1_000 } = schema
        return fc.array(sound(schema.items ?? {}), { minLength: minItems, maxLength: Math.min(maxItems, minItems + 3) })
      }
      default:
        return soundObject(schema)
    }
  }

  const soundText = ({ format, pattern, minLength = 0, maxLength = LONGEST }: Schema): fc.Arbitrary<string> => {
    if (format === 'date-time') return time
    const isShort = (text: string): boolean => text.length >= minLength && text.length <= maxLength
    if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern), { size: 'small' }).filter(isShort)
    const short = fc.string({ minLength, maxLength: Math.min(maxLength, minLength + 12) })
    return maxLength < LONGEST ? fc.oneof({ weight: 6, arbitrary: short }, fc.constant('x'.repeat(maxLength))) : short
  }

  const soundObject = (schema: Schema): fc.Arbitrary<Record<string, unknown>> => {
    const { properties = {}, required = [], additionalProperties, propertyNames } = schema
    const open = Object.entries(properties).filter(([, one]) => JSON.stringify(one.not) !== '{}')
    // Where one of several members has to be there, one is, so that what is drawn is seldom thrown away.
    const choices = (schema.oneOf ?? []).flatMap((one) => one.required ?? [])
    const drawn = (chosen: string | null) => {
      const members = open.filter(([name]) => !choices.includes(name) || name === chosen)
      return fc.record(Object.fromEntries(members.map(([name, one]) => [name, sound(one, name)])), {
        requiredKeys: members.map(([name]) => name).filter((name) => required.includes(name) || name === chosen),
        noNullPrototype: true,
      })
    }
    const own = (choices.length === 0 ? drawn(null) : fc.constantFrom(...choices).chain(drawn)).map((value) =>
      agreed(schema, value),
    )
    if (typeof additionalProperties !== 'object') {
      return schema.properties === undefined && additionalProperties !== false
        ? fc.dictionary(fc.string({ maxLength: 4 }), fc.jsonValue({ maxDepth: 1 }), {
            maxKeys: 3,
            noNullPrototype: true,
          })
        : own
    }
    const more = fc.dictionary(memberName(propertyNames), sound(additionalProperties), {
      minKeys: schema.minProperties ?? 0,
      maxKeys: 3,
      noNullPrototype: true,
    })
    return fc.tuple(more, own).map(([others, known]) => ({ ...others, ...known }))
  }

  const memberName = (names: Schema | undefined): fc.Arbitrary<string> => {
    if (names?.pattern === undefined) return fc.string({ maxLength: 6 })
    if (names.pattern.includes('(?')) return fc.constantFrom(...((hints.where ?? ['a']) as string[]))
    return fc.stringMatching(new RegExp(names.pattern), { size: 'xsmall' })
  }

  const broken = (given: Schema, name = ''): fc.Arbitrary<string> => {
    const schema = resolve(given)
    const alternatives = schema.oneOf ?? schema.anyOf
    if (alternatives !== undefined && schema.properties === undefined) {
      return fc.oneof(...alternatives.map((one) => broken(one, name)))
    }
    const types = typesOf(schema)
    const others = Object.keys(ofType).filter(
      (type) => !types.includes(type) && !(type === 'integer' && types.includes('number')),
    )
    const ways: fc.Arbitrary<string>[] = [fc.constantFrom(...others.flatMap((type) => ofType[type]!))]
    if (types.includes('integer') || types.includes('number')) ways.push(numberBeyond(schema))
    if (types.includes('string') || schema.enum !== undefined) ways.push(textBeyond(schema))
    if (types.includes('array')) ways.push(listBeyond(schema))
    if (types.includes('object')) ways.push(...objectsBeyond(schema))
    return fc.oneof(...ways)
  }

  const numberBeyond = ({ minimum = -1e21, maximum = 1e21 }: Schema): fc.Arbitrary<string> =>
    fc.constantFrom(`${minimum - 1}`, `${maximum + 1}`, '0.5', '1e400', '-1e400', '9007199254740993')

  const textBeyond = ({ minLength = 0, maxLength = LONGEST }: Schema): fc.Arbitrary<string> =>
    fc
      .constantFrom(
        '-',
        'a b',
        '\u0000',
        '\ud800',
        '../..',
        '2026-02-30T00:00:00Z',
        'é'.repeat(600),
        '\u{1f600}'.repeat(maxLength),
      )
      .map((text) => JSON.stringify(text))
      .chain((text) =>
        fc.constantFrom(text, `"${'x'.repeat(maxLength + 1)}"`, `"${'x'.repeat(Math.max(0, minLength - 1))}"`),
      )

  const listBeyond = ({ items = {}, minItems = 0, maxItems = LONGEST }: Schema): fc.Arbitrary<string> =>
    fc.oneof(
      fc.constant(`[${'0,'.repeat(maxItems)}0]`),
      fc.constant(minItems > 0 ? '[]' : '[null]'),
      fc
        .tuple(fc.array(sound(items), { maxLength: 2 }), broken(items), fc.array(sound(items), { maxLength: 2 }))
        .map(([before, wrong, after]) => `[${[...before.map(textOf), wrong, ...after.map(textOf)].join(',')}]`),
    )

  const objectsBeyond = (schema: Schema): fc.Arbitrary<string>[] => {
    const { properties = {}, required = [] } = schema
    const object = soundObject(schema)
    const names = Object.keys(properties)
    const with_ = (name: string, text: fc.Arbitrary<string>) =>
      fc.tuple(object, text).map(([value, text]) => withMember(value, name, text))
    const ways = [
      fc
        .tuple(object, fc.constantFrom('foo', '', '__proto__', 'constructor', 'toString'))
        .map(([value, name]) => withMember(value, name, '1')),
    ]
    if (required.length > 0) {
      ways.push(
        fc.tuple(object, fc.constantFrom(...required)).map(([value, name]) => {
          const { [name]: _, ...rest } = value
          return textOf(rest)
        }),
      )
    }
    if (names.length > 0) {
      const wrong = fc.constantFrom(...names).chain((name) => with_(name, broken(properties[name]!, name)))
      // Members that are sound, each by itself, but may not stand together.
      const too = fc.constantFrom(...names).chain((name) => with_(name, sound(properties[name]!, name).map(textOf)))
      ways.push(wrong, wrong, wrong, too)
    }
    if (typeof schema.additionalProperties === 'object') {
      ways.push(
        fc
          .tuple(object, memberName(schema.propertyNames), broken(schema.additionalProperties))
          .map(([value, name, text]) => withMember(value, name, text)),
      )
    }
    return ways
  }

  return { sound, broken }
}

/** An object without the members that may not stand beside its others. */
function agreed({ dependentSchemas = {} }: Schema, object: Record<string, unknown>): Record<string, unknown> {
  const value = { ...object }
  for (const [name, { properties = {} }] of Object.entries(dependentSchemas)) {
    for (const [other, asked] of Object.entries(properties)) {
      if (!(name in value) || !(other in value)) continue
      if (asked.not !== undefined) delete value[other]
      else if (!meets(value[other], asked)) delete value[name]
    }
  }
  return value
}

const meets = (value: unknown, { const: only, enum: some, type }: Schema): boolean =>
  value === only || some?.includes(value) === true || (type === 'integer' && Number.isInteger(value))

const textOf = (value: unknown): string => JSON.stringify(value) ?? 'null'

/** An object as text, with one more member; where it has that already, the last one counts. */
function withMember(object: Record<string, unknown>, name: string, text: string): string {
  const members = Object.entries(object).map(([name, value]) => `${JSON.stringify(name)}:${textOf(value)}`)
  return `{${[...members, `${JSON.stringify(name)}:${text}`].join(',')}}`
}
