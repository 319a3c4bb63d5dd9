import { failed, failure, ok, type Result } from '../failure.ts'
import { equalJson, faultOf, isObject, type Json } from '../json.ts'
import { limits } from '../limits.ts'
import { formatTime, parseTime } from '../time.ts'
import { type Field, parseField, type Subject, valueAt } from './field.ts'

/** One operator of one field. All conditions of a query hold together. */
export type Condition = { readonly field: Field } & (
  | { readonly operator: 'eq' | 'ne'; readonly operand: Json }
  | { readonly operator: 'in'; readonly operand: readonly Json[] }
  | { readonly operator: 'gt' | 'gte' | 'lt' | 'lte'; readonly operand: string | number }
  | { readonly operator: 'prefix'; readonly operand: string }
  | { readonly operator: 'exists'; readonly operand: boolean }
)

const invalid = (field: string, detail: string) => failed(failure('invalid_query', `${field}: ${detail}`, { field }))

/** What is beyond a limit is a fault of the request, not of the query's language. */
const beyond = (field: string, detail: string) => failed(failure('invalid_request', `${field}: ${detail}`, { field }))

const tooDeep = `nests deeper than ${limits.nesting} levels`
const notFinite = 'holds a number beyond the range of an IEEE double'

/** Reads `where` (S6.3): a plain value is equality, an object a set of operators. */
export function parseConditions(where: unknown): Result<Condition[]> {
  if (!isObject(where)) return invalid('where', 'must be an object')
  const entries = Object.entries(where)
  if (entries.length > limits.whereConditions)
    return beyond('where', `has more than ${limits.whereConditions} conditions`)
  const conditions: Condition[] = []
  for (const [name, value] of entries) {
    const path = `where.${name}`
    const field = parseField(name)
    if (field === 'too deep') return beyond(path, `goes deeper than ${limits.pathDepth}`)
    if (field === null) return invalid(path, 'names no field of an event')
    const operators = isObject(value) ? Object.entries(value) : ([['eq', value]] as const)
    if (operators.length === 0) return invalid(path, 'names no operator')
    for (const [operator, operand] of operators) {
      const fault = faultOf(operand, limits.nesting)
      if (fault !== null) return beyond(`${path}.${operator}`, fault === 'too deep' ? tooDeep : notFinite)
      if (operator === 'in' && Array.isArray(operand) && operand.length > limits.inOperands) {
        return beyond(`${path}.in`, `has more than ${limits.inOperands} values`)
      }
      const condition = parseOperator(field, operator, operand)
      if (typeof condition === 'string') return invalid(isObject(value) ? `${path}.${operator}` : path, condition)
      conditions.push(condition)
    }
  }
  return ok(conditions)
}

/** The condition, or what is wrong with it. */
function parseOperator(field: Field, operator: string, given: Json): Condition | string {
  const operand = field.of === 'event' && field.name === 'timestamp' ? asTimestamp(given) : given
  switch (operator) {
    case 'eq':
    case 'ne':
      return { field, operator, operand }
    case 'in':
      if (!Array.isArray(operand)) return 'must be an array'
      return { field, operator, operand }
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      if (typeof operand !== 'number' && typeof operand !== 'string') return 'must be a number or a string'
      return { field, operator, operand }
    case 'prefix':
      return typeof given === 'string' ? { field, operator, operand: given } : 'must be a string'
    case 'exists':
      return typeof given === 'boolean' ? { field, operator, operand: given } : 'must be true or false'
    default:
      return 'is no operator; there are eq, ne, in, gt, gte, lt, lte, prefix and exists'
  }
}

/** Timestamps are compared in the form that events show, whatever the offset and the digits of the operand. */
function asTimestamp(operand: Json): Json {
  if (Array.isArray(operand)) return operand.map(asTimestamp)
  const timeMs = typeof operand === 'string' ? parseTime(operand) : null
  return timeMs === null ? operand : formatTime(timeMs)
}

/** Whether an event fulfils all conditions. */
export const matches = (subject: Subject, conditions: readonly Condition[]): boolean =>
  conditions.every((condition) => holds(valueAt(subject, condition.field), condition))

function holds(value: Json | undefined, condition: Condition): boolean {
  switch (condition.operator) {
    case 'eq':
      return value !== undefined && equalJson(value, condition.operand)
    case 'ne':
      return value === undefined || !equalJson(value, condition.operand)
    case 'in':
      return value !== undefined && condition.operand.some((operand) => equalJson(value, operand))
    case 'exists':
      return (value !== undefined) === condition.operand
    case 'prefix':
      return typeof value === 'string' && value.startsWith(condition.operand)
    default: {
      const order = compare(value, condition.operand)
      if (order === null) return false
      if (condition.operator === 'gt') return order > 0
      if (condition.operator === 'gte') return order >= 0
      return condition.operator === 'lt' ? order < 0 : order <= 0
    }
  }
}

/** Numbers with numbers, strings by code point; null for anything else. */
function compare(a: Json | undefined, b: string | number): number | null {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a === 'string' && typeof b === 'string') return compareCodePoints(a, b)
  return null
}

/**
 * UTF-16 order is code point order but for surrogates, which stand for code points above all others: at the first
 * difference they are lifted over the units from U+E000 on.
 */
function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const left = a.charCodeAt(at)
    const right = b.charCodeAt(at)
    if (left !== right) return lifted(left) - lifted(right)
  }
  return a.length - b.length
}

const lifted = (unit: number): number => (unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit)
