import type { Context } from 'hono'
import { HonoBase } from 'hono/hono-base'
import { RegExpRouter } from 'hono/router/reg-exp-router'
import type { Backend } from '../core/backend.ts'
import { type Failure, failed, failure, ok, type Result } from '../core/failure.ts'
import type { Publish } from '../core/happening.ts'
import { authenticate } from './auth.ts'
import { toBase64Url } from './base64url.ts'
import { BodyRoom, SMALL_BODY_BYTES } from './body-room.ts'
import { type Call, type Names, notCovered, type Site } from './call.ts'
import { readClock } from './clock.ts'
import { checkName } from './contract/name.ts'
import { corsByOrigins } from './cors.ts'
import { CostMeter } from './cost.ts'
import { Directory } from './directory.ts'
import { EVENT_STREAM } from './event-stream.ts'
import { JwksCache } from './jwks.ts'
import { NDJSON } from './ndjson.ts'
import { covers, forbidden, type Principal } from './principal.ts'
import { problem } from './problem.ts'
import { NO_QUOTAS, readQuotas, take } from './quota.ts'
import { Rotation } from './rotation.ts'
import type { Route } from './route.ts'
import { deadLetterRoutes } from './routes/dead-letters.ts'
import { deliveryRoutes } from './routes/delivery.ts'
import { eventRoutes } from './routes/events.ts'
import { groupRoutes } from './routes/groups.ts'
import { leaseRoutes } from './routes/leases.ts'
import { metricsRoutes } from './routes/metrics.ts'
import { pageRoutes } from './routes/pages.ts'
import { progressRoutes } from './routes/progress.ts'
import { replayRoutes } from './routes/replay.ts'
import { searchRoutes } from './routes/search.ts'
import { streamRoutes } from './routes/streams.ts'
import { type Mechanisms, systemRoutes } from './routes/system.ts'
import { tailRoutes } from './routes/tail.ts'
import { type CallOutcome, nothingYet, tellCall } from './tell-call.ts'
import type { Keys } from './token.ts'
import { TokenBuckets } from './token-buckets.ts'
import type { EdgeVars } from './vars.ts'
import { VerifiedTokens } from './verified-tokens.ts'

/** What an edge is built from. */
export interface EdgeOptions<Env extends EdgeVars> {
  readonly version: string
  readonly mechanisms: Mechanisms
  /** The objects that a request works on. */
  connect(env: Env): Backend
  /** Where the pages lie; null where none were built. */
  site(env: Env): Site | null
  /** Told of what happens; without it nobody is. */
  readonly publish?: Publish
}

/** What belongs to one request: one variable, since Hono copies all of them whenever one is read by its name. */
interface Own {
  readonly requestId: string
  readonly cost: CostMeter
  readonly outcome: CallOutcome
}

interface EdgeTypes<Env extends EdgeVars> {
  Bindings: Env
  Variables: { own: Own }
}

/** Streams, groups and tenants that an isolate remembers, each some 200 bytes. */
const REMEMBERED = 10_000

/** Tokens that an isolate remembers, each at most 2 KiB. */
const VERIFIED = 2_000

/** Content types of answers that are sent as they come into being. */
const STREAMED: readonly (string | null)[] = [NDJSON, EVENT_STREAM]

const NOBODY: Principal = { tenant: '', scopes: new Set(), streams: [], expiresAtMs: Infinity }

/**
 * Builds the HTTP edge over some objects: Durable Objects in a Worker, local machines elsewhere. The variables come
 * with each request, as the bindings of its environment.
 *
 * @example
 * const edge = createEdge<Env>({ version, mechanisms, connect: (env) => durableBackend(env) })
 * export default { fetch: edge.fetch }
 */
export function createEdge<Env extends EdgeVars>(options: EdgeOptions<Env>): HonoBase<EdgeTypes<Env>> {
  const shared = {
    directory: new Directory(REMEMBERED),
    rotation: new Rotation(REMEMBERED),
    keys: { jwks: new JwksCache(), verified: new VerifiedTokens(VERIFIED) },
    buckets: new TokenBuckets(REMEMBERED),
    bodyRoom: new BodyRoom(),
    publish: options.publish ?? (() => {}),
  }
  const routes = routesOf(options)
  // One router, not the preset of all of them: 3 kB less, and every path here is one that it takes.
  const app = new HonoBase<EdgeTypes<Env>>({ router: new RegExpRouter() })
  app.use(async (c, next) => {
    const startMs = Date.now()
    const [requestId, cost, outcome] = [crypto.randomUUID(), new CostMeter(), nothingYet()]
    c.set('own', { requestId, cost, outcome })
    await next()
    const { headers, status } = c.res
    headers.set('Rheo-Request-Id', requestId)
    headers.set('Cache-Control', 'no-store')
    // An event may hold any text: no browser is to take an answer for a page or a script.
    headers.set('X-Content-Type-Options', 'nosniff')
    // What a streamed answer costs is known only at its end.
    if (!STREAMED.includes(headers.get('Content-Type'))) headers.set('Rheo-Cost', cost.toString())
    const request = { method: c.req.method, status, durationMs: Date.now() - startMs, requestId, cost }
    if (outcome.path !== '') tellCall(outcome, request, shared.publish, c.env)
  })
  app.use(corsByOrigins())

  const refuse = (c: Context<EdgeTypes<Env>>, failure: Failure, fault: unknown): Response => {
    const { outcome, requestId } = c.get('own')
    outcome.failure = failure
    if (failure.code === 'failed') console.error(`request ${requestId} failed`, fault)
    return problem(failure)
  }
  const answer = async (c: Context<EdgeTypes<Env>>, route: Answering): Promise<Response> => {
    const { outcome, requestId } = c.get('own')
    outcome.path = route.path
    try {
      const { stream = '', group = '', event = '' } = c.req.param() as Partial<Names>
      const names = { stream, group, event }
      const call = await callOf(c, route, names, options, shared)
      if (!call.ok) return refuse(c, call.failure, call.failure.detail)
      Object.assign(outcome, { names, call: call.value })
      const answered = await route.respond(call.value, c.req.raw, names).finally(() => call.value.leaveBody())
      return answered.ok ? answered.value : refuse(c, answered.failure, answered.failure.detail)
    } catch (error) {
      return refuse(c, failure('failed', `the request failed; its id is ${requestId}`, {}), error)
    }
  }
  for (const route of routes) app.on(route.method, route.path, (c) => answer(c, route))
  for (const path of new Set(routes.map((route) => route.path))) {
    const refusal = methodNotAllowed(
      path,
      routes.filter((route) => route.path === path),
    )
    app.all(path, (c) => answer(c, refusal))
  }
  app.notFound((c) => answer(c, notFound(c.req.path)))
  return app
}

/** Every route there is. */
export const routesOf = <Env extends EdgeVars>({
  version,
  mechanisms,
}: Pick<EdgeOptions<Env>, 'version' | 'mechanisms'>): readonly Route[] => [
  ...systemRoutes(version, mechanisms),
  ...streamRoutes,
  ...eventRoutes,
  ...tailRoutes,
  ...groupRoutes,
  ...progressRoutes,
  ...deliveryRoutes,
  ...leaseRoutes,
  ...deadLetterRoutes,
  ...searchRoutes,
  ...replayRoutes,
  ...pageRoutes,
  ...metricsRoutes,
]

type Answering = Pick<Route, 'path' | 'scope' | 'respond'>

/** What an isolate keeps from one request to the next. */
interface Shared extends Pick<Call, 'directory' | 'rotation' | 'publish'> {
  readonly keys: Pick<Keys, 'jwks' | 'verified'>
  readonly buckets: TokenBuckets
  readonly bodyRoom: BodyRoom
}

/** Everything that is checked ahead of the body, in the order of S7: credentials, tenant, names, scope. */
async function callOf<Env extends EdgeVars>(
  c: Context<EdgeTypes<Env>>,
  route: Pick<Route, 'scope'>,
  names: Names,
  { connect, site }: Pick<EdgeOptions<Env>, 'connect' | 'site'>,
  { keys, buckets, bodyRoom, ...shared }: Shared,
): Promise<Result<Call>> {
  const { requestId, cost } = c.get('own')
  const keep = (work: Promise<unknown>): void => waitUntil(c, work)
  const isOpen = route.scope === 'open'
  const principal = isOpen ? ok(NOBODY) : await authenticate(c.req.raw, c.env, { ...keys, waitUntil: keep })
  if (!principal.ok) return principal
  const { tenant, scopes, streams, expiresAtMs } = principal.value
  const quotas = isOpen ? ok(NO_QUOTAS) : readQuotas(c.env)
  if (!quotas.ok) return quotas
  const admitted = take('requests', 1, tenant, quotas.value, buckets)
  if (!admitted.ok) return admitted
  for (const field of ['stream', 'group'] as const) {
    const named = names[field] === '' ? ok(null) : checkName(field, names[field])
    if (!named.ok) return named
  }
  if (route.scope !== 'any' && route.scope !== 'open' && !scopes.has(route.scope)) {
    return forbidden(`the token does not have the scope ${route.scope}`)
  }
  if (names.stream !== '' && !covers(principal.value, names.stream)) return notCovered(names.stream)
  const clock = readClock(c.req.raw, c.env)
  if (!clock.ok) return clock
  return ok({
    ...shared,
    ...clock.value,
    tenant,
    group: names.group,
    requestId,
    streams,
    expiresAtMs,
    vars: c.env,
    quotas: quotas.value,
    backend: connect(c.env),
    site: site(c.env),
    cost,
    ...bodyOf(bodyRoom, keep),
    // Asked for by few: the runtime makes a signal when it is.
    get signal() {
      return c.req.raw.signal
    },
    randomToken: () => toBase64Url(crypto.getRandomValues(new Uint8Array(16))),
    waitUntil: keep,
    takeEvents: (count) => take('events', count, tenant, quotas.value, buckets),
  })
}

/** The room of one request's body. The request goes on until it is left, also when its client goes before. */
function bodyOf(room: BodyRoom, keep: (work: Promise<unknown>) => void): Pick<Call, 'takeBody' | 'leaveBody'> {
  let leave = () => {}
  return {
    takeBody(bytes) {
      if (bytes <= SMALL_BODY_BYTES) return true
      const given = room.take(bytes, Date.now())
      if (given === null) return false
      const left = Promise.withResolvers<void>()
      leave = () => {
        given()
        left.resolve()
      }
      keep(left.promise)
      return true
    },
    leaveBody: () => leave(),
  }
}

/** In a Worker the runtime is told of work that goes on after the answer; in a process it simply goes on. */
function waitUntil<Env extends EdgeVars>(c: Context<EdgeTypes<Env>>, work: Promise<unknown>): void {
  try {
    c.executionCtx.waitUntil(work)
  } catch {
    // Hono throws where there is no execution context.
  }
}

const notFound = (path: string): Answering => ({
  path: '*',
  scope: 'any',
  respond: async () => failed(failure('not_found', `there is no ${path}`, { path })),
})

/** The answer to a method that a path does not have, from the routes it does have. */
function methodNotAllowed(path: string, routes: readonly Route[]): Answering {
  const allow = routes.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  const isOpen = routes.some((route) => route.scope === 'open')
  return {
    path,
    scope: isOpen ? 'open' : 'any',
    respond: async () => failed(failure('method_not_allowed', `allowed: ${allow.join(', ')}`, { allow })),
  }
}
