import { pathText } from './call.ts'
import { sleep } from './clock.ts'
import { type Connection, connections } from './connection.ts'
import { Backoff } from './consume/backoff.ts'
import { RheoError } from './errors.ts'
import type { JsonObject, StreamEvent } from './event.ts'
import { type Block, blocksOf } from './event-stream.ts'
import { type Answer, failureOf, headersOf, noAnswer, parse, queryText, untilAborted } from './exchange.ts'
import type { Code } from './failure.ts'
import { errorOfProblem, type Problem } from './problem.ts'
import type { Where } from './query.ts'
import type { Rheo } from './rheo.ts'

export interface TailOptions {
  /** Which partition; all unless given. */
  readonly partition?: number | undefined
  /**
   * Where it begins: behind this sequence of every partition, or at the `position` that an earlier tail has come to.
   * Unless given it begins with what is appended from now on.
   */
  readonly after?: number | string | undefined
  /** Which events; all unless given. */
  readonly where?: Where | undefined
  /** Ends the tail; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** The events of a stream as they come. */
export interface Tail<P = JsonObject> extends AsyncGenerator<StreamEvent<P>, void, undefined> {
  /**
   * How far it has come: behind the event that it has given last. As `after` of another tail it goes on from there. Null
   * until the server has been reached.
   */
  readonly position: string | null
}

/** Failures that may pass. */
const passing: readonly Code[] = ['backend_unavailable', 'overloaded', 'rate_limited', 'ambiguous']

/** How often the server is tried before it has been reached; afterwards there is no bound. */
const FIRST_TRIES = 4
/** The server sends something every 15 s: a connection on which nothing comes for longer than this is dead. */
const SILENCE_MS = 45_000

/**
 * Follows a stream: every event from now on, or from an earlier position, each partition in its order. A connection that
 * breaks is made again where it was, so that no event is lost and none comes twice; a token that expires is asked for
 * anew. It ends when the stream is deleted. Leaving the loop closes the connection, and so does `return`, also while it
 * waits.
 *
 * @example
 * const events = tail(rheo, 'orders', { where: { type: 'placed' }, after: await load() })
 * for await (const event of events) {
 *   show(event)
 *   await save(events.position)
 * }
 * @throws StreamNotFoundError, InvalidQueryError, CursorNotFoundError; BackendUnavailableError when the server cannot be
 * reached in the first place
 */
export function tail<P = JsonObject>(rheo: Rheo, stream: string, options: TailOptions = {}): Tail<P> {
  const connection = connections.get(rheo)
  if (connection === undefined) throw new TypeError('tail: needs a Rheo of the same package')
  const place: Place = { position: null }
  const leave = new AbortController()
  const events = follow<P>(connection, stream, options, place, leave)
  const close = events.return.bind(events)
  // By itself it would wait for the event that `next` waits for.
  events.return = () => {
    leave.abort()
    return close()
  }
  return Object.defineProperty(events, 'position', { get: () => place.position }) as Tail<P>
}

interface Place {
  position: string | null
}

async function* follow<P>(
  connection: Connection,
  stream: string,
  options: TailOptions,
  place: Place,
  leave: AbortController,
): AsyncGenerator<StreamEvent<P>, void, undefined> {
  const { signal } = options
  const { clock } = connection
  const backoff = new Backoff(clock)
  const onAbort = (): void => leave.abort()
  signal?.addEventListener('abort', onAbort)
  try {
    for (let tries = 1; ; tries++) {
      signal?.throwIfAborted()
      let pauseMs = 0
      const abort = new AbortController()
      const end = (): void => abort.abort()
      leave.signal.addEventListener('abort', end)
      try {
        for await (const block of connected(connection, stream, options, place.position, abort)) {
          // What comes first comes at once; only more than that shows that the connection holds.
          if (place.position !== null) backoff.reset()
          if (block.event === 'end' && isOver(block)) return
          place.position = block.id ?? place.position
          if (block.event === undefined && block.data !== undefined) yield JSON.parse(block.data) as StreamEvent<P>
        }
      } catch (error) {
        const isFirst = place.position === null && tries >= FIRST_TRIES
        if (isFirst || !(error instanceof RheoError && passing.includes(error.code))) throw error
        pauseMs = error.retryAfterMs ?? 0
      } finally {
        leave.signal.removeEventListener('abort', end)
        end()
      }
      await sleep(clock, pauseMs + backoff.next(), leave.signal)
    }
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    if (!leave.signal.aborted) throw error
  } finally {
    signal?.removeEventListener('abort', onAbort)
  }
}

/** Whether the end that the server tells is that of the tail. An expired token only wants another one. */
function isOver({ data = '' }: Block): boolean {
  const problem = (parse(data) ?? {}) as Problem
  if (problem.code === 'unauthenticated') return false
  if (problem.code === 'stream_not_found') return true
  throw errorOfProblem(problem, {})
}

/** The blocks of one connection; `abort` ends it. */
async function* connected(
  { endpoint, clock }: Connection,
  stream: string,
  { partition, after, where }: TailOptions,
  position: string | null,
  abort: AbortController,
): AsyncGenerator<Block, void, undefined> {
  const within = async <T>(ms: number, work: Promise<T>): Promise<T> => {
    const timer = clock.setTimeout(() => abort.abort(new Error(`nothing for ${ms} ms`)), ms)
    try {
      return await untilAborted(work, abort.signal)
    } finally {
      clock.clearTimeout(timer)
    }
  }
  const lost = (cause: unknown): never => {
    throw noAnswer('read', cause)
  }
  const headers = await headersOf(endpoint, abort.signal)
  headers.Accept = 'text/event-stream'
  if (position !== null) headers['Last-Event-ID'] = position
  const query = queryText({ partition, after, where: where && JSON.stringify(where) })
  const url = endpoint.url + pathText(['streams', stream, 'tail']) + query
  const asked = endpoint.fetch(url, { method: 'GET', headers, signal: abort.signal })
  const answer: Answer = await within(endpoint.timeoutMs, asked).catch(lost)
  if (answer.status !== 200) {
    const text = await within(endpoint.timeoutMs, answer.text()).catch(lost)
    throw failureOf(answer, parse(text), 'read')
  }
  if (!answer.body) throw new TypeError('tail: the fetch gives no body to read from')
  const reader = answer.body.getReader()
  try {
    yield* blocksOf(() => within(SILENCE_MS, reader.read()).catch(lost))
  } finally {
    reader.cancel().catch(() => {})
  }
}
