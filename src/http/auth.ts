import { failed, failure, ok, type Result } from '../core/failure.ts'
import { isName, nameRule } from '../core/name.ts'
import { isLoopback } from './loopback.ts'
import { type Principal, scopes, unauthenticated } from './principal.ts'
import { type Keys, tokenPrincipal } from './token.ts'
import { type EdgeVars, listOf } from './vars.ts'
import { warnOnce } from './warn.ts'

const DEFAULT_TENANT = 'default'

/** Authenticates a request and finds its tenant. Whatever is not set up fails closed. */
export async function authenticate(request: Request, vars: EdgeVars, keys: Keys): Promise<Result<Principal>> {
  switch (vars.RHEO_AUTH) {
    case 'token':
      return tokenPrincipal(request, vars, keys)
    case 'open':
      warnOnce('RHEO_AUTH is open: everybody who can reach this server may do everything')
      return openPrincipal(request, vars)
    default:
      return unauthenticated('RHEO_AUTH must be set to token or open')
  }
}

/**
 * In `open` the tenant is the caller's word, so only hosts that nobody else can reach are served. The host is checked
 * by name, which also stops a foreign page whose DNS name was pointed at this machine.
 */
function openPrincipal(request: Request, vars: EdgeVars): Result<Principal> {
  const { host, hostname } = hostOf(request.url)
  const named = () => listOf(vars.RHEO_OPEN_HOSTS).map((entry) => entry.toLowerCase())
  if (!isLoopback(hostname) && !named().some((entry) => entry === hostname || entry === host)) {
    return unauthenticated(`RHEO_AUTH is open and ${hostname} is not a loopback host; RHEO_OPEN_HOSTS must name it`)
  }
  const tenant = request.headers.get('Rheo-Tenant') ?? DEFAULT_TENANT
  if (!isName(tenant)) {
    return failed(failure('invalid_name', `Rheo-Tenant: must be ${nameRule}`, { field: 'Rheo-Tenant' }))
  }
  return ok({ tenant, scopes: allScopes, streams: null, expiresAtMs: Infinity })
}

const allScopes = new Set(scopes)

/** The origin of the last URL that was taken apart. */
let known = { start: 'none:', host: '', hostname: '' }

/** The host of a URL, with and without its port. Most requests of an isolate come to the same one. */
function hostOf(url: string): Pick<URL, 'host' | 'hostname'> {
  if (!url.startsWith(known.start)) {
    const { origin, host, hostname } = new URL(url)
    known = { start: `${origin}/`, host, hostname }
  }
  return known
}
