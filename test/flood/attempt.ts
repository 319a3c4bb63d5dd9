import fc from 'fast-check'
import { table } from '../http/route-table.ts'
import { mint } from '../http/tokens.ts'
import { forgedTokens } from './forged-token.ts'
import type { Loot } from './tenant.ts'

/** How somebody tries: as another tenant, as nobody, by the tenant's name alone, or beyond what a token covers. */
export type Kind = 'neighbor' | 'forger' | 'namer' | 'guest'

export interface Attempt {
  readonly kind: Kind
  readonly method: string
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: object | null
}

export const victim = 'acme'
/** Tenants whose names come close to the victim's. */
export const neighbors = ['Acme', 'ACME', 'acme.', 'acme-', 'acme_', 'acm', 'acme0', 'acme.orders', 'aCme', 'other']

/** What is right about a request but for who sends it. */
type Shape = Pick<Attempt, 'method' | 'path' | 'body'>

const verbs = ['ack', 'nack', 'reject', 'renew', 'release'] as const
const base = '/v1/streams/orders'
const group = `${base}/groups/billing`

/** Requests that use what was stolen, wherever it fits and where it does not. */
function usesOf({ leases, eventIds, cursors, consumerId }: Loot): fc.Arbitrary<Shape> {
  const lease = fc.constantFrom(...leases)
  const id = fc.constantFrom(...eventIds)
  const cursor = fc.constantFrom(...cursors)
  const verb = fc.constantFrom(...verbs)
  const post = (path: string, body: object): Shape => ({ method: 'POST', path, body })
  const get = (path: string): Shape => ({ method: 'GET', path, body: null })
  const outcome = fc.constantFrom('ack', 'nack', 'reject', 'release')
  const some = fc.array(lease, { minLength: 1, maxLength: 4 })
  return fc.oneof(
    fc.tuple(verb, lease).map(([verb, { leaseId }]) => post(`${group}/${verb}`, { leaseId })),
    fc.tuple(verb, lease).map(([verb, { leaseId, receipt }]) => post(`${group}/${verb}`, { leaseId, receipt })),
    fc
      .tuple(verb, some)
      .map(([verb, leases]) => post(`${group}/${verb}`, { leases: leases.map(({ leaseId }) => ({ leaseId })) })),
    fc
      .tuple(fc.constantFrom('ack', 'nack', 'reject'), some)
      .map(([verb, leases]) => post(`${group}/${verb}`, { receipts: leases.map(({ receipt }) => receipt) })),
    fc
      .tuple(outcome, some)
      .map(([outcome, leases]) =>
        post(`${group}/settle`, { items: leases.map(({ leaseId }) => ({ leaseId, outcome })) }),
      ),
    id.map((id) => get(`${base}/events/${id}?groups=true`)),
    fc.tuple(id, fc.nat(2)).map(([id, partition]) => get(`${base}/events/${id}?partition=${partition}`)),
    id.map((id) => post(`${base}/events`, { id })),
    id.map((id) => post(`${base}/query`, { where: { 'event.id': id } })),
    fc.constant(post(`${base}/query`, { where: { 'payload.note': { exists: true } } })),
    cursor.map((cursor) => post(`${base}/query`, { limit: 1, cursor })),
    fc
      .tuple(fc.constantFrom('dead-letters', 'leases', ''), cursor)
      .map(([list, after]) =>
        get(list === '' ? `${base}/groups?after=${after}` : `${group}/${list}?limit=1&after=${after}`),
      ),
    fc.constant(post(`${group}/leases/release`, { consumerId })),
    id.map((id) => post(`${group}/dead-letters/redrive`, { eventIds: [id] })),
    id.map((id) => post(`${group}/replay`, { query: { where: { 'event.id': id } } })),
  )
}

/** Every route there is, with a body that is right. */
const routes = (isTaken: (path: string, needs: string) => boolean): Shape[] =>
  table
    .filter(([, path, needs]) => needs !== 'open' && isTaken(path, needs))
    .map(([method, path, , body]) => ({
      method,
      path:
        path.replace(':stream', 'orders').replace(':group', 'billing').replace(':event', 'none') + confirmed(method),
      body: body ?? null,
    }))

const confirmed = (method: string): string => (method === 'DELETE' ? '?confirm=true' : '')

/** Ways to write `orders` in a path. */
const spellings = ['orders', '%6Frders', 'order%73', 'x/../orders', './orders', '%2e/orders', 'orders%00', 'orders%20']

const json = { 'Content-Type': 'application/json' }

/** Every way to try that is known here, with what was stolen from the victim. */
export function attempts(loot: Loot, secret: string, now: string): fc.Arbitrary<Attempt> {
  const common = { ...json, 'Rheo-Now': now }
  const uses = usesOf(loot)
  const everyRoute = fc.constantFrom(...routes(() => true))
  // What a neighbor may do to its own is no attempt, and would leave it with nothing to be mistaken for.
  const harmless = routes(() => true).filter(({ method, path }) => method !== 'DELETE' && !path.endsWith('/redrive'))
  const tokenOf = new Map(neighbors.map((tenant) => [tenant, `Bearer ${mint({ tenant }, secret)}`]))
  const neighbor = fc.constantFrom(...neighbors)

  const asNeighbor = fc
    .tuple(neighbor, fc.oneof({ weight: 3, arbitrary: uses }, { weight: 1, arbitrary: fc.constantFrom(...harmless) }))
    .map(([tenant, shape]): Attempt => {
      return { kind: 'neighbor', ...shape, headers: { ...common, Authorization: tokenOf.get(tenant)! } }
    })

  const extra = fc.constantFrom<Record<string, string>>(
    {},
    { 'Rheo-Tenant': victim },
    { Cookie: `token=${victim}` },
    { 'X-Forwarded-Host': 'localhost' },
    { Origin: 'null' },
  )
  const asForger = fc
    .tuple(forgedTokens(victim, secret), fc.oneof(uses, everyRoute), extra)
    .map(([token, shape, extra]): Attempt => {
      return {
        kind: 'forger',
        ...shape,
        headers: { ...common, ...extra, ...(token === '' ? {} : { Authorization: token }) },
      }
    })

  const named = fc.constantFrom(victim, `${victim}, other`, 'acm\u00e9', `${victim}%00`, `x${victim}`, `"${victim}"`)
  const asNamer = fc.tuple(neighbor, named, fc.oneof(uses, everyRoute)).map(([tenant, name, shape]): Attempt => {
    return { kind: 'namer', ...shape, headers: { ...common, Authorization: tokenOf.get(tenant)!, 'Rheo-Tenant': name } }
  })

  // Tokens of the victim's own that do not reach so far: other streams, or another scope.
  const streams = [[], ['order'], ['orders-*'], ['ORDERS'], ['Orders*'], ['orders.', 'rders'], ['0*'], ['orders0*']]
  const scope = ['', 'Admin', 'READ', 'read\tadmin', 'append,consume', 'admin:orders', ['admin read'], 'reader *']
  const lesser = [
    ...streams.map((streams) => mint({ tenant: victim, streams }, secret)),
    ...scope.map((scope) => mint({ tenant: victim, scope }, secret)),
  ]
  const inStream = fc.constantFrom(...routes((path, needs) => path.includes(':stream') && needs !== 'any'))
  const asGuest = fc
    .tuple(fc.constantFrom(...lesser), fc.oneof(uses, inStream), fc.constantFrom(...spellings))
    .map(([token, shape, spelling]): Attempt => {
      const path = shape.path.replace('/orders', `/${spelling}`)
      return { kind: 'guest', ...shape, path, headers: { ...common, Authorization: `Bearer ${token}` } }
    })
  return fc.oneof(asNeighbor, asNeighbor, asForger, asNamer, asGuest)
}
