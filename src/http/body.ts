import { type Failure, failed, failure, ok, type Result } from '../core/failure.ts'
import { limits } from '../core/limits.ts'
import { CONTENT_TYPE } from './problem.ts'

/** The media types of bodies. */
export type MediaType =
  | 'application/json'
  | 'application/x-ndjson'
  | 'application/cloudevents+json'
  | 'application/cloudevents-batch+json'

type Refusal = { readonly ok: false; readonly failure: Failure }

const refuse = (field: string, detail: string): Refusal =>
  failed(failure('invalid_request', `${field}: ${detail}`, { field }))

const tooLarge = (): Refusal =>
  failed(
    failure('payload_too_large', `body: is larger than ${limits.bodyBytes} bytes`, {
      field: 'body',
      limit: limits.bodyBytes,
    }),
  )

/**
 * The media type of a request, one of those accepted. A missing one is refused as well: a browser sends such a
 * request, like one of plain text, from any page without asking first.
 */
export function mediaTypeOf(request: Request, accepted: readonly MediaType[]): Result<MediaType> {
  const [type = '', ...parameters] = (request.headers.get('Content-Type') ?? '').toLowerCase().split(';')
  const found = accepted.find((name) => name === type.trim())
  if (found === undefined) return refuse(CONTENT_TYPE, `must be ${accepted.join(' or ')}`)
  for (const parameter of parameters) {
    const charset = /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/.exec(parameter)?.[1]
    if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8') {
      return refuse(CONTENT_TYPE, 'must have no charset but utf-8')
    }
  }
  return ok(found)
}

/**
 * How much of a body that is too large is read and dropped. A client that still sends when its connection closes sees
 * a broken pipe in place of the answer, so what is a little too large is read to its end.
 */
const READ_BYTES = 2 * limits.bodyBytes

/** A body as text, and how many bytes it came as. */
export interface Read {
  readonly text: string
  readonly bytes: number
}

/** Reads a body as text and keeps no more of it than the limit. */
export async function readText(request: Request): Promise<Result<Read>> {
  if (request.body === null) return ok({ text: '', bytes: 0 })
  const length = Number(request.headers.get('Content-Length') ?? Number.NaN)
  if (length > READ_BYTES) return tooLarge()
  // HTTP ends a body at its declared length: one that fits is read in one go, which is cheaper than by its stream.
  return length <= limits.bodyBytes ? readWhole(request) : readParts(request.body)
}

async function readParts(body: ReadableStream<Uint8Array>): Promise<Result<Read>> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
  const reader = body.getReader()
  let bytes = 0
  let text = ''
  try {
    while (bytes <= READ_BYTES) {
      const { done, value } = await reader.read()
      if (done) return bytes > limits.bodyBytes ? tooLarge() : ok({ text: text + decoder.decode(), bytes })
      bytes += value.byteLength
      text = bytes > limits.bodyBytes ? '' : text + decoder.decode(value, { stream: true })
    }
    // Not awaited: a source that does not answer its cancellation must not hold up the answer.
    reader.cancel().catch(() => {})
    return tooLarge()
  } catch {
    return refuse('body', 'must be whole and valid UTF-8')
  }
}

/** For whole texts: one that is read in parts has a decoder of its own. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

async function readWhole(request: Request): Promise<Result<Read>> {
  try {
    const bytes = await request.arrayBuffer()
    if (bytes.byteLength > limits.bodyBytes) return tooLarge()
    return ok({ text: utf8.decode(bytes), bytes: bytes.byteLength })
  } catch {
    return refuse('body', 'must be whole and valid UTF-8')
  }
}

/** JSON text as a value; `field` names the text in a failure. */
export function parseJson(text: string, field: string): Result<unknown> {
  try {
    return ok(JSON.parse(text))
  } catch {
    return refuse(field, 'must be valid JSON')
  }
}

/** Reads a JSON body. */
export async function readJson(request: Request): Promise<Result<unknown>> {
  const type = mediaTypeOf(request, ['application/json'])
  if (!type.ok) return type
  const read = await readText(request)
  return read.ok ? parseJson(read.value.text, 'body') : read
}
