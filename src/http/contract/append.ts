import { type NewEvent, parseEvent } from '../../core/event.ts'
import { failed, failure, ok, type Result } from '../../core/failure.ts'
import { isObject } from '../../core/json.ts'
import { limits } from '../../core/limits.ts'
import { type MediaType, mediaTypeOf, parseJson, readText } from '../body.ts'
import type { Call } from '../call.ts'
import { check, invalidRequest } from './check.ts'
import { fromCloudEvent } from './cloudevent.ts'
import { sequence } from './values.ts'

/** Events to be appended, each checked. */
export interface AppendRequest {
  /** Whether the body was an event, or held many. */
  readonly form: 'one' | 'many'
  readonly events: readonly NewEvent[]
  readonly expectedSequence: number | null
  readonly idempotencyKey: string | null
}

type Body = Omit<AppendRequest, 'idempotencyKey'>

/** The place of an event in a failure: `events[3].` in a batch, nothing when it is the body. */
export const pathOfEvent = (form: AppendRequest['form'], index: number): string =>
  form === 'one' ? '' : `events[${index}].`

/** Reads and checks an append, the events of which core checks: Valibot would drop members such as `__proto__`. */
export async function readAppend(request: Request, call: Pick<Call, 'takeBody'>): Promise<Result<AppendRequest>> {
  const key = idempotencyKeyOf(request)
  if (!key.ok) return key
  const type = mediaTypeOf(request, Object.keys(readers) as (keyof typeof readers)[])
  if (!type.ok) return type
  const read = await readText(request)
  if (!read.ok) return read
  if (!call.takeBody(read.value.bytes)) return failed(noRoom)
  const body = readers[type.value](read.value.text)
  return body.ok ? ok({ ...body.value, idempotencyKey: key.value }) : body
}

const noRoom = failure('overloaded', 'as many large bodies are being worked on as there is room for', {})

/** How a body of each media type is read. */
const readers = {
  'application/json': bodyOf,
  'application/x-ndjson': linesOf,
  'application/cloudevents+json': cloudEventOf,
  'application/cloudevents-batch+json': cloudEventsOf,
} as const satisfies Partial<Record<MediaType, (text: string) => Result<Body>>>

function idempotencyKeyOf(request: Request): Result<string | null> {
  const key = request.headers.get('Idempotency-Key')
  if (key === null) return ok(null)
  const rule = `must be 1 to ${limits.idempotencyKeyLength} printable ASCII characters`
  const isKey = key.length <= limits.idempotencyKeyLength && /^[\x20-\x7e]+$/.test(key)
  return isKey ? ok(key) : invalidRequest('Idempotency-Key', rule)
}

function bodyOf(text: string): Result<Body> {
  const json = parseJson(text, 'body')
  if (!json.ok) return json
  const input = json.value
  if (!isObject(input)) return invalidRequest('body', 'must be an object')
  const { expectedSequence, ...event } = input
  let expected: number | null = null
  if (expectedSequence !== undefined) {
    const checked = check(sequence, expectedSequence)
    if (!checked.ok) return invalidRequest('expectedSequence', 'must be a sequence, or 0 for none')
    expected = checked.value
  }
  if (!Object.hasOwn(event, 'events')) return eventsOf('one', [event], expected)
  const { events, ...others } = event
  for (const name of Object.keys(others)) return invalidRequest(name, 'is not known beside events')
  if (!Array.isArray(events)) return invalidRequest('events', 'must be a list')
  if (events.length > limits.batchEvents) return tooMany
  return eventsOf('many', events, expected)
}

const tooMany = invalidRequest('events', `must be at most ${limits.batchEvents}`)

function eventsOf(form: Body['form'], inputs: readonly unknown[], expectedSequence: number | null): Result<Body> {
  const events: NewEvent[] = []
  for (const [index, input] of inputs.entries()) {
    const event = parseEvent(input, pathOfEvent(form, index))
    if (!event.ok) return event
    events.push(event.value)
  }
  return ok({ form, events, expectedSequence })
}

/** One event a line; empty lines are none. Cut line by line, as a body could hold millions of them. */
function linesOf(text: string): Result<Body> {
  const inputs: unknown[] = []
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start)
    const line = text.slice(start, end === -1 ? text.length : end).trim()
    start = end === -1 ? text.length : end + 1
    if (line === '') continue
    if (inputs.length === limits.batchEvents) return tooMany
    const json = parseJson(line, `events[${inputs.length}]`)
    if (!json.ok) return json
    inputs.push(json.value)
  }
  return eventsOf('many', inputs, null)
}

function cloudEventOf(text: string): Result<Body> {
  const json = parseJson(text, 'body')
  if (!json.ok) return json
  const event = fromCloudEvent(json.value, '')
  return event.ok ? eventsOf('one', [event.value], null) : event
}

function cloudEventsOf(text: string): Result<Body> {
  const json = parseJson(text, 'body')
  if (!json.ok) return json
  if (!Array.isArray(json.value)) return invalidRequest('body', 'must be a list of CloudEvents')
  if (json.value.length > limits.batchEvents) return tooMany
  const inputs: unknown[] = []
  for (const [index, input] of json.value.entries()) {
    const event = fromCloudEvent(input, pathOfEvent('many', index))
    if (!event.ok) return event
    inputs.push(event.value)
  }
  return eventsOf('many', inputs, null)
}
