import { type Failure, failed, failure, ok, type Result } from './failure.ts'
import { equalJson, exceedsBytes, faultOf, hasLoneSurrogate, isObject, type Json } from './json.ts'
import { limits } from './limits.ts'
import { termsOf } from './query/terms.ts'
import { formatTime, parseTime } from './time.ts'

/**
 * An event as a producer hands it in, checked and written down once.
 *
 * `line` is its canonical JSON: `{["timestamp":…,]["id":…,]"type":…,"key":…,"payload":…,"metadata":…}`. Only what the
 * producer chose is in it; sequence, generated id and default timestamp follow from where the line stands.
 */
export interface NewEvent {
  readonly line: string
  readonly id: string | null
  readonly key: string | null
  readonly partition: number | null
  readonly timestampMs: number | null
  /** What searches find it by (see query/terms.ts). */
  readonly terms: readonly number[]
}

/** Where a line stands in the log; the rest of the event follows from it. */
export interface Place {
  readonly stream: string
  readonly partition: number
  readonly sequence: number
  /** The id it has if its producer chose none. */
  readonly generatedId: string
  /** The timestamp it has if its producer gave none. */
  readonly at: string
}

const MEMBERS = new Set(['type', 'key', 'payload', 'metadata', 'id', 'timestamp', 'partition'])
const CONTROL = /\p{Cc}/u

const invalid = (field: string, detail: string): { ok: false; failure: Failure } =>
  failed(failure('invalid_request', `${field}: ${detail}`, { field }))

/** Checks one event of a request body; `path` (such as `events[3].`) is put before the field a failure names. */
export function parseEvent(input: unknown, path: string): Result<NewEvent> {
  if (!isObject(input)) return invalid(path.replace(/\.$/, '') || 'body', 'must be an object')
  for (const name of Object.keys(input)) {
    if (!MEMBERS.has(name)) return invalid(path + name, 'is not a field of an event')
  }
  const { type = null, payload = {}, metadata = {}, id, timestamp, partition } = input
  if (type !== null && typeof type !== 'string') return invalid(`${path}type`, 'must be a string or null')
  if (!isObject(payload)) return invalid(`${path}payload`, 'must be an object')
  if (!isObject(metadata)) return invalid(`${path}metadata`, 'must be an object')
  for (const [name, value] of [['payload', payload] as const, ['metadata', metadata] as const]) {
    const fault = faultOf(value, limits.nesting)
    if (fault === 'too deep') return invalid(path + name, `nests deeper than ${limits.nesting} levels`)
    if (fault === 'not finite') return invalid(path + name, 'holds a number beyond the range of an IEEE double')
  }
  const key = parseKey(input.key, path)
  if (!key.ok) return key
  if (id !== undefined) {
    if (typeof id !== 'string' || id.length < 1 || id.length > limits.idLength) {
      return invalid(`${path}id`, `must be a string of 1 to ${limits.idLength} characters`)
    }
    if (hasLoneSurrogate(id) || CONTROL.test(id)) {
      return invalid(`${path}id`, 'must hold no control character and no lone surrogate')
    }
  }
  const timestampMs = timestamp === undefined ? null : typeof timestamp === 'string' ? parseTime(timestamp) : null
  if (timestamp !== undefined && timestampMs === null) {
    return invalid(`${path}timestamp`, 'must be an RFC 3339 time, such as 2026-03-15T12:00:00.000Z')
  }
  if (partition !== undefined && !Number.isSafeInteger(partition)) {
    return invalid(`${path}partition`, 'must be an integer')
  }
  // Without a member it is within every limit, and most have none.
  if (Object.keys(metadata).length > 0 && exceedsBytes(JSON.stringify(metadata), limits.metadataBytes)) {
    return tooLarge(`${path}metadata`, limits.metadataBytes)
  }
  const ownTime = timestampMs === null ? undefined : formatTime(timestampMs)
  const line = JSON.stringify({ timestamp: ownTime, id, type, key: key.value, payload, metadata })
  // What was given is what counts against the limit, not the defaults written beside it.
  if (exceedsBytes(line, limits.eventBytes) && exceedsBytes(line, limits.eventBytes + defaultsLength(input))) {
    return tooLarge(path.replace(/\.$/, '') || 'body', limits.eventBytes)
  }
  const terms = termsOf(type, key.value, payload, metadata)
  return ok({
    line,
    id: id ?? null,
    key: key.value,
    partition: (partition as number | undefined) ?? null,
    timestampMs,
    terms,
  })
}

const DEFAULTS = { type: '"type":null,', key: '"key":null,', payload: '"payload":{},', metadata: '"metadata":{},' }

function defaultsLength(input: object): number {
  let length = 0
  for (const [name, text] of Object.entries(DEFAULTS)) if (!Object.hasOwn(input, name)) length += text.length
  return length
}

function tooLarge(field: string, limit: number): { ok: false; failure: Failure } {
  return failed(failure('payload_too_large', `${field}: is larger than ${limit} bytes`, { field, limit }))
}

function parseKey(key: Json | undefined, path: string): Result<string | null> {
  if (key === undefined || key === null) return ok(null)
  if (typeof key === 'number' && Number.isSafeInteger(key)) return ok(String(key))
  if (typeof key !== 'string') return invalid(`${path}key`, 'must be a string, a safe integer or null')
  if (hasLoneSurrogate(key)) return invalid(`${path}key`, 'must hold no lone surrogate')
  if (exceedsBytes(key, limits.keyBytes)) return invalid(`${path}key`, `is longer than ${limits.keyBytes} bytes`)
  return ok(key)
}

const HEAD = /^\{(?:"timestamp":"([^"]*)",)?(?:"id":("(?:[^"\\]|\\.)*"),)?/

/** The id and the timestamp that a line carries itself, and the text of the rest. */
function splitLine(line: string): { timestamp: string | null; idText: string | null; rest: string } {
  // Most lines carry neither, and looking is cheaper than matching.
  if (line.startsWith('{"type"')) return { timestamp: null, idText: null, rest: line.slice(1) }
  const match = HEAD.exec(line)!
  return { timestamp: match[1] ?? null, idText: match[2] ?? null, rest: line.slice(match[0].length) }
}

/** The event of a line as JSON text for the wire; the stored text is spliced in, never parsed. */
export function eventText(line: string, place: Place): string {
  const { timestamp, idText, rest } = splitLine(line)
  const id = idText ?? `"${place.generatedId}"`
  return `{"id":${id},"stream":"${place.stream}","partition":${place.partition},"sequence":${place.sequence},"timestamp":"${timestamp ?? place.at}",${rest}`
}

/** The id of the event of a line. */
export function idOf(line: string, generatedId: string): string {
  const { idText } = splitLine(line)
  return idText === null ? generatedId : (JSON.parse(idText) as string)
}

/** The timestamp that a line's producer chose, in milliseconds since 1970, or null. */
export function ownTimestamp(line: string): number | null {
  const { timestamp } = splitLine(line)
  return timestamp === null ? null : parseTime(timestamp)
}

/** A line that says its timestamp itself, for a row whose default is another. */
export const stamped = (line: string, atMs: number): string =>
  splitLine(line).timestamp === null ? `{"timestamp":"${formatTime(atMs)}",${line.slice(1)}` : line

/**
 * Whether a retry brings the content that a stored line has (S2.5): equal type, key, payload and metadata as JSON
 * values and, if the retry carries one, an equal timestamp.
 */
export function sameContent(stored: string, storedAtMs: number, retry: string): boolean {
  const retried = ownTimestamp(retry)
  if (retried !== null && retried !== (ownTimestamp(stored) ?? storedAtMs)) return false
  const a = splitLine(stored).rest
  const b = splitLine(retry).rest
  return a === b || equalJson(JSON.parse(`{${a}`), JSON.parse(`{${b}`))
}
