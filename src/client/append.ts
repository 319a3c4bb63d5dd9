import { errorOf, isCode, RheoError } from './errors.ts'
import type { AppendedEvent, AppendResult } from './event.ts'
import type { Code } from './failure.ts'
import { path } from './path.ts'
import type { CallOptions, Safety, Send } from './request.ts'

export interface AppendOptions extends CallOptions {
  /**
   * A repeat with this key within ten minutes answers the originals and writes what was not in yet: 1 to 128 printable
   * ASCII characters. The SDK makes one for each call unless given; with `null` there is none and the call is not
   * repeated after a lost answer.
   */
  readonly idempotencyKey?: string | null | undefined
  /** Appends only if the partition ends here; all events must go to one partition. Else `SequenceConflictError`. */
  readonly expectedSequence?: number | undefined
}

/** One request: events as JSON texts, under one key. */
export interface AppendRequest extends Omit<AppendOptions, 'idempotencyKey'> {
  readonly idempotencyKey: string | null
}

type Wire = Omit<AppendedEvent, 'duplicate'> & { readonly duplicate?: boolean }

const appendedOf = (event: Wire, duplicate = event.duplicate): AppendedEvent => ({
  ...event,
  duplicate: duplicate === true,
})

async function post<T>(send: Send, stream: string, body: string, request: AppendRequest, keyless: Safety): Promise<T> {
  const { idempotencyKey, signal, timeoutMs } = request
  return send({
    method: 'POST',
    path: path`/v1/streams/${stream}/events`,
    body,
    safety: idempotencyKey === null ? keyless : 'repeatable',
    ...(idempotencyKey === null ? {} : { idempotencyKey }),
    signal,
    timeoutMs,
  })
}

const conditionOf = ({ expectedSequence }: AppendRequest, comma: string): string =>
  expectedSequence === undefined ? '' : `${comma}"expectedSequence":${expectedSequence}`

/** Appends one event, given as JSON text. */
export async function appendOne(
  send: Send,
  stream: string,
  text: string,
  request: AppendRequest,
): Promise<AppendedEvent> {
  const condition = conditionOf(request, text === '{}' ? '' : ',')
  const body = `${text.slice(0, -1)}${condition}}`
  const answer = await post<{ event: Wire; duplicate?: boolean }>(send, stream, body, request, 'refused')
  return appendedOf(answer.event, answer.duplicate)
}

/** Appends events, each given as JSON text. */
export async function appendTexts(
  send: Send,
  stream: string,
  texts: readonly string[],
  request: AppendRequest,
): Promise<AppendedEvent[]> {
  const body = `{"events":[${texts.join(',')}]${conditionOf(request, ',')}}`
  try {
    // Without a key nothing tells a repeat from new events, and a batch may be in partly.
    const { events } = await post<{ events: Wire[] }>(send, stream, body, request, 'never')
    return events.map((event) => appendedOf(event))
  } catch (error) {
    throw error instanceof RheoError ? withResults(error) : error
  }
}

/** The same failure with its results as they are documented: `duplicate` stands in the event. */
function withResults(error: RheoError): RheoError {
  const wire = resultsOf(error)
  if (wire === undefined) return error
  const results = wire.map((result): AppendResult => {
    if (!('event' in result)) return { code: result.code, detail: result.detail ?? 'nobody knows whether it is in' }
    return { event: appendedOf(result.event as Wire, (result as { duplicate?: boolean }).duplicate) }
  })
  return errorOf(error.code, { ...error, data: { ...error.data, results } as typeof error.data })
}

/** What of an append is in, event by event, if the failure says so. */
export const resultsOf = (error: RheoError): readonly AppendResult[] | undefined =>
  (error.data as { results?: readonly AppendResult[] }).results

/** The failure of one event of an append that is not entirely in. */
export function errorOfEvent(error: RheoError, result: Exclude<AppendResult, { event: AppendedEvent }>): RheoError {
  const { status, requestId, retryAfterMs } = error
  const code: Code = isCode(result.code) ? result.code : 'failed'
  return errorOf(code, { detail: result.detail, data: {} as never, status, requestId, retryAfterMs })
}
