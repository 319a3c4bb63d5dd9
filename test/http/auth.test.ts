import { beforeEach, describe, expect, it } from 'vitest'
import { done } from '../../src/core/partition/commands.ts'
import type { EdgeVars } from '../../src/http/vars.ts'
import { FakeBackend } from './fake-backend.ts'
import { type SendOptions, type Sent, sendTo } from './send.ts'

let backend: FakeBackend
beforeEach(() => {
  backend = new FakeBackend()
  backend.catalogAnswer = () => done({ streams: [], more: false })
})

const list = (vars: EdgeVars, options: SendOptions = {}): Promise<Sent> =>
  sendTo(backend, vars)('GET', '/v1/streams', options)

describe('RHEO_AUTH', () => {
  it('token refuses every call but health, unknown paths included, and says what to set', async () => {
    const send = sendTo(backend, { RHEO_AUTH: 'token' })
    for (const path of ['/v1/streams', '/v1/capabilities', '/v1/nope', '/v1/streams/-/events']) {
      const answer = await send('GET', path)
      expect([answer.status, answer.body.code]).toEqual([401, 'unauthenticated'])
      expect(answer.body.detail).toContain('RHEO_AUTH')
      expect(answer.headers.get('WWW-Authenticate')).toBe('Bearer')
    }
    expect((await send('GET', '/v1/health')).body).toEqual({ status: 'ok', version: '1.2.3' })
    expect(backend.asked).toHaveLength(0)
  })

  it.each([{}, { RHEO_AUTH: '' }, { RHEO_AUTH: 'Open' }, { RHEO_AUTH: 'none' }])(
    'fails closed when it is %j',
    async (vars) => {
      expect((await list(vars)).body.code).toBe('unauthenticated')
    },
  )
})

describe('in open', () => {
  const open = { RHEO_AUTH: 'open' }

  it.each(['localhost', 'localhost:8787', 'LOCALHOST', 'a.localhost', '127.0.0.1', '127.9.9.9:80', '[::1]:8787'])(
    'the loopback host %s is served',
    async (host) => {
      expect((await list(open, { host })).status).toBe(200)
    },
  )

  it.each(['example.com', '10.0.0.1', '0.0.0.0', '[::2]', 'localhost.evil.com', '127.0.0.1.evil.com', 'evillocalhost'])(
    'the host %s is not, unless RHEO_OPEN_HOSTS names it',
    async (host) => {
      expect((await list(open, { host })).body.code).toBe('unauthenticated')
      expect((await list({ ...open, RHEO_OPEN_HOSTS: `other.example, ${host.toUpperCase()}` }, { host })).status).toBe(
        200,
      )
    },
  )

  it('each host is judged by itself, whatever host the request before came to', async () => {
    const hosts = [
      'localhost',
      'localhost.evil.com',
      'localhost',
      'localhost:80',
      'localhos',
      'localhost:8787',
      'evil.com',
    ]
    const statuses: number[] = []
    for (const host of hosts) statuses.push((await list(open, { host })).status)
    expect(statuses).toEqual([200, 401, 200, 200, 401, 200, 401])
  })

  it('the tenant is that of Rheo-Tenant, else default', async () => {
    const tenants: string[] = []
    backend.catalog = async (tenant) => {
      tenants.push(tenant)
      const answer = done({ streams: [], more: false }) as never
      return { answer, cost: { rowsRead: 0, rowsWritten: 0 }, objects: 0 }
    }
    await list(open)
    await list(open, { headers: { 'Rheo-Tenant': 'acme' } })
    expect(tenants).toEqual(['default', 'acme'])
    const { body } = await list(open, { headers: { 'Rheo-Tenant': '-acme' } })
    expect(body).toMatchObject({ code: 'invalid_name', field: 'Rheo-Tenant' })
  })
})

describe('RHEO_CORS_ORIGINS', () => {
  const headers = { Origin: 'https://app.example' }
  const vars = { RHEO_AUTH: 'open', RHEO_CORS_ORIGINS: 'https://app.example, https://b.example' }

  it('names the origins that may read answers; without it none may', async () => {
    expect((await list({ RHEO_AUTH: 'open' }, { headers })).headers.get('Access-Control-Allow-Origin')).toBeNull()
    const allowed = await list(vars, { headers })
    expect(allowed.headers.get('Access-Control-Allow-Origin')).toBe('https://app.example')
    expect(allowed.headers.get('Access-Control-Expose-Headers')).toContain('Rheo-Request-Id')
    const other = await list(vars, { headers: { Origin: 'https://evil.example' } })
    expect(other.headers.get('Access-Control-Allow-Origin')).toBeNull()
  })

  it('answers a preflight, which carries no token', async () => {
    const send = sendTo(backend, { ...vars, RHEO_AUTH: 'token' })
    const answer = await send('OPTIONS', '/v1/streams', {
      headers: { ...headers, 'Access-Control-Request-Method': 'POST' },
    })
    expect(answer.status).toBe(204)
    expect(answer.headers.get('Access-Control-Allow-Headers')).toContain('Authorization')
    expect(answer.headers.get('Cache-Control')).toBe('no-store')
  })
})
