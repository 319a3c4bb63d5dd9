import fc from 'fast-check'
import { problems } from '../../src/http/problem.ts'
import { openapi } from '../../src/reference/openapi.ts'
import { Contract, type Exchange } from '../conformance/contract.ts'
import { type Hostile, request } from '../http/hostile-request.ts'
import { requestsOf } from '../openapi/request.ts'
import { type FloodOptions, type FloodReport, flood, type Verdict } from './flood.ts'
import { openWire, type Wire, type WireAnswer } from './wire.ts'

const contract = new Contract(openapi())

/** Most are drawn from the contract: what it allows, and what breaks one keyword of it. The rest upsets parsers. */
const requests = fc.oneof({ weight: 3, arbitrary: requestsOf(openapi()) }, { weight: 1, arbitrary: request })

/** The clock of every call: it stands still, so that nothing expires, and whatever is written a request has written. */
export const NOW = '2026-01-01T00:00:00.000Z'

/**
 * Sends valid and hostile requests to a server in open mode with the test clock, each lane as a tenant of its own. A
 * fault is a 5xx that nobody decided on, an answer or an accepted request that is none of the contract, an answer that
 * does not come, and a row written by what was refused.
 */
export async function floodNonsense(url: string, options: FloodOptions): Promise<FloodReport> {
  const wire = openWire(url)
  try {
    for (let lane = 0; lane < options.lanes; lane++) await prepare(wire, `lane-${lane}`)
    return await flood(options, requests, async (one, lane) => {
      const tenant = `lane-${lane}`
      const answer = await send(wire, one, tenant)
      // What the next requests hit must be there.
      const isGone = answer.status === 204 || answer.status === 404
      if (isGone) await prepare(wire, tenant)
      const verdict = verdictOf(one, answer)
      // An object writes one row when it comes into test time, with the first call that reaches it, and never again.
      return verdict.fault?.startsWith(WRITTEN) && isFirst(answer)
        ? verdictOf(one, await send(wire, one, tenant))
        : verdict
    })
  } finally {
    wire.close()
  }
}

/** Whether no object wrote more than one row. */
function isFirst({ headers }: WireAnswer): boolean {
  const [, written, objects] = /rows-written=(\d+), objects=(\d+)/.exec(String(headers['rheo-cost'])) ?? []
  return Number(written) <= Number(objects)
}

/** A length that is a lie makes the server wait for the rest of the body, or the rest of the body a request. */
function send(wire: Wire, { method, path, options }: Hostile, tenant: string): Promise<WireAnswer> {
  const { 'Content-Length': _, ...rest } = options.headers
  const headers = { 'Rheo-Tenant': tenant, 'Rheo-Now': NOW, ...rest }
  return wire.send({ method, path, headers, ...(options.raw === undefined ? {} : { raw: options.raw }) })
}

async function prepare(wire: Wire, tenant: string): Promise<void> {
  const post = (path: string, body: object): Promise<WireAnswer> =>
    wire.send({
      method: 'POST',
      path,
      headers: { 'Rheo-Tenant': tenant, 'Rheo-Now': NOW, 'Content-Type': 'application/json' },
      raw: JSON.stringify(body),
    })
  if ((await post('/v1/streams/orders/groups', { name: 'billing' })).status !== 404) return
  await post('/v1/streams', { name: 'orders', partitionCount: 3 })
  await post('/v1/streams/orders/groups', { name: 'billing' })
  const events = ['a', 'b', 'c', 'd', 'e', 'f'].map((key) => ({ key, id: `id-${key}` }))
  await post('/v1/streams/orders/events', { events })
}

/** No HTTP, a path or headers that are longer than the runtime takes. */
const ofRuntime: ReadonlySet<number> = new Set([400, 414, 431])

const WRITTEN = 'written by what was refused'

/** Codes of 5xx that a server decides on under this load. */
const deliberate: ReadonlySet<string> = new Set(['overloaded'])

function verdictOf({ method, path, options }: Hostile, answer: WireAnswer): Verdict {
  const { status, headers, body } = answer
  const said = body as { code?: string; status?: number; results?: unknown } | null
  // What is no HTTP never comes to the Worker; the runtime says so and closes.
  if (headers['rheo-request-id'] === undefined && ofRuntime.has(status)) {
    return { answered: `refused by the runtime with ${status}`, fault: null }
  }
  const answered = `${(status >= 400 && said?.code) || status}`
  const raw = typeof options.raw === 'string' ? options.raw : Buffer.from(options.raw ?? []).toString('hex')
  const fault = (what: string): Verdict => ({
    answered,
    fault: `${what}: ${status} ${answer.text.slice(0, 300)} ${headers['rheo-cost']} to ${method} ${path.slice(0, 300)} ${JSON.stringify(options.headers).slice(0, 200)} ${raw.slice(0, 500)}`,
  })
  if (headers['rheo-request-id'] === undefined) return fault('no request id')
  if (headers['x-content-type-options'] !== 'nosniff') return fault('no nosniff')
  if (headers['cache-control'] !== 'no-store') return fault('may be stored')
  const offences = contract.faultsOf(exchangeOf({ method, path, options }, answer))
  const sound: Verdict =
    offences.length === 0 ? { answered, fault: null } : fault(`against the contract: ${offences[0]}`)
  if (status < 400 || method === 'HEAD') return status < 500 ? sound : fault('5xx')
  if (said?.code === undefined || !Object.hasOwn(problems, said.code)) return fault('no code of the closed set')
  if (status >= 500 && !deliberate.has(said.code)) return fault('5xx')
  if (status !== 415 && status !== problems[said.code as keyof typeof problems][0])
    return fault('status of another code')
  // What several partitions answered differently may be in in part, and says so.
  const isUnwritten = / rows-written=0,/.test(String(headers['rheo-cost']))
  if (said.results === undefined && !isUnwritten) return fault(WRITTEN)
  return sound
}

/** A request and its answer as the contract looks at them. What is no text was not sent as JSON. */
function exchangeOf({ method, path, options }: Hostile, { status, headers, text }: WireAnswer): Exchange {
  const given = new Map(Object.entries(options.headers).map(([name, value]) => [name.toLowerCase(), value]))
  const told = (name: string): string | null => headers[name.toLowerCase()]?.toString() ?? null
  const sent = options.raw === undefined ? null : typeof options.raw === 'string' ? options.raw : undefined
  const requestHeaders = { get: (name: string) => given.get(name.toLowerCase()) ?? null }
  return { method, path, requestHeaders, sent, status, headers: { get: told }, text }
}
