import { failed, failure, ok, type Result } from '../core/failure.ts'
import { parseTime } from '../core/time.ts'
import type { EdgeVars } from './vars.ts'
import { warnOnce } from './warn.ts'

/** The request's now, and the caller's clock if this is test time. */
export interface Clock {
  readonly nowMs: number
  readonly testNowMs: number | null
}

/** Whether callers may set the clock. */
export const isTestClock = (vars: EdgeVars): boolean => vars.RHEO_TEST_CLOCK === '1'

/** Reads the clock of a request, once. Without RHEO_TEST_CLOCK the header `Rheo-Now` is ignored. */
export function readClock(request: Request, vars: EdgeVars): Result<Clock> {
  if (isTestClock(vars)) warnOnce('RHEO_TEST_CLOCK is 1: callers set the clock. Never in production')
  const header = isTestClock(vars) ? request.headers.get('Rheo-Now') : null
  if (header === null) return ok({ nowMs: Date.now(), testNowMs: null })
  const testNowMs = parseTime(header)
  if (testNowMs === null) {
    const detail = 'Rheo-Now: must be an RFC 3339 time, such as 2026-03-15T12:00:00.000Z'
    return failed(failure('invalid_request', detail, { field: 'Rheo-Now' }))
  }
  return ok({ nowMs: testNowMs, testNowMs })
}
