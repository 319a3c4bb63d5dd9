import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { equalJson, type Json } from '../../src/core/json.ts'
import { matches, parseConditions } from '../../src/core/query/condition.ts'
import type { Subject } from '../../src/core/query/field.ts'
import { buildFilter, mayHold } from '../../src/core/query/filter.ts'
import { termsNeeded, termsOf, textsNeeded } from '../../src/core/query/terms.ts'

const scalar = fc.oneof(
  fc.constantFrom<Json>(null, true, false, 0, 1, -1, 1.5, '', '1', 'a', 'ab', 'b', '\u{1f600}', '\uffee'),
  fc.integer({ min: -3, max: 3 }),
  fc.string({ maxLength: 3 }),
)
const value: fc.Arbitrary<Json> = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 2 }),
  fc.dictionary(fc.constantFrom('x', 'y'), scalar),
)
const name = fc.constantFrom('a', 'b', '__proto__', 'constructor', '', 'a.b')
const payload = fc
  .dictionary(name, value, { maxKeys: 4 })
  .map((members) => JSON.parse(JSON.stringify(members)) as { [name: string]: Json })
const operator = fc.constantFrom('eq', 'ne', 'in', 'gt', 'gte', 'lt', 'lte', 'prefix', 'exists')

/** By code point, as a list of them. */
function order(a: string | number, b: string | number): number {
  if (typeof a === 'number') return a - (b as number)
  const left = [...a].map((one) => one.codePointAt(0)!)
  const right = [...(b as string)].map((one) => one.codePointAt(0)!)
  const at = left.findIndex((point, index) => point !== right[index])
  return at === -1 ? left.length - right.length : left[at]! - (right[at] ?? -1)
}

/** What S6.3 says, one operator a line. */
function naive(found: Json | undefined, operator: string, operand: Json): boolean {
  const isComparable = typeof found === typeof operand && (typeof found === 'number' || typeof found === 'string')
  const by = isComparable ? order(found, operand as string | number) : Number.NaN
  switch (operator) {
    case 'eq':
      return found !== undefined && equalJson(found, operand)
    case 'ne':
      return found === undefined || !equalJson(found, operand)
    case 'in':
      return found !== undefined && (operand as Json[]).some((one) => equalJson(found, one))
    case 'gt':
      return by > 0
    case 'gte':
      return by >= 0
    case 'lt':
      return by < 0
    case 'lte':
      return by <= 0
    case 'prefix':
      return typeof found === 'string' && found.startsWith(operand as string)
    default:
      return (found !== undefined) === operand
  }
}

const operandFor = (operator: string): fc.Arbitrary<Json> => {
  if (operator === 'in') return fc.array(value, { maxLength: 3 })
  if (operator === 'prefix') return fc.string({ maxLength: 2 })
  if (operator === 'exists') return fc.boolean()
  if (operator === 'eq' || operator === 'ne') return value
  return scalar.filter((one) => typeof one === 'number' || typeof one === 'string')
}

const condition = fc
  .record({ name, operator })
  .chain(({ name, operator }) => operandFor(operator).map((operand) => ({ name, operator, operand })))

const subject = (payload: Json): Subject => ({
  id: 'e',
  sequence: 1,
  partition: 0,
  type: 't',
  key: null,
  timestamp: '2026-03-15T12:00:00.000Z',
  payload,
  metadata: {},
})

describe('S6.3 conditions', () => {
  it('hold where the naive reading of the rule holds', () => {
    fc.assert(
      fc.property(payload, condition, (payload, { name, operator, operand }) => {
        const where = JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify({ [operator]: operand })}}`)
        const parsed = parseConditions(where)
        if (!parsed.ok) throw new Error(parsed.failure.detail)
        const found = Object.hasOwn(payload, name) ? payload[name] : undefined
        expect(matches(subject(payload), parsed.value)).toBe(naive(found, operator, operand))
      }),
      { numRuns: 5_000 },
    )
  })

  it('are never answered by a filter or a text that says no where the event matches', () => {
    fc.assert(
      fc.property(payload, fc.array(condition, { maxLength: 3 }), (payload, conditions) => {
        const members = conditions.map(
          ({ name, operator, operand }) => `${JSON.stringify(name)}:${JSON.stringify({ [operator]: operand })}`,
        )
        const parsed = parseConditions(JSON.parse(`{${members.join(',')}}`))
        if (!parsed.ok || !matches(subject(payload), parsed.value)) return
        const filter = buildFilter(Uint32Array.from(termsOf('t', null, payload, {})))
        for (const anyOf of termsNeeded(parsed.value)) expect(anyOf.some((term) => mayHold(filter, term))).toBe(true)
        const line = JSON.stringify({ type: 't', key: null, payload, metadata: {} })
        for (const text of textsNeeded(parsed.value)) expect(line).toContain(text)
      }),
      { numRuns: 5_000 },
    )
  })
})
