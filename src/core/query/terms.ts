import type { Json, JsonObject } from '../json.ts'
import { isObject } from '../json.ts'
import type { Condition } from './condition.ts'
import { type Field, lineageNames } from './field.ts'

/*
 * A term is the 32-bit hash of a field and one scalar value of it. Events have terms for type, key, the lineage names
 * and the scalars at the top of their payload; filters over terms let a search skip what cannot match.
 */

/** Longer values count by this much of their beginning, and by their length. */
const VALUE_CHARACTERS = 256

type Scalar = string | number | boolean | null

const isScalar = (value: Json | undefined): value is Scalar =>
  value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

/** FNV-1a goes on from a sum, so that the parts of a term need not be put together first. */
function mixed(sum: number, text: string, length = text.length): number {
  let mix = sum
  for (let at = 0; at < length; at++) mix = Math.imul(mix ^ text.charCodeAt(at), 0x01000193)
  return mix
}

const EMPTY = 0x811c9dc5
const TYPE = mixed(EMPTY, 'event.type')
const KEY = mixed(EMPTY, 'event.key')
const PAYLOAD = mixed(EMPTY, 'payload.')
const LINEAGE = new Map<string, number>(lineageNames.map((name) => [name, mixed(EMPTY, `metadata.${name}`)]))

/** The hash of a field, given as the sum of its name, and a value. */
function hash(field: number, value: Scalar): number {
  let sum = Math.imul(field ^ 0xffff, 0x01000193)
  if (typeof value === 'string') {
    sum = mixed(mixed(sum, '"'), value, Math.min(value.length, VALUE_CHARACTERS))
    sum = mixed(sum, String(value.length))
  } else {
    sum = mixed(sum, String(value))
  }
  // FNV leaves neighbours close together; the finish of MurmurHash3 spreads them.
  sum = Math.imul(sum ^ (sum >>> 16), 0x85ebca6b)
  sum = Math.imul(sum ^ (sum >>> 13), 0xc2b2ae35)
  return (sum ^ (sum >>> 16)) >>> 0
}

/** The terms of an event. */
export function termsOf(type: string | null, key: string | null, payload: JsonObject, metadata: JsonObject): number[] {
  const terms = [hash(TYPE, type), hash(KEY, key)]
  for (const name of Object.keys(metadata)) {
    const field = LINEAGE.get(name)
    const value = metadata[name]
    if (field !== undefined && isScalar(value)) terms.push(hash(field, value))
  }
  for (const name of Object.keys(payload)) {
    const value = payload[name]
    if (isScalar(value)) terms.push(hash(mixed(PAYLOAD, name), value))
  }
  return terms
}

/** The terms of an event that is stored as a line. */
export function termsOfLine(line: string): number[] {
  const { type, key, payload, metadata } = JSON.parse(line) as {
    type: string | null
    key: string | null
    payload: JsonObject
    metadata: JsonObject
  }
  return termsOf(type, key, payload, metadata)
}

/** The name under which a field has terms; null when it has none. */
function termName(field: Field): string | null {
  if (field.of === 'event') return field.name === 'type' || field.name === 'key' ? `event.${field.name}` : null
  const [name] = field.path
  if (field.path.length !== 1) return null
  if (field.of === 'payload') return `payload.${name}`
  return (lineageNames as readonly string[]).includes(name!) ? `metadata.${name}` : null
}

/** The values of which a matching event must have one; null when any may do. */
function valuesWanted(condition: Condition): readonly Json[] | null {
  if (condition.operator === 'eq') return [condition.operand]
  return condition.operator === 'in' ? condition.operand : null
}

/** For each condition that filters can answer, the terms of which a matching event has at least one. */
export function termsNeeded(conditions: readonly Condition[]): number[][] {
  return conditions.flatMap((condition) => {
    const name = termName(condition.field)
    const wanted = valuesWanted(condition)
    if (name === null || wanted === null) return []
    const field = mixed(EMPTY, name)
    return wanted.every(isScalar) ? [wanted.map((value) => hash(field, value))] : []
  })
}

/**
 * For each equality of a scalar, a text that the line of every matching event holds. Sound because lines are written
 * by JSON.stringify and nobody else.
 */
export function textsNeeded(conditions: readonly Condition[]): string[] {
  return conditions.flatMap(({ field, operator, operand }) => {
    if (operator !== 'eq' || isObject(operand) || Array.isArray(operand)) return []
    if (field.of === 'event') {
      return field.name === 'type' || field.name === 'key' ? [`"${field.name}":${JSON.stringify(operand)}`] : []
    }
    const name = field.path.at(-1)!
    // A digit may be an index of an array, which has no name in the text.
    return /^\d+$/.test(name) ? [] : [`${JSON.stringify(name)}:${JSON.stringify(operand)}`]
  })
}
