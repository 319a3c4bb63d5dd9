import { type Cause, errorOf, isCode, type RheoError } from './errors.ts'
import type { Code, FailureData } from './failure.ts'

/** How the answer came that tells of a failure. */
export type Around = Pick<Cause<Code>, 'status' | 'requestId' | 'retryAfterMs'>

/** A failure as the server words it: its code, a text, and its data beside them. */
export interface Problem {
  readonly code?: unknown
  readonly detail?: unknown
}

/** The error of a failure, or of `otherwise` when its code is not known here. */
export function errorOfProblem(
  { code, detail, ...data }: Problem,
  { status = 0, requestId = null, retryAfterMs = null }: Around,
  otherwise: Code = 'failed',
): RheoError {
  const common = { detail: String(detail ?? `status ${status}`), status, requestId, retryAfterMs }
  if (isCode(code)) return errorOf(code, { ...common, data: data as FailureData[typeof code] })
  return errorOf(otherwise, { ...common, data: code === undefined ? {} : { serverCode: code } })
}
