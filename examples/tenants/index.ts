// A gateway at the edge: each customer's key opens that customer's streams and nobody else's. The service's secret stays
// in Workers; what leaves this one is a token for one tenant, a few streams, and a minute.
import { sign } from 'hono/jwt'
import { Rheo } from 'rheo-edge/client'

interface Env {
  readonly RHEO: Fetcher
  readonly RHEO_JWT_SECRET: string
  /** Whose key is whose, as JSON: `{"key": "tenant"}`. A real one would ask a database, and store hashes. */
  readonly KEYS: string
}

const TOKEN_SECONDS = 60

/** What customers may call here: to append to the streams below, and to read them. Not to make or consume any. */
const customers = { scope: 'append read', streams: ['orders', 'audit-*'] }

function tokenFor(tenant: string, claims: { scope: string; streams?: string[] }, { RHEO_JWT_SECRET }: Env) {
  const exp = Math.floor(Date.now() / 1_000) + TOKEN_SECONDS
  return sign({ tenant, exp, ...claims }, RHEO_JWT_SECRET, 'HS256')
}

/** Makes the streams of a new customer. */
async function setUp(tenant: string, env: Env): Promise<Response> {
  const fetch = env.RHEO.fetch.bind(env.RHEO)
  const rheo = new Rheo({ fetch, token: await tokenFor(tenant, { scope: 'admin' }, env) })
  for (const name of ['orders', 'audit-log']) await rheo.streams.create(name)
  return new Response(null, { status: 201 })
}

export default {
  async fetch(request, env) {
    const keys = new Map(Object.entries<string>(JSON.parse(env.KEYS)))
    const tenant = keys.get(request.headers.get('x-api-key') ?? '')
    if (tenant === undefined) return new Response('no such key', { status: 401 })
    if (request.method === 'PUT' && new URL(request.url).pathname === '/set-up') return setUp(tenant, env)
    const headers = new Headers(request.headers)
    headers.set('authorization', `Bearer ${await tokenFor(tenant, customers, env)}`)
    headers.delete('x-api-key')
    // The token decides the tenant; whatever else the caller claims is refused there.
    return env.RHEO.fetch(new Request(request, { headers }))
  },
} satisfies ExportedHandler<Env>
