import { failed, failure, ok, type Result } from '../core/failure.ts'
import type { TokenBuckets } from './token-buckets.ts'
import type { EdgeVars } from './vars.ts'
import { warnOnce } from './warn.ts'

/** What a deployment grants each of its tenants; null where nothing but the limits bounds them. */
export interface Quotas {
  readonly requestsPerSecond: number | null
  readonly eventsPerSecond: number | null
  readonly streams: number | null
  /** Groups of each stream. */
  readonly groups: number | null
}

export const NO_QUOTAS: Quotas = { requestsPerSecond: null, eventsPerSecond: null, streams: null, groups: null }

/** How long a caller waits that was refused for a setting. */
const LONG_WAIT_SECONDS = 60

const variables = {
  requestsPerSecond: 'RHEO_QUOTA_REQUESTS_PER_SECOND',
  eventsPerSecond: 'RHEO_QUOTA_EVENTS_PER_SECOND',
  streams: 'RHEO_QUOTA_STREAMS',
  groups: 'RHEO_QUOTA_GROUPS',
} as const satisfies Record<keyof Quotas, keyof EdgeVars>

/** The quotas of a deployment. One that cannot be read lets nothing through: whoever set it meant to set a bound. */
export function readQuotas(vars: EdgeVars): Result<Quotas> {
  const quotas: Record<string, number | null> = {}
  for (const [name, variable] of Object.entries(variables)) {
    const text = vars[variable]
    if (text !== undefined && !/^[1-9]\d{0,8}$/.test(text)) {
      const detail = `${variable} must be a whole number from 1 to 999999999, or not be set`
      warnOnce(`${detail}: every call is refused`)
      return failed(failure('rate_limited', detail, { retryAfterSeconds: LONG_WAIT_SECONDS }))
    }
    quotas[name] = text === undefined ? null : Number(text)
  }
  return ok(quotas as unknown as Quotas)
}

/** Takes requests or events from what a tenant may have of them each second; refused when that is used up. */
export function take(
  what: 'requests' | 'events',
  amount: number,
  tenant: string,
  quotas: Quotas,
  buckets: TokenBuckets,
): Result<null> {
  const perSecond = what === 'requests' ? quotas.requestsPerSecond : quotas.eventsPerSecond
  if (perSecond === null) return ok(null)
  const retryAfterSeconds = buckets.take(`${what}/${tenant}`, perSecond, amount, Date.now())
  if (retryAfterSeconds === 0) return ok(null)
  return failed(failure('rate_limited', `the tenant may have ${perSecond} ${what} a second`, { retryAfterSeconds }))
}
