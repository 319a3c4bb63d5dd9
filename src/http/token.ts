import { verify, verifyWithJwks } from 'hono/jwt'
import { failed, failure, ok, type Result } from '../core/failure.ts'
import { isName } from '../core/name.ts'
import { type JwksCache, JwksUnreachable } from './jwks.ts'
import { forbidden, type Principal, type Scope, scopes, unauthenticated } from './principal.ts'
import type { EdgeVars } from './vars.ts'

const MIN_SECRET_BYTES = 32
const PUBLIC_KEY_ALGORITHMS = ['RS256', 'ES256', 'EdDSA'] as const

type Claims = Record<string, unknown>
/** Checks a token's signature and times, and gives its claims; throws when either is wrong. */
type Verify = (token: string) => Promise<Claims>

/**
 * The principal of a bearer token. Its times are held against the machine's clock, whatever clock the call brings:
 * a caller that may set the time could otherwise use a token for ever.
 */
export async function tokenPrincipal(request: Request, vars: EdgeVars, jwks: JwksCache): Promise<Result<Principal>> {
  const check = verifierOf(vars, jwks)
  if (typeof check === 'string') return unauthenticated(check)
  const [, token] = /^Bearer +([^\s]+)$/i.exec(request.headers.get('Authorization') ?? '') ?? []
  if (token === undefined) return unauthenticated('Authorization: must be Bearer and a token')
  let claims: Claims
  try {
    claims = await check(token)
  } catch (error) {
    if (error instanceof JwksUnreachable) {
      return failed(failure('backend_unavailable', 'the keys that tokens are checked with cannot be reached', {}))
    }
    return unauthenticated(reasonOf(error))
  }
  const principal = principalOf(claims)
  if (!principal.ok) return principal
  const named = request.headers.get('Rheo-Tenant')
  if (named !== null && named !== principal.value.tenant)
    return forbidden('Rheo-Tenant: is not the tenant of the token')
  return principal
}

/** How tokens are checked, or what has to be set before any can be. */
function verifierOf(vars: EdgeVars, jwks: JwksCache): Verify | string {
  const { RHEO_JWT_SECRET, RHEO_JWT_SECRET_PREVIOUS, RHEO_JWKS_URL, RHEO_JWT_ISSUER, RHEO_JWT_AUDIENCE } = vars
  if (RHEO_JWT_SECRET !== undefined && RHEO_JWKS_URL !== undefined) {
    return 'RHEO_JWT_SECRET and RHEO_JWKS_URL are both set; tokens are checked by one of them'
  }
  if (RHEO_JWKS_URL !== undefined) {
    if (RHEO_JWT_ISSUER === undefined || RHEO_JWT_AUDIENCE === undefined) {
      return 'RHEO_JWKS_URL needs RHEO_JWT_ISSUER and RHEO_JWT_AUDIENCE beside it'
    }
    const verification = { iss: RHEO_JWT_ISSUER, aud: RHEO_JWT_AUDIENCE }
    return (token) =>
      jwks.withKeys(RHEO_JWKS_URL, (keys) =>
        verifyWithJwks(token, { keys, allowedAlgorithms: PUBLIC_KEY_ALGORITHMS, verification }),
      )
  }
  if (RHEO_JWT_SECRET === undefined) {
    return 'RHEO_AUTH is token and there is nothing to check one with: set the secret RHEO_JWT_SECRET, or RHEO_JWKS_URL'
  }
  const secrets = [RHEO_JWT_SECRET, RHEO_JWT_SECRET_PREVIOUS].filter((secret) => secret !== undefined)
  if (secrets.some((secret) => new TextEncoder().encode(secret).length < MIN_SECRET_BYTES)) {
    return `RHEO_JWT_SECRET and RHEO_JWT_SECRET_PREVIOUS must have at least ${MIN_SECRET_BYTES} bytes`
  }
  return (token) => verifyWithAny(token, secrets)
}

/** Checks a token with each secret in turn, the current one first: what it says about a token counts, unless another fits. */
async function verifyWithAny(token: string, secrets: readonly string[]): Promise<Claims> {
  const attempts = secrets.map((secret) => () => verify(token, secret, 'HS256') as Promise<Claims>)
  let refusal: unknown
  for (const attempt of attempts) {
    try {
      return await attempt()
    } catch (error) {
      refusal ??= error
    }
  }
  throw refusal
}

/** What is wrong with a token, as far as its sender may know. */
function reasonOf(error: unknown): string {
  switch ((error as Error).name) {
    case 'JwtTokenExpired':
      return 'the token has expired'
    case 'JwtTokenNotBefore':
    case 'JwtTokenIssuedAt':
      return 'the token is not valid yet'
    default:
      return 'the token is not valid here'
  }
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((entry) => typeof entry === 'string')

function principalOf({ tenant, exp, scope = '', streams = null }: Claims): Result<Principal> {
  if (typeof tenant !== 'string' || !isName(tenant)) return unauthenticated('the token names no valid tenant')
  if (typeof exp !== 'number') return unauthenticated('the token has no exp')
  if (typeof scope !== 'string' && !isTexts(scope)) return unauthenticated('the scope of the token is no text')
  if (streams !== null && !isTexts(streams)) return unauthenticated('the streams of the token are no list of names')
  const named = new Set(typeof scope === 'string' ? scope.split(' ') : scope)
  const granted = scopes.filter((one: Scope) => named.has(one))
  return ok({ tenant, scopes: new Set(granted), streams })
}
