import { sign } from 'hono/jwt'
import { type CommandGroup, command } from '../command.ts'
import { UsageError } from '../usage-error.ts'

const unitSeconds = { s: 1, m: 60, h: 3_600, d: 86_400 } as const
const scopes = ['append', 'consume', 'read', 'admin']
const MIN_SECRET_BYTES = 32
/** The server reads no token that is longer. */
const MAX_TOKEN_LENGTH = 8_192
const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/

const create = command({
  name: 'create',
  description: 'Sign a token with the secret in RHEO_JWT_SECRET',
  isOffline: true,
  args: {
    tenant: { type: 'string', description: 'Whose streams it opens (RHEO_TENANT)', valueHint: 'name' },
    profile: { type: 'string', description: 'A saved server, for its tenant (RHEO_PROFILE)', valueHint: 'name' },
    scope: {
      type: 'string',
      description: `What it allows, of: ${scopes.join(' ')}`,
      valueHint: 'list',
    },
    streams: { type: 'string', description: 'Names, or beginnings and * (default: all)', valueHint: 'list' },
    expires: { type: 'string', description: 'How long it is good: 15m, 12h, 30d (default: 1d)', valueHint: 'time' },
  },
  examples: [
    'token create --tenant acme --scope "append consume" --streams "orders,eu-*" --expires 30d',
    'streams list --token $(rheo token create --tenant acme --scope read)',
  ],
  async run({ args, tenant, io, print }) {
    if (tenant === undefined) throw new UsageError('--tenant is missing: whose streams does the token open?')
    if (!namePattern.test(tenant)) {
      throw new UsageError('--tenant must be 1 to 128 of A-Z a-z 0-9 . _ -, first a letter or digit')
    }
    const scope = scopeOf(args.scope ?? '')
    const streams = args.streams === undefined ? undefined : streamsOf(args.streams)
    const iat = Math.floor(Date.now() / 1_000)
    const exp = iat + secondsOf(args.expires ?? '1d')
    const { RHEO_JWT_ISSUER: iss, RHEO_JWT_AUDIENCE: aud } = io.env
    const claims = {
      ...(iss ? { iss } : {}),
      ...(aud ? { aud } : {}),
      ...{ tenant, scope: scope.join(' '), iat, exp },
      ...(streams === undefined ? {} : { streams }),
    }
    const token = await sign(claims, await keyOf(io.env.RHEO_JWT_SECRET ?? ''), 'HS256')
    if (token.length > MAX_TOKEN_LENGTH) {
      throw new UsageError(`a token may have ${MAX_TOKEN_LENGTH} characters: name fewer streams, or their beginnings`)
    }
    const where = streams === undefined ? 'every stream' : `the streams ${streams.join(', ')}`
    io.err(`${scope.join(', ')} on ${where} of the tenant ${tenant}, until ${new Date(exp * 1_000).toISOString()}\n`)
    await print({ token, claims }, () => `${token}\n`)
    return 0
  },
})

function scopeOf(text: string): string[] {
  const named = text.split(/[\s,]+/).filter((one) => one !== '')
  if (named.length === 0) throw new UsageError('--scope is missing: a token without one allows nothing')
  const unknown = named.find((one) => !scopes.includes(one))
  if (unknown !== undefined) throw new UsageError(`--scope ${unknown} is none of ${scopes.join(', ')}`)
  return named
}

function streamsOf(text: string): string[] {
  const patterns = text.split(',').map((one) => one.trim())
  const wrong = patterns.find((one) => one !== '*' && !namePattern.test(one.replace(/\*$/, '')))
  if (wrong === undefined) return patterns
  throw new UsageError(`--streams ${JSON.stringify(wrong)} is no name and no beginning of one with a * behind`)
}

function secondsOf(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,5})([smhd])$/.exec(text) ?? []
  if (count === undefined) throw new UsageError(`--expires ${text} is no time such as 15m, 12h or 30d`)
  return Number(count) * unitSeconds[unit as keyof typeof unitSeconds]
}

/** The secret as a key: given as text, Hono would take it for a PEM wherever it holds the word PUBLIC. */
function keyOf(secret: string) {
  const bytes = new TextEncoder().encode(secret)
  if (secret === '') throw new UsageError('RHEO_JWT_SECRET is not set')
  // A public key in this place would let everybody who knows it sign.
  if (secret.includes('-----BEGIN ')) throw new UsageError('RHEO_JWT_SECRET is a key in PEM form, not a secret')
  if (bytes.length < MIN_SECRET_BYTES) {
    throw new UsageError(`RHEO_JWT_SECRET must have at least ${MIN_SECRET_BYTES} bytes`)
  }
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
}

export const token: CommandGroup = { name: 'token', description: 'Sign tokens', commands: [create] }
