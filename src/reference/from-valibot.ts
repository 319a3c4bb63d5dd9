import { limits } from '../core/limits.ts'
import { partition, time } from '../http/contract/values.ts'
import type { Schema } from './schema.ts'

/** A part of a Valibot schema, as far as it tells of itself. */
interface Part {
  readonly kind: 'schema' | 'validation' | 'transformation' | 'metadata'
  readonly type: string
  readonly pipe?: readonly Part[]
  readonly message?: unknown
  readonly requirement?: unknown
  readonly wrapped?: Part
  readonly default?: unknown
  readonly options?: readonly unknown[]
  readonly literal?: unknown
  readonly item?: Part
  readonly entries?: Readonly<Record<string, Part>>
}

/** What the contract checks, as JSON Schema. What it does not know is a fault: nothing is left out in silence. */
export function fromValibot(checked: object): Schema {
  if (checked === time) return { type: 'string', format: 'date-time' }
  // Whether there is such a partition is known with the stream; beyond these there is none in any.
  if (checked === partition) return { type: 'integer', minimum: 0, maximum: limits.partitions - 1 }
  const part = checked as Part
  const [first, ...rest] = part.pipe ?? [part]
  const isText = first?.type === 'string' && rest.some(({ kind }) => kind === 'transformation')
  const inner = rest.findLast(({ kind }) => kind === 'schema')
  // A parameter is text that becomes a number: what counts is what is asked of the number.
  if (isText && inner !== undefined) return fromValibot(inner)
  if (first?.type === 'custom' && inner !== undefined) return { ...fromValibot(inner), ...boundsOf(first, inner) }
  return Object.assign(fromSchema(first!), ...rest.map(fromAction))
}

function fromSchema(part: Part): Schema {
  switch (part.type) {
    case 'string':
    case 'number':
    case 'boolean':
      return { type: part.type }
    case 'unknown':
      return {}
    case 'literal':
      return { const: part.literal }
    case 'picklist':
      return { type: 'string', enum: part.options! }
    case 'array':
      return { type: 'array', items: fromValibot(part.item!) }
    case 'nullable': {
      const schema = fromValibot(part.wrapped!)
      return typeof schema.type === 'string' ? { ...schema, type: [schema.type, 'null'] } : schema
    }
    case 'optional': {
      const schema = fromValibot(part.wrapped!)
      if (part.default === undefined) return schema
      return { ...schema, default: schema.type === 'integer' ? Number(part.default) : part.default }
    }
    case 'strict_object': {
      const entries = Object.entries(part.entries!)
      const required = entries.filter(([, entry]) => entry.type !== 'optional').map(([name]) => name)
      return {
        type: 'object',
        properties: Object.fromEntries(entries.map(([name, entry]) => [name, fromValibot(entry)])),
        ...(required.length > 0 ? { required } : {}),
        additionalProperties: false,
      }
    }
    default:
      throw new Error(`no schema is known for ${part.type}`)
  }
}

function fromAction({ type, requirement }: Part): Schema {
  switch (type) {
    case 'safe_integer':
      return { type: 'integer' }
    case 'min_value':
      return { minimum: requirement as number }
    case 'max_value':
      return { maximum: requirement as number }
    case 'min_length':
      return { minLength: requirement as number }
    case 'max_length':
      return { maxLength: requirement as number }
    // Lone surrogates, which no JSON Schema can tell.
    case 'check':
      return {}
    default:
      throw new Error(`no keyword is known for ${type}`)
  }
}

/** A list checks its length by hand, ahead of its items; its rule says the bounds. */
function boundsOf({ message }: Part, { type }: Part): Schema {
  if (type !== 'array') return {}
  const [, min, max] = /^must be a list of (\d+) to (\d+)$/.exec(String(message)) ?? []
  if (min === undefined || max === undefined) throw new Error(`no bounds are told by: ${message}`)
  return { minItems: Number(min), maxItems: Number(max) }
}
