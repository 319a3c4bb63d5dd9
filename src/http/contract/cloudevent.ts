import { ok, type Result } from '../../core/failure.ts'
import { isObject, type Json, type JsonObject } from '../../core/json.ts'
import { invalidRequest } from './check.ts'

/** Attributes that have a name of their own among the metadata. */
const lineage: ReadonlyMap<string, string> = new Map([
  ['correlationid', 'correlation_id'],
  ['causationid', 'causation_id'],
  ['schemaversion', 'schema_version'],
  ['dataschema', 'schema'],
])

const REQUIRED = ['id', 'source', 'type'] as const
const ATTRIBUTE = /^[a-z0-9]+$/
const JSON_TYPE = /^application\/(?:[^;\s]+\+)?json\s*(?:;|$)/i

/**
 * A CloudEvent 1.0 in its JSON form as an event of ours: `subject` is the key, `data` the payload, `time` the
 * timestamp, and what is left, `source` too, becomes metadata. An attribute that is null counts as absent.
 */
export function fromCloudEvent(input: unknown, path: string): Result<JsonObject> {
  if (!isObject(input)) return invalidRequest(path.replace(/\.$/, '') || 'body', 'must be a CloudEvent')
  if (input.specversion !== '1.0') return invalidRequest(`${path}specversion`, 'must be "1.0"')
  for (const name of REQUIRED) {
    const value = input[name]
    if (typeof value !== 'string' || value === '')
      return invalidRequest(`${path}${name}`, 'must be a string that is not empty')
  }
  const event: JsonObject = {}
  const metadata: JsonObject = {}
  for (const [name, value] of Object.entries(input)) {
    if (name === 'data_base64')
      return invalidRequest(path + name, 'binary data cannot be taken; data must be an object')
    if (!ATTRIBUTE.test(name))
      return invalidRequest(path + name, 'is no name of an attribute: lower-case letters and digits')
    if (value === null) continue
    const fault = place(event, metadata, name, value)
    if (fault !== null) return invalidRequest(path + name, fault)
  }
  metadata.producer = input.source as string
  return ok({ ...event, metadata })
}

/** Puts one attribute where it belongs; gives what is wrong with it, or null. */
function place(event: JsonObject, metadata: JsonObject, name: string, value: Json): string | null {
  if (name === 'data') {
    if (!isObject(value)) return 'must be an object'
    event.payload = value
    return null
  }
  if (Array.isArray(value) || isObject(value)) return 'must be a string, a number or a boolean'
  if (name === 'datacontenttype' && !(typeof value === 'string' && JSON_TYPE.test(value))) return 'must be a JSON type'
  if (name === 'subject') {
    if (typeof value !== 'string') return 'must be a string'
    event.key = value
  } else if (name === 'time') event.timestamp = value
  else if (name === 'id' || name === 'type') event[name] = value
  else metadata[lineage.get(name) ?? name] = value
  return null
}
