// npm run token: mints a token for RHEO_AUTH=token with the secret in RHEO_JWT_SECRET.
import { parseArgs } from 'node:util'
import { sign } from 'hono/jwt'
import { limits } from '../src/core/limits.ts'
import { isName, nameRule } from '../src/core/name.ts'
import { type Scope, scopes } from '../src/http/principal.ts'
import { faultOfSecret, keyOfSecret } from '../src/http/secret.ts'
import { isStreamPattern } from '../src/http/token.ts'

const usage = `Usage: npm run -s token -- --tenant <name> --scope "<scopes>" [--streams "<names>"] [--expires <time>]

  --tenant   whose streams the token opens
  --scope    what it allows, one or more of: ${scopes.join(' ')}
  --streams  names, or beginnings of names and *, separated by commas (default: every stream)
  --expires  how long it is good, such as 15m, 12h or 30d (default: 1d)

RHEO_JWT_SECRET must hold the secret of the deployment, at least 32 bytes; RHEO_JWT_ISSUER and RHEO_JWT_AUDIENCE go into
the token when they are set. Prints the token to stdout, and what it allows to stderr.

Example: RHEO_JWT_SECRET=… npm run -s token -- --tenant acme --scope "append consume" --streams "orders,eu-*" --expires 30d
`

const unitSeconds = { s: 1, m: 60, h: 3_600, d: 86_400 } as const

interface Wanted {
  readonly secret: string
  readonly tenant: string
  readonly scope: readonly Scope[]
  readonly streams: readonly string[] | null
  readonly seconds: number
}

/** What the token is to hold, or what is wrong with what was asked. */
function readOptions(): Wanted | string {
  const text = { type: 'string' } as const
  const options = { tenant: text, scope: text, streams: text, expires: { ...text, default: '1d' } }
  const { tenant, scope, streams, expires } = parseArgs({ options, allowPositionals: false }).values
  if (tenant === undefined) return '--tenant is missing'
  if (!isName(tenant)) return `--tenant must be ${nameRule}`
  const named = (scope ?? '').split(/[\s,]+/).filter((one) => one !== '')
  if (named.length === 0) return '--scope is missing: a token without one allows nothing'
  const unknown = named.find((one) => !scopes.includes(one as Scope))
  if (unknown !== undefined) return `--scope ${unknown} is none of ${scopes.join(', ')}`
  const patterns = streams?.split(',').map((one) => one.trim())
  const wrong = patterns?.find((one) => !isStreamPattern(one))
  if (wrong !== undefined)
    return `--streams ${JSON.stringify(wrong)} is no name and no beginning of one with a * behind`
  const [, count, unit] = /^([1-9]\d{0,5})([smhd])$/.exec(expires) ?? []
  if (count === undefined) return `--expires ${expires} is no time such as 15m, 12h or 30d`
  const secret = process.env.RHEO_JWT_SECRET ?? ''
  if (secret === '') return 'RHEO_JWT_SECRET is not set'
  const fault = faultOfSecret(secret)
  if (fault !== null) return `RHEO_JWT_SECRET ${fault}`
  const seconds = Number(count) * unitSeconds[unit as keyof typeof unitSeconds]
  return { secret, tenant, scope: named as Scope[], streams: patterns ?? null, seconds }
}

async function mint({ secret, tenant, scope, streams, seconds }: Wanted): Promise<string> {
  const { RHEO_JWT_ISSUER: iss = '', RHEO_JWT_AUDIENCE: aud = '' } = process.env
  const iat = Math.floor(Date.now() / 1_000)
  const exp = iat + seconds
  const claims = {
    ...(iss === '' ? {} : { iss }),
    ...(aud === '' ? {} : { aud }),
    tenant,
    scope: scope.join(' '),
    ...(streams === null ? {} : { streams }),
    iat,
    exp,
  }
  const where = streams === null ? 'every stream' : `the streams ${streams.join(', ')}`
  const until = new Date(exp * 1_000).toISOString()
  process.stderr.write(`${scope.join(', ')} on ${where} of the tenant ${tenant}, until ${until}\n`)
  return sign(claims, await keyOfSecret(secret, 'sign'), 'HS256')
}

/** Reads the options; Node's own complaint about one that is unknown stands for what is wrong. */
function wanted(): Wanted | string {
  try {
    return readOptions()
  } catch (error) {
    return (error as Error).message
  }
}

if (process.argv.includes('--help')) {
  process.stdout.write(usage)
} else {
  const options = wanted()
  const token = typeof options === 'string' ? '' : await mint(options)
  if (typeof options === 'string') {
    process.stderr.write(`${options}\n\n${usage}`)
    process.exitCode = 2
  } else if (token.length > limits.tokenLength) {
    process.stderr.write(
      `A token may have ${limits.tokenLength} characters: name fewer streams, or their beginnings.\n`,
    )
    process.exitCode = 2
  } else {
    process.stdout.write(`${token}\n`)
  }
}
