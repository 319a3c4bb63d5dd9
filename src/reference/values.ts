import type { Cause, DeliveryState } from '../core/delivery.ts'
import { transitions } from '../core/delivery.ts'
import { limits } from '../core/limits.ts'
import { NAME } from '../core/name.ts'
import { lineageNames } from '../core/query/field.ts'
import { type Schema, say } from './schema.ts'

/* Values that appear in many places. */

export const name: Schema = { type: 'string', minLength: 1, maxLength: limits.nameLength, pattern: NAME.source }
export const text: Schema = { type: 'string' }
export const flag: Schema = { type: 'boolean' }
export const time: Schema = { type: 'string', format: 'date-time' }
export const count: Schema = { type: 'integer', minimum: 0 }
export const partition: Schema = { type: 'integer', minimum: 0, maximum: limits.partitions - 1 }
/** From 1; 0 stands before the first event. */
export const sequence: Schema = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }
export const anObject: Schema = { type: 'object' }
export const token: Schema = { type: 'string', maxLength: limits.leaseIdLength }
export const state: Schema = { type: 'string', enum: Object.keys(transitions) satisfies string[] as DeliveryState[] }
export const cause: Schema = {
  type: 'string',
  enum: ['rejected', 'max_attempts', 'lease_expired'] satisfies Cause[],
}
export const cursor: Schema = { type: ['string', 'null'] }

/** An object with a member for each partition: "0", "1"… */
export const byPartition = (value: Schema): Schema => ({
  type: 'object',
  propertyNames: { pattern: '^(0|[1-9]\\d{0,2})$' },
  additionalProperties: value,
})

/** A sequence for all partitions, or one for each. */
export const sequences: Schema = { oneOf: [sequence, byPartition(sequence)] }

const operand: Schema = { type: ['number', 'string'] }

const operators: Schema = {
  type: 'object',
  properties: {
    eq: say({}, 'Equal, as JSON values are: 1 is not "1".'),
    ne: say({}, 'Not equal, or not there.'),
    in: say({ type: 'array', items: {}, maxItems: limits.inOperands }, 'Equal to one of these.'),
    gt: say(operand, 'Greater than: numbers with numbers, strings by code point.'),
    gte: say(operand, 'Greater than or equal.'),
    lt: say(operand, 'Less than.'),
    lte: say(operand, 'Less than or equal.'),
    prefix: say(text, 'A string that begins so.'),
    exists: say(flag, 'Whether the field is there; null is there.'),
  },
  additionalProperties: false,
  minProperties: 1,
}

/** Conditions of a search, all of which must hold. */
export const where: Schema = {
  type: 'object',
  maxProperties: limits.whereConditions,
  propertyNames: { pattern: '^((?!event\\.)[\\s\\S]*|event\\.(id|sequence|partition|type|key|timestamp))$' },
  additionalProperties: {
    anyOf: [
      { type: ['null', 'boolean', 'number', 'string'] },
      { type: 'array', items: {} },
      { ...operators, description: 'Operators that must all hold.' },
    ],
  },
  description: `Conditions by field, all of which must hold. A bare name is \`type\`, \`key\` or \`partition\`, one of ${lineageNames
    .map((one) => `\`${one}\``)
    .join(
      ', ',
    )} in the metadata, or else a top-level field of the payload; paths begin with \`event.\`, \`payload.\` or \`metadata.\`. A plain value means equality.`,
}
