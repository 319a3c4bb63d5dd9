import * as v from 'valibot'
import { failed, failure, type Result } from '../core/failure.ts'
import { readJson } from './body.ts'
import type { Call, Names } from './call.ts'
import type { Schema } from './contract/check.ts'
import { checkQuery, refuseQuery } from './contract/query.ts'
import { object } from './contract/values.ts'
import type { Scope } from './principal.ts'

/** A route: a method of a path, what a caller needs for it, and how it answers. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  /** `any` for every authenticated caller, `open` for callers without credentials. */
  readonly scope: Scope | 'any' | 'open'
  /** What its query parameters are checked by, where it takes any. */
  readonly query?: Schema<unknown>
  respond(call: Call, request: Request, names: Names): Promise<Result<Response>>
}

/** What a route answers from. */
interface Input<T> {
  readonly names: Names
  readonly input: T
}

type Answerer<T> = (call: Call, input: Input<T>) => Promise<Result<Response>>

/** A GET with its query parameters. */
export const get = <T>(path: string, scope: Route['scope'], query: Schema<T>, answer: Answerer<T>): Route => ({
  method: 'GET',
  path,
  scope,
  query,
  async respond(call, request, names) {
    const input = checkQuery(query, request.url)
    return input.ok ? answer(call, { names, input: input.value }) : input
  },
})

const confirmation = object({ confirm: v.optional(v.picklist(['true', 'false'], 'must be true or false')) })

/** A DELETE, which has to be confirmed by `?confirm=true` (S5.7). */
export const confirmedDelete = (
  path: string,
  answer: (call: Call, names: Names) => Promise<Result<Response>>,
): Route => ({
  method: 'DELETE',
  path,
  scope: 'admin',
  query: confirmation,
  async respond(call, request, names) {
    const input = checkQuery(confirmation, request.url)
    if (!input.ok) return input
    if (input.value.confirm === 'true') return answer(call, names)
    const detail = 'confirm: this cannot be undone; say confirm=true'
    return failed(failure('confirm_required', detail, { field: 'confirm' }))
  },
})

/** A call with a body; `read` reads and checks it. */
export const withBody = <T>(
  method: 'POST' | 'PATCH',
  path: string,
  scope: Route['scope'],
  read: (request: Request, call: Call) => Promise<Result<T>>,
  answer: Answerer<T>,
): Route => ({
  method,
  path,
  scope,
  async respond(call, request, names) {
    const query = refuseQuery(request.url)
    if (!query.ok) return query
    const input = await read(request, call)
    return input.ok ? answer(call, { names, input: input.value }) : input
  },
})

/** Reads a JSON body and checks it. */
export const jsonBody =
  <T>(check: (input: unknown) => Result<T>) =>
  async (request: Request): Promise<Result<T>> => {
    const input = await readJson(request)
    return input.ok ? check(input.value) : input
  }
