import { isDeepStrictEqual } from 'node:util'
import { exchange, kept, shown } from './print.ts'

/** The server answered otherwise than it promises. */
export class BrokenPromise extends Error {}

/** JSON as it came. The demo reads answers as anybody's first script would, and checks each member where it matters. */
// biome-ignore lint/suspicious/noExplicitAny: an answer's JSON may have any shape.
export type Json = any

/** How one call is made and what of it is printed. */
export type Call = {
  body?: Json
  /** Asks for one JSON value a line; the answer is then the list of them. */
  lines?: boolean
  /** The status that the server promises. */
  expect: number
  /** The part of the answer worth printing; `quiet` prints neither call nor answer. */
  show?: ((body: Json) => Json) | 'quiet'
}

/** A caller of the server with a clock of its own and names for opaque tokens. */
export type Api = {
  call(method: string, path: string, call: Call): Promise<Json>
  /** Moves the clock of all later calls. */
  advance(ms: number): void
  /** Prints the token as `<name>` from now on. */
  name(token: string, name: string): void
}

const NDJSON = 'application/x-ndjson'

/**
 * Calls `url`, each call at the clock's time (header `Rheo-Now`, which the server follows because of
 * `RHEO_TEST_CLOCK`), prints what goes over the wire and refuses any other status than the promised one. `headers` go
 * with every call.
 */
export function createApi(url: string, signal: AbortSignal, headers: Record<string, string> = {}): Api {
  const names = new Map<string, string>()
  let nowMs = Date.parse('2026-03-15T12:00:00.000Z')
  return {
    async call(method, path, { body, lines = false, expect, show }) {
      const now = { 'rheo-now': new Date(nowMs).toISOString() }
      const accept = lines ? { accept: NDJSON } : {}
      const response = await fetch(url + path, {
        method,
        headers: { ...headers, 'content-type': 'application/json', ...accept, ...now },
        body: body === undefined ? null : JSON.stringify(body),
        signal,
      })
      const text = await response.text()
      if (response.status !== expect) {
        throw new BrokenPromise(`${method} ${path}: expected ${expect}, got ${response.status} ${text}`)
      }
      const answer: Json = lines ? valuesOf(text) : text === '' ? undefined : JSON.parse(text)
      if (show !== 'quiet') {
        const request = body === undefined ? undefined : shown(body, names)
        exchange(`${method} ${path}`, request, response.status, show && shown(show(answer), names))
      }
      return answer
    },
    advance(ms) {
      nowMs += ms
    },
    name(token, name) {
      names.set(token, name)
    },
  }
}

/** The values of a body that holds one a line. */
function valuesOf(text: string): Json[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

/** Holds the server to a promise: says so when it is kept, throws `BrokenPromise` when not. */
export function promised(claim: string, actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) {
    throw new BrokenPromise(`${claim}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`)
  }
  kept(claim)
}
