import { decode, verify, verifyWithJwks } from 'hono/jwt'
import { failed, failure, ok, type Result } from '../core/failure.ts'
import { isObject } from '../core/json.ts'
import { limits } from '../core/limits.ts'
import { isName } from '../core/name.ts'
import { type JwksCache, JwksUnreachable } from './jwks.ts'
import { isLoopback } from './loopback.ts'
import { forbidden, type Principal, type Scope, scopes, unauthenticated } from './principal.ts'
import { faultOfSecret, keyOfSecret } from './secret.ts'
import { type EdgeVars, setVar } from './vars.ts'
import type { VerifiedTokens } from './verified-tokens.ts'

const PUBLIC_KEY_ALGORITHMS = ['RS256', 'ES256', 'EdDSA'] as const

/** Checks a token's signature and times, and gives its claims; throws when either is wrong. */
type Verify = (token: string) => Promise<unknown>

/** What a token is held against besides its key. */
type Expected = { readonly iss?: string; readonly aud?: string }

/** What is known of keys and tokens, and how to let a fetch of keys go on after the answer. */
export interface Keys {
  readonly jwks: JwksCache
  readonly verified: VerifiedTokens
  waitUntil(work: Promise<unknown>): void
}

/**
 * The principal of a bearer token. Its times are held against the machine's clock, whatever clock the call brings:
 * a caller that may set the time could otherwise use a token for ever.
 */
export async function tokenPrincipal(request: Request, vars: EdgeVars, keys: Keys): Promise<Result<Principal>> {
  const [, token = null] = /^Bearer +([^\s]+)$/i.exec(request.headers.get('Authorization') ?? '') ?? []
  const principal = await verified(token, vars, keys)
  if (!principal.ok) return principal
  const named = request.headers.get('Rheo-Tenant')
  if (named !== null && named !== principal.value.tenant)
    return forbidden('Rheo-Tenant: is not the tenant of the token')
  return principal
}

async function verified(token: string | null, vars: EdgeVars, keys: Keys): Promise<Result<Principal>> {
  const nowMs = Date.now()
  const settings = settingsOf(vars)
  const known = token === null ? null : keys.verified.get(token, settings, nowMs)
  if (known !== null) return ok(known)
  const check = verifierOf(vars, keys)
  if (typeof check === 'string') return unauthenticated(check)
  if (token === null) return unauthenticated('Authorization: must be Bearer and a token')
  if (token.length > limits.tokenLength) {
    return unauthenticated(`the token is longer than ${limits.tokenLength} characters`)
  }
  let claims: unknown
  try {
    claims = await check(token)
  } catch (error) {
    if (error instanceof JwksUnreachable) {
      return failed(failure('backend_unavailable', 'the keys that tokens are checked with cannot be reached', {}))
    }
    return unauthenticated(reasonOf(error))
  }
  const principal = principalOf(claims)
  if (principal.ok) keys.verified.add(token, settings, principal.value, nowMs)
  return principal
}

/** Everything that a token is checked by. */
const settingsOf = (vars: EdgeVars): string =>
  JSON.stringify([
    vars.RHEO_JWT_SECRET,
    vars.RHEO_JWT_SECRET_PREVIOUS,
    vars.RHEO_JWKS_URL,
    vars.RHEO_JWT_ISSUER,
    vars.RHEO_JWT_AUDIENCE,
  ])

/** How tokens are checked, or what has to be set before any can be. */
function verifierOf(vars: EdgeVars, keys: Keys): Verify | string {
  const secret = setVar(vars.RHEO_JWT_SECRET)
  const previous = setVar(vars.RHEO_JWT_SECRET_PREVIOUS)
  const url = setVar(vars.RHEO_JWKS_URL)
  const iss = setVar(vars.RHEO_JWT_ISSUER)
  const aud = setVar(vars.RHEO_JWT_AUDIENCE)
  const expected: Expected = { ...(iss === undefined ? {} : { iss }), ...(aud === undefined ? {} : { aud }) }
  if (url !== undefined) {
    if (secret !== undefined || previous !== undefined) {
      return 'RHEO_JWT_SECRET and RHEO_JWKS_URL are both set; tokens are checked by one of them'
    }
    if (iss === undefined || aud === undefined) {
      return 'RHEO_JWKS_URL needs RHEO_JWT_ISSUER and RHEO_JWT_AUDIENCE beside it'
    }
    if (!isPrivateUrl(url)) return 'RHEO_JWKS_URL must be an https URL: whoever can change the keys can make tokens'
    return (token) => verifyByJwks(token, url, expected, keys)
  }
  if (secret === undefined) {
    return 'RHEO_AUTH is token and there is nothing to check one with: set the secret RHEO_JWT_SECRET, or RHEO_JWKS_URL'
  }
  for (const [name, value] of Object.entries({ RHEO_JWT_SECRET: secret, RHEO_JWT_SECRET_PREVIOUS: previous })) {
    const fault = value === undefined ? null : faultOfSecret(value)
    if (fault !== null) return `${name} ${fault}`
  }
  return (token) => verifyBySecrets(token, previous === undefined ? [secret] : [secret, previous], expected)
}

/** Whether nobody on the way can read or change what comes from there. */
function isPrivateUrl(text: string): boolean {
  const url = URL.parse(text)
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))
}

/** The header is looked at before any key is fetched: what cannot be good costs the issuer nothing. */
async function verifyByJwks(token: string, url: string, verification: Expected, keys: Keys): Promise<unknown> {
  const { alg, kid } = decode(token).header as { alg: (typeof PUBLIC_KEY_ALGORITHMS)[number]; kid?: unknown }
  if (!PUBLIC_KEY_ALGORITHMS.includes(alg) || typeof kid !== 'string') throw new Error('no header of ours')
  const known = await keys.jwks.keysFor(url, kid, keys.waitUntil)
  return verifyWithJwks(token, { keys: known, allowedAlgorithms: PUBLIC_KEY_ALGORITHMS, verification })
}

/** Tries each secret in turn, the current one first: what it says about a token counts, unless another fits. */
async function verifyBySecrets(token: string, secrets: readonly string[], expected: Expected): Promise<unknown> {
  let refusal: unknown
  for (const secret of secrets) {
    try {
      return await verify(token, await keyOfSecret(secret, 'verify'), { alg: 'HS256', ...expected })
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

/** A name, or the beginning of one and `*`; `*` alone stands for every stream. */
export const isStreamPattern = (text: string): boolean => text === '*' || isName(text.replace(/\*$/, ''))

function principalOf(claims: unknown): Result<Principal> {
  if (!isObject(claims)) return unauthenticated('the token holds no claims')
  const { tenant, exp, scope = '', streams } = claims
  if (typeof tenant !== 'string' || !isName(tenant)) return unauthenticated('the token names no valid tenant')
  if (typeof exp !== 'number') return unauthenticated('the token has no exp')
  if (typeof scope !== 'string' && !isTexts(scope)) return unauthenticated('the scope of the token is no text')
  // Only an absent claim stands for all streams: null is what a broken issuer writes for a list it does not have.
  if (streams !== undefined && !(isTexts(streams) && streams.every(isStreamPattern))) {
    return unauthenticated('the streams of the token are no list of names and prefixes')
  }
  const named = new Set(typeof scope === 'string' ? scope.split(' ') : scope)
  const granted = scopes.filter((one: Scope) => named.has(one))
  return ok({ tenant, scopes: new Set(granted), streams: streams ?? null, expiresAtMs: 1_000 * exp })
}
