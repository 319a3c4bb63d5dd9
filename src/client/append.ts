import { pathText } from './call.ts'
import type { RheoError } from './errors.ts'
import type { AppendedEvent, AppendResult, StreamEvent } from './event.ts'
import type { Outcome } from './gather.ts'
import { errorOfProblem } from './problem.ts'
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

type Wire = StreamEvent & { readonly duplicate?: boolean }

const appendedOf = (event: Wire, duplicate = event.duplicate): AppendedEvent => ({
  ...event,
  duplicate: duplicate === true,
})

async function post<T>(send: Send, stream: string, body: string, request: AppendRequest, keyless: Safety): Promise<T> {
  const { idempotencyKey, signal, timeoutMs } = request
  return send({
    method: 'POST',
    path: pathText(['streams', stream, 'events']),
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
  // Without a key nothing tells a repeat from new events, and a batch may be in partly.
  const { events } = await post<{ events: Wire[] }>(send, stream, body, request, 'never')
  return events.map((event) => appendedOf(event))
}

/** What of an append is in, event by event, if the failure says so. */
export const resultsOf = (error: RheoError): readonly AppendResult[] | undefined =>
  (error.data as { results?: readonly AppendResult[] }).results

/** What one event of an append that is not entirely in came to; `error` is that of the whole. */
export function outcomeOfEvent(error: RheoError, result: AppendResult): Outcome<AppendedEvent> {
  if ('event' in result) return { ok: true, value: appendedOf(result.event, result.duplicate) }
  const { detail = error.detail } = result
  return { ok: false, error: errorOfProblem({ code: result.code, detail }, error) }
}
