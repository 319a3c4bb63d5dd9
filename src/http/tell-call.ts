import type { Failure } from '../core/failure.ts'
import type { Publish } from '../core/happening.ts'
import type { Call, Names } from './call.ts'
import type { CostMeter } from './cost.ts'
import type { EdgeVars } from './vars.ts'

/** An index of Analytics Engine holds so many bytes; a tenant's name is ASCII. */
const INDEX_BYTES = 96

/** Callers may invent methods; what is told of has few of them. */
const METHODS = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'PUT', 'OPTIONS']

/** What is known of a request by its end. */
export interface CallOutcome {
  /** The pattern of the path, so that there are few of them; empty where nobody was asked. */
  path: string
  names: Names
  /** Null for a caller that was not let in: what it says of itself is not told. */
  call: Call | null
  /** Null for what went well, and for an answer in which only a part has failed. */
  failure: Failure | null
}

/** The outcome of a request before anything is known of it. */
export const nothingYet = (): CallOutcome => ({
  path: '',
  names: { stream: '', group: '', event: '' },
  call: null,
  failure: null,
})

/** Tells of a request that has been answered: an event `call`, and a data point where a dataset is bound. */
export function tellCall(
  { path, names, call, failure }: CallOutcome,
  request: { method: string; status: number; durationMs: number; requestId: string; cost: CostMeter },
  publish: Publish,
  vars: EdgeVars,
): void {
  const { method, status, durationMs, requestId, cost } = request
  const { stream, group } = call === null ? { stream: '', group: '' } : names
  const tenant = call?.tenant ?? ''
  const route = `${METHODS.includes(method) ? method : 'other'} ${path}`
  const result = status < 400 ? 'ok' : 'failed'
  const code = failure?.code ?? null
  publish({ event: 'call', tenant, stream, group, partition: null, result, code, route, status, durationMs, requestId })
  vars.RHEO_METRICS?.writeDataPoint({
    indexes: [tenant.slice(0, INDEX_BYTES)],
    blobs: [route, stream, group, code ?? result],
    doubles: [status, durationMs, cost.rowsRead, cost.rowsWritten, cost.objects],
  })
}
