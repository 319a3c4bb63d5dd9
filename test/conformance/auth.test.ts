import { randomBytes } from 'node:crypto'
import { sign } from 'hono/jwt'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Local } from '../../scripts/local.ts'
import { type Answer, type CallOptions, callTo } from './client.ts'
import { endpoints, endpointsWithBody, hasGroup, hasStream, pathOf } from './endpoints.ts'
import { expectProblem } from './problem.ts'
import { randomName } from './random.ts'
import type { Lease, StreamEvent } from './wire.ts'

/*
 * A server that asks for tokens. The suite can sign them only for one that it started itself, so these tests are
 * skipped where RHEO_URL names another.
 */

const secret = randomBytes(32).toString('base64url')
const given = process.env.RHEO_URL ?? ''
let server: Local

beforeAll(async () => {
  if (given !== '') return
  const { startLocal } = await import('../../scripts/local.ts')
  server = await startLocal({ vars: { RHEO_AUTH: 'token', RHEO_JWT_SECRET: secret, RHEO_TEST_CLOCK: '0' } })
})
afterAll(() => server?.stop())

const seconds = (): number => Math.floor(Date.now() / 1_000)
const allScopes = 'append consume read admin'

/** A token for a tenant, with other claims put over the usual ones. */
const tokenFor = (tenant: string, claims: Record<string, unknown> = {}, key = secret): Promise<string> =>
  sign({ tenant, exp: seconds() + 600, scope: allScopes, ...claims }, key, 'HS256')

type As = <T = unknown>(method: string, path: string, options?: CallOptions) => Promise<Answer<T>>

/** Calls as the bearer of a token. */
const bearer =
  (token: string): As =>
  (method, path, options = {}) =>
    callTo(server.url, method, path, { ...options, headers: { Authorization: `Bearer ${token}`, ...options.headers } })

const nobody: As = (method, path, options = {}) => callTo(server.url, method, path, options)

/** A tenant of its own with all scopes, and a stream, a group, an event and its lease. */
async function tenantWithLease(stream: string) {
  const tenant = randomName('tenant')
  const as = bearer(await tokenFor(tenant))
  const path = `/v1/streams/${stream}`
  const made = await as('POST', '/v1/streams', { body: { name: stream, partitionCount: 2 } })
  expect(made.status, made.where).toBe(201)
  await as('POST', `${path}/groups`, { body: { name: 'billing' } })
  const appended = await as<{ event: StreamEvent }>('POST', `${path}/events`, { body: { payload: { tenant } } })
  const fetched = await as<{ leases: Lease[] }>('POST', `${path}/groups/billing/fetch`, { body: {} })
  return {
    tenant,
    as,
    path,
    group: `${path}/groups/billing`,
    event: appended.body.event,
    lease: fetched.body.leases[0]!,
  }
}

describe.skipIf(given !== '')('a server that asks for tokens', () => {
  test.each(endpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
    'API Tenant: without a good token everything is refused: %s',
    async (_, endpoint) => {
      const path = pathOf(endpoint, 'orders', 'billing')
      const bad = [
        nobody,
        bearer('x'),
        bearer(await tokenFor('acme', {}, 'x'.repeat(32))),
        bearer(await tokenFor('acme', { exp: seconds() - 1 })),
        bearer(await tokenFor('-acme')),
      ]
      for (const as of bad) {
        const answer = await as(endpoint.method, path, { body: endpoint.body })
        expectProblem(answer, 'unauthenticated')
        expect(answer.headers.get('www-authenticate'), answer.where).toBe('Bearer')
      }
    },
  )

  test('API Tenant: without a token unknown paths and methods are refused too, and health is not', async () => {
    expectProblem(await nobody('GET', '/v1/nope'), 'unauthenticated')
    expectProblem(await nobody('PUT', '/v1/streams'), 'unauthenticated')
    expect((await nobody('GET', '/v1/health')).status).toBe(200)
  })

  test('API Tenant: Rheo-Tenant opens nothing by itself, and is forbidden when it is not that of the token', async () => {
    expectProblem(await nobody('GET', '/v1/streams', { headers: { 'Rheo-Tenant': 'acme' } }), 'unauthenticated')
    const as = bearer(await tokenFor('acme'))
    expectProblem(await as('GET', '/v1/streams', { headers: { 'Rheo-Tenant': 'other' } }), 'forbidden')
    expect((await as('GET', '/v1/streams', { headers: { 'Rheo-Tenant': 'acme' } })).status).toBe(200)
  })

  test('S1 two tenants with streams of one name never see each other', async () => {
    const name = randomName('orders')
    const a = await tenantWithLease(name)
    const b = await tenantWithLease(name)
    for (const [one, other] of [
      [a, b],
      [b, a],
    ] as const) {
      const read = await one.as<{ events: StreamEvent[] }>('GET', `${one.path}/events`)
      expect(read.body.events.map(({ payload }) => payload.tenant)).toEqual([one.tenant])
      const found = await one.as<{ events: StreamEvent[] }>('POST', `${one.path}/query`, { body: {} })
      expect(found.body.events.map(({ payload }) => payload.tenant)).toEqual([one.tenant])
      const streams = await one.as<{ streams: { name: string }[] }>('GET', '/v1/streams')
      expect(streams.body.streams.map((stream) => stream.name)).toEqual([name])
      expectProblem(await one.as('GET', `${one.path}/events/${other.event.id}`), 'event_not_found')
      const leaseId = other.lease.leaseId
      for (const verb of ['ack', 'nack', 'reject', 'renew', 'release']) {
        expectProblem(await one.as('POST', `${one.group}/${verb}`, { body: { leaseId } }), 'stale_lease')
      }
      const claim = await one.as('POST', `${one.group}/ack`, { body: { receipts: [other.lease.receipt] } })
      expect(claim.body).toMatchObject({ settled: 0, failed: 1 })
      const stolen = await one.as('POST', `${one.path}/events`, { body: { id: other.event.id } })
      expect(stolen.body, stolen.where).not.toMatchObject({ event: { payload: { tenant: other.tenant } } })
    }
    // What the other tried has changed nothing: both leases are still what they were.
    for (const { as, group, lease } of [a, b]) {
      expect((await as('POST', `${group}/ack`, { body: { leaseId: lease.leaseId } })).status).toBe(200)
    }
  })

  test('S1 a cursor of one tenant leads into nothing of another', async () => {
    const name = randomName('orders')
    const a = await tenantWithLease(name)
    const b = await tenantWithLease(name)
    for (const { as, path } of [a, b]) await as('POST', `${path}/events`, { body: { events: [{}, {}, {}] } })
    const search = { body: { limit: 1 } }
    const page = await a.as<{ nextCursor: string }>('POST', `${a.path}/query`, search)
    const taken = { body: { limit: 1, cursor: page.body.nextCursor } }
    expect((await a.as('POST', `${a.path}/query`, taken)).status).toBe(200)
    expectProblem(await b.as('POST', `${b.path}/query`, taken), 'cursor_not_found')
  })

  test('S1 names that almost collide are other tenants and other streams', async () => {
    const name = randomName('orders')
    const a = await tenantWithLease(name)
    for (const alike of [
      a.tenant.toUpperCase(),
      `${a.tenant}.`,
      `${a.tenant}-`,
      a.tenant.slice(0, -1),
      `${a.tenant}0`,
    ]) {
      const as = bearer(await tokenFor(alike))
      expect((await as<{ streams: [] }>('GET', '/v1/streams')).body.streams, alike).toEqual([])
      expectProblem(await as('GET', a.path), 'stream_not_found', alike)
    }
    for (const alike of [name.toUpperCase(), `${name}.`, name.slice(0, -1)]) {
      expectProblem(await a.as('GET', `/v1/streams/${alike}`), 'stream_not_found', alike)
    }
  })

  test.each(endpoints.filter(hasStream).map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
    'API Scopes: a stream that the token does not cover is forbidden, existing or not: %s',
    async (_, endpoint) => {
      const { tenant, path } = await tenantWithLease(randomName('orders'))
      const as = bearer(await tokenFor(tenant, { streams: ['invoices', 'eu-*'] }))
      for (const stream of [path.split('/').at(-1)!, 'nobody-has-this']) {
        const answer = await as(endpoint.method, pathOf(endpoint, stream, 'billing'), { body: endpoint.body })
        expectProblem(answer, 'forbidden')
      }
      const covered = await as(endpoint.method, pathOf(endpoint, 'eu-orders', 'billing'), { body: endpoint.body })
      expectProblem(covered, 'stream_not_found')
    },
  )

  test.each(endpointsWithBody.filter(hasGroup).map((endpoint) => [endpoint.path, endpoint] as const))(
    'API Scopes: none implies another: %s',
    async (_, endpoint) => {
      const path = pathOf(endpoint, 'orders', 'billing')
      const admits: string[] = []
      for (const scope of allScopes.split(' ')) {
        const answer = await bearer(await tokenFor('acme', { scope }))(endpoint.method, path, { body: endpoint.body })
        if (expectProblem(answer, ['forbidden', 'stream_not_found']).code !== 'forbidden') admits.push(scope)
      }
      const isConsuming = /billing\/(fetch|ack|nack|reject|renew|release|settle)$/.test(path)
      expect(admits).toEqual([isConsuming ? 'consume' : 'admin'])
    },
  )

  test('API Scopes: a list shows only the streams that the token covers', async () => {
    const { tenant, as } = await tenantWithLease('orders')
    for (const name of ['eu-1', 'eu-2', 'invoices']) await as('POST', '/v1/streams', { body: { name } })
    const shown = async (streams: string[]) => {
      const answer = await bearer(await tokenFor(tenant, { streams }))<{ streams: { name: string }[] }>(
        'GET',
        '/v1/streams',
      )
      return answer.body.streams.map(({ name }) => name)
    }
    expect(await shown(['*'])).toEqual(['eu-1', 'eu-2', 'invoices', 'orders'])
    expect(await shown(['eu-*', 'orders'])).toEqual(['eu-1', 'eu-2', 'orders'])
    expect(await shown([])).toEqual([])
  })
})
