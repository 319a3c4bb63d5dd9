/** A JSON Schema of the 2020-12 draft, as OpenAPI 3.1 takes it; only the keywords that are used here. */
export interface Schema {
  readonly $ref?: string
  readonly description?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly items?: Schema
  readonly minItems?: number
  readonly maxItems?: number
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly propertyNames?: Schema
  readonly minProperties?: number
  readonly maxProperties?: number
  readonly oneOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly not?: Schema
  readonly dependentSchemas?: Readonly<Record<string, Schema>>
}

/** A schema with words about it. */
export const say = (schema: Schema, description: string): Schema => ({ ...schema, description })

/** A schema among the components. */
export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })

/** An object of an answer; all of its members are there but those named optional. */
export const answer = (properties: Readonly<Record<string, Schema>>, optional: readonly string[] = []): Schema => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
})

export const listOf = (items: Schema): Schema => ({ type: 'array', items })

/** A schema or null. */
export function orNull(schema: Schema): Schema {
  if (typeof schema.type === 'string') {
    return { ...schema, type: [schema.type, 'null'], ...(schema.enum ? { enum: [...schema.enum, null] } : {}) }
  }
  return { anyOf: [schema, { type: 'null' }] }
}

/** Refuses an object that has two of some members, which stand for each other. */
export const atMostOne = (...names: readonly string[]): Schema => ({
  dependentSchemas: Object.fromEntries(names.slice(0, -1).map((name, at) => [name, without(names.slice(at + 1))])),
})

/** No value at all. */
const NOTHING: Schema = { not: {} }

const without = (names: readonly string[]): Schema => ({
  properties: Object.fromEntries(names.map((name) => [name, NOTHING])),
})

/** Members that are described in words: a text, or a text and the schema that says more than the check does. */
export type Words = Readonly<Record<string, string | readonly [description: string, schema: Schema]>>

/**
 * Puts words to the members of an object. A member without words, and words without a member, are faults: what callers
 * are told goes with what is checked.
 */
export function described(schema: Schema, words: Words, where = 'a body'): Schema {
  const members = schema.properties ?? {}
  const missing = Object.keys(members).filter((name) => !Object.hasOwn(words, name))
  const stale = Object.keys(words).filter((name) => !Object.hasOwn(members, name))
  if (missing.length > 0) throw new Error(`${where}: nothing is said of ${missing.join(', ')}`)
  if (stale.length > 0) throw new Error(`${where}: there is no ${stale.join(', ')} any more`)
  const properties = Object.entries(words).map(([name, said]) => {
    if (typeof said === 'string') return [name, say(members[name]!, said)] as const
    const otherwise = members[name]!.default
    return [name, { ...say(said[1], said[0]), ...(otherwise === undefined ? {} : { default: otherwise }) }] as const
  })
  return { ...schema, properties: Object.fromEntries(properties) }
}
