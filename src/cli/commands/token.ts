import { sign } from 'hono/jwt'
import { type CommandGroup, command } from '../command.ts'
import { UsageError } from '../usage-error.ts'

const unitSeconds = { s: 1, m: 60, h: 3_600, d: 86_400 } as const
const scopes = ['append', 'consume', 'read', 'admin']
const MIN_SECRET_BYTES = 32

const create = command({
  name: 'create',
  description: 'Sign a token with the secret in RHEO_JWT_SECRET',
  args: {
    scope: {
      type: 'string',
      description: `What it allows, of: ${scopes.join(' ')}`,
      required: true,
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
    if (tenant === undefined) throw new UsageError('--tenant or RHEO_TENANT must say whose streams the token opens')
    const named = args.scope.split(/[\s,]+/).filter((one) => one !== '')
    const unknown = named.find((one) => !scopes.includes(one))
    if (unknown !== undefined) throw new UsageError(`--scope ${unknown} is none of ${scopes.join(', ')}`)
    if (named.length === 0) throw new UsageError('--scope: a token without one allows nothing')
    const streams = args.streams?.split(',').map((one) => one.trim())
    const iat = Math.floor(Date.now() / 1_000)
    const exp = iat + secondsOf(args.expires ?? '1d')
    const { RHEO_JWT_ISSUER: iss, RHEO_JWT_AUDIENCE: aud } = io.env
    const claims = {
      ...(iss ? { iss } : {}),
      ...(aud ? { aud } : {}),
      ...{ tenant, scope: named.join(' '), iat, exp },
      ...(streams === undefined ? {} : { streams }),
    }
    const token = await sign(claims, await keyOf(io.env.RHEO_JWT_SECRET ?? ''), 'HS256')
    const where = streams === undefined ? 'every stream' : streams.join(', ')
    io.err(`${named.join(', ')} on ${where} of the tenant ${tenant}, until ${new Date(exp * 1_000).toISOString()}\n`)
    await print({ token, claims }, () => `${token}\n`)
    return 0
  },
})

function secondsOf(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,5})([smhd])$/.exec(text) ?? []
  if (count === undefined) throw new UsageError(`--expires ${text} is no time such as 15m, 12h or 30d`)
  return Number(count) * unitSeconds[unit as keyof typeof unitSeconds]
}

/** The secret as a key: given as text, Hono would take it for a PEM wherever it holds the word PUBLIC. */
function keyOf(secret: string) {
  const bytes = new TextEncoder().encode(secret)
  if (secret === '') throw new UsageError('RHEO_JWT_SECRET must hold the secret of the deployment')
  if (bytes.length < MIN_SECRET_BYTES)
    throw new UsageError(`RHEO_JWT_SECRET must have at least ${MIN_SECRET_BYTES} bytes`)
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
}

export const token: CommandGroup = { name: 'token', description: 'Sign tokens', commands: [create] }
