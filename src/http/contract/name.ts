import { failed, failure, ok, type Result } from '../../core/failure.ts'
import { isObject } from '../../core/json.ts'
import { isName, nameRule } from '../../core/name.ts'

/** Checks a name; `field` says whose it is. */
export const checkName = (field: string, name: string): Result<null> =>
  isName(name) ? ok(null) : failed(failure('invalid_name', `${field}: must be ${nameRule}`, { field }))

/** Checks the name in a body ahead of its shape, as names in paths are (S7). What is no text is left to the schema. */
export const checkNameIn = (body: unknown): Result<null> =>
  isObject(body) && typeof body.name === 'string' ? checkName('name', body.name) : ok(null)
