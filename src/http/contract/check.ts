import * as v from 'valibot'
import { type Code, type Failure, failed, failure, ok, type Result } from '../../core/failure.ts'

/** A schema of what comes over the wire. */
export type Schema<T> = v.GenericSchema<unknown, T>

/** Codes that a field has of its own, whatever is wrong with its value. */
export type FieldCodes = ReadonlyMap<string, 'invalid_partition_count'>

export const invalidRequest = (field: string, detail: string): { readonly ok: false; readonly failure: Failure } =>
  failed(failure('invalid_request', `${field}: ${detail}`, { field }))

/** Checks a value from the wire; the failure names the first field that is wrong, such as `events[3].key`. */
export function check<T>(schema: Schema<T>, input: unknown, codes: FieldCodes = new Map()): Result<T> {
  const result = v.safeParse(schema, input)
  if (result.success) return ok(result.output)
  const issue = result.issues[0]
  const field = pathOf(issue)
  const code: Code = codes.get(field) ?? 'invalid_request'
  return failed(failure(code, `${field}: ${messageOf(issue)}`, { field }))
}

/** The place of an issue: members joined by dots, indices in brackets; `body` for the whole. */
function pathOf(issue: v.BaseIssue<unknown>): string {
  let path = ''
  for (const { key } of issue.path ?? []) {
    path += typeof key === 'number' ? `[${key}]` : path === '' ? String(key) : `.${String(key)}`
  }
  return path === '' ? 'body' : path
}

function messageOf(issue: v.BaseIssue<unknown>): string {
  if (issue.type !== 'strict_object') return issue.message
  return issue.expected === 'never' ? 'is not known here' : 'is required'
}
