import { beforeEach, describe, expect, it } from 'vitest'
import { failure } from '../../src/core/failure.ts'
import { done, refused } from '../../src/core/partition/commands.ts'
import { routesOf } from '../../src/http/edge.ts'
import { scopes } from '../../src/http/principal.ts'
import { pageRoutes } from '../../src/http/routes/pages.ts'
import { FakeBackend } from './fake-backend.ts'
import { table } from './route-table.ts'
import { mechanisms, type Sent, sendTo } from './send.ts'
import { mint, secret } from './tokens.ts'

const ofStreams = table.filter(([, path]) => path.includes(':stream'))

let backend: FakeBackend
beforeEach(() => {
  backend = new FakeBackend()
  backend.addStream('orders', 1)
  // Whoever gets as far as an object has been let in.
  backend.catalogAnswer = ({ type }) =>
    type === 'streams'
      ? done({ streams: [], more: false })
      : refused(failure('stream_not_found', 'no stream', { stream: 'orders' }))
})

const vars = { RHEO_AUTH: 'token', RHEO_JWT_SECRET: secret }

/** Calls a route as the bearer of some claims; null for a caller without a token. */
function call(
  method: string,
  path: string,
  body: object | undefined,
  claims: object | null,
  stream = 'orders',
): Promise<Sent> {
  const filled = path.replace(':stream', stream).replace(':group', 'billing').replace(':event', 'an-id')
  const headers: Record<string, string> = claims === null ? {} : { Authorization: `Bearer ${mint({ ...claims })}` }
  const query = method === 'DELETE' ? '?confirm=true' : ''
  return sendTo(backend, vars)(method, filled + query, { body, headers })
}

/** Whether a call got past everything that has to do with who calls. */
const isIn = ({ status, body }: Sent): boolean => status === 200 || status === 201 || body.code === 'stream_not_found'

describe('API Scopes', () => {
  it('every route but the pages stands in the table', () => {
    const routes = routesOf({ version: '1', mechanisms }).filter((route) => !pageRoutes.includes(route))
    expect(routes.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(
      table.map(([method, path]) => `${method} ${path}`).toSorted(),
    )
  })

  it.each(table)('%s %s needs %s: exactly that admits, none implies another', async (method, path, needs, body) => {
    for (const scope of [...scopes, '']) {
      const answer = await call(method, path, body, { scope })
      const admits = needs === 'any' || needs === 'open' || scope === needs
      expect(isIn(answer), `${scope} ${answer.text}`).toBe(admits)
      if (!admits) expect([answer.status, answer.body.code]).toEqual([403, 'forbidden'])
    }
    const others = scopes.filter((scope) => scope !== needs).join(' ')
    if (needs !== 'any' && needs !== 'open') {
      expect((await call(method, path, body, { scope: others })).body.code).toBe('forbidden')
    }
  })

  it.each(table)(
    '%s %s without a token is unauthenticated, but where it is open',
    async (method, path, needs, body) => {
      expect((await call(method, path, body, null)).status).toBe(needs === 'open' ? 200 : 401)
      if (needs !== 'open') expect(backend.asked).toHaveLength(0)
    },
  )

  it.each(['OPTIONS', 'PUT', 'HEAD'])('%s, which no table names, is open to nobody either', async (method) => {
    for (const [, path] of table.filter(([, path]) => path !== '/v1/health')) {
      expect((await call(method, path, undefined, null)).status, path).toBe(401)
    }
  })
})

describe('API Scopes: a stream that the token does not cover', () => {
  it.each(ofStreams)(
    'is forbidden, existing or not, before the body is looked at: %s %s',
    async (method, path, _, body) => {
      const claims = { streams: ['invoices', 'eu-*'] }
      for (const stream of ['orders', 'nobody-has-this', 'eu', 'Invoices', 'invoices-2']) {
        for (const sent of [body, body === undefined ? undefined : { wrong: 1 }]) {
          const answer = await call(method, path, sent, claims, stream)
          expect([answer.status, answer.body.code], stream).toEqual([403, 'forbidden'])
        }
        const wrongMethod = await call('PUT', path, undefined, claims, stream)
        expect(wrongMethod.body.code, `PUT ${stream}`).toBe('forbidden')
      }
      expect(backend.asked).toHaveLength(0)
      for (const stream of ['invoices', 'eu-', 'eu-orders']) {
        expect(isIn(await call(method, path, body, claims, stream)), stream).toBe(true)
      }
    },
  )

  it.each(ofStreams)('comes after names: %s %s', async (method, path, _, body) => {
    expect((await call(method, path, body, { streams: [], scope: '' }, '-')).body.code).toBe('invalid_name')
  })

  it.each([
    [undefined, ['orders', 'x']],
    [['*'], ['orders', 'x']],
    [['orders'], ['orders']],
    [
      ['ord*', 'x'],
      ['orders', 'x'],
    ],
    [['orders*'], ['orders']],
    [['Orders'], []],
    [['order'], []],
    [[], []],
  ])('of the streams %j these are covered: %j', async (streams, covered) => {
    for (const stream of ['orders', 'x']) {
      const answer = await call('GET', '/v1/streams/:stream', undefined, { streams }, stream)
      expect(answer.body.code).toBe(covered.includes(stream) ? 'stream_not_found' : 'forbidden')
    }
  })

  it('cannot be created, and is told so before the rest of the body is checked', async () => {
    const create = async (body: object) => (await call('POST', '/v1/streams', body, { streams: ['eu-*'] })).body.code
    expect(await create({ name: '-' })).toBe('invalid_name')
    expect(await create({ name: 'orders' })).toBe('forbidden')
    expect(await create({ name: 'orders', partitionCount: 0, foo: 1 })).toBe('forbidden')
    expect(backend.asked).toHaveLength(0)
    expect(await create({ name: 'eu-orders', partitionCount: 0 })).toBe('invalid_partition_count')
    expect(await create({ partitionCount: 1 })).toBe('invalid_request')
    await create({ name: 'eu-orders' })
    expect(backend.asked).toMatchObject([{ type: 'createStream', name: 'eu-orders' }])
  })

  it('is in no list, whose pages and cursors tell nothing of it', async () => {
    const names = ['a', 'eu-1', 'eu-2', 'eu-3', 'm', 'orders', 'z']
    backend.catalogAnswer = (command) => {
      if (command.type !== 'streams') throw new Error(command.type)
      // Pages of two, so that covered streams lie behind pages without any.
      const left = names.filter((name) => name > command.after)
      const page = left.slice(0, Math.min(2, command.limit))
      const streams = page.map((name) => ({ name, uid: name, partitionCount: 1, createdAtMs: 0 }))
      return done({ streams, more: left.length > page.length })
    }
    const list = async (query: string, streams: string[]) => {
      const { body } = await call('GET', `/v1/streams${query}`, undefined, { streams })
      return [body.streams.map(({ name }: { name: string }) => name), body.nextCursor]
    }
    expect(await list('', ['eu-*', 'orders'])).toEqual([['eu-1', 'eu-2', 'eu-3', 'orders'], null])
    expect(await list('?limit=2', ['eu-*', 'orders'])).toEqual([['eu-1', 'eu-2'], 'eu-2'])
    expect(await list('?limit=2&after=eu-2', ['eu-*', 'orders'])).toEqual([['eu-3', 'orders'], null])
    expect(await list('?limit=1', ['orders'])).toEqual([['orders'], null])
    expect(await list('?limit=1', ['none'])).toEqual([[], null])
    expect(await list('', [])).toEqual([[], null])
  })
})

describe('S7 the order of checks with a token', () => {
  it.each([
    ['unauthenticated', '-', { exp: 1, scope: '', streams: [] }, { 'Rheo-Tenant': 'other' }],
    ['forbidden', '-', { scope: '', streams: [] }, { 'Rheo-Tenant': 'other' }],
    ['invalid_name', '-', { scope: '', streams: [] }, {}],
    ['forbidden', 'none', { scope: '', streams: [] }, {}],
    ['forbidden', 'none', { scope: 'append', streams: [] }, {}],
    ['invalid_request', 'none', { scope: 'append', streams: ['none'] }, {}],
  ])('%s', async (code, stream, claims, headers) => {
    const answer = await sendTo(backend, vars)('POST', `/v1/streams/${stream}/events`, {
      body: { foo: 1 },
      headers: { Authorization: `Bearer ${mint(claims)}`, ...headers },
    })
    expect(answer.body.code).toBe(code)
    expect(backend.asked).toHaveLength(0)
  })
})
