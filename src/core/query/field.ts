import type { Json } from '../json.ts'
import { isObject } from '../json.ts'
import { limits } from '../limits.ts'

/** An event as conditions see it. */
export interface Subject {
  readonly id: string
  readonly sequence: number
  readonly partition: number
  readonly type: string | null
  readonly key: string | null
  /** RFC 3339 in UTC with milliseconds. */
  readonly timestamp: string
  readonly payload: Json
  readonly metadata: Json
}

export const lineageNames = ['correlation_id', 'causation_id', 'producer', 'schema', 'schema_version'] as const
const eventFields = ['id', 'sequence', 'partition', 'type', 'key', 'timestamp'] as const
type EventField = (typeof eventFields)[number]

/** What a condition looks at (S6.2): a field of the event, or a path into its payload or metadata. */
export type Field =
  | { readonly of: 'event'; readonly name: EventField }
  | { readonly of: 'payload' | 'metadata'; readonly path: readonly string[] }

/** Reads a bare name or a path; null when it names nothing that an event can have. */
export function parseField(name: string): Field | 'too deep' | null {
  if (name === 'type' || name === 'key' || name === 'partition') return { of: 'event', name }
  if ((lineageNames as readonly string[]).includes(name)) return { of: 'metadata', path: [name] }
  const [head, ...path] = name.split('.')
  if (path.length === 0 || (head !== 'event' && head !== 'payload' && head !== 'metadata')) {
    return { of: 'payload', path: [name] }
  }
  if (path.length > limits.pathDepth) return 'too deep'
  if (head !== 'event') return { of: head, path }
  const field = eventFields.find((known) => known === path.join('.'))
  return field === undefined ? null : { of: 'event', name: field }
}

/** The value of a field; undefined when the event has none. */
export function valueAt(subject: Subject, field: Field): Json | undefined {
  if (field.of === 'event') return subject[field.name]
  let value: Json | undefined = subject[field.of]
  for (const segment of field.path) {
    if (Array.isArray(value)) value = /^(0|[1-9]\d*)$/.test(segment) ? value[Number(segment)] : undefined
    else if (isObject(value) && Object.hasOwn(value, segment)) value = value[segment]
    else return undefined
  }
  return value
}
