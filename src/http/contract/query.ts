import { ok, type Result } from '../../core/failure.ts'
import { check, invalidRequest, type Schema } from './check.ts'

/** Checks the query parameters of a URL: unknown and repeated ones are refused by name. */
export function checkQuery<T>(schema: Schema<T>, url: string): Result<T> {
  const values: Record<string, string> = Object.create(null)
  for (const [name, value] of new URL(url).searchParams) {
    if (name in values) return invalidRequest(name, 'is given more than once')
    values[name] = value
  }
  return check(schema, values)
}

/** Decides whether a request of a path that takes no parameters has any. */
export function refuseQuery(url: string): Result<null> {
  if (!url.includes('?')) return ok(null)
  for (const name of new URL(url).searchParams.keys()) return invalidRequest(name, 'is not known here')
  return ok(null)
}
