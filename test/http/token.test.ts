import { beforeEach, describe, expect, it, vi } from 'vitest'
import { limits } from '../../src/core/limits.ts'
import { done } from '../../src/core/partition/commands.ts'
import type { EdgeVars } from '../../src/http/vars.ts'
import { FakeBackend } from './fake-backend.ts'
import { type Sent, sendTo } from './send.ts'
import { assemble, claims, hmac, mint, seconds, secret } from './tokens.ts'

const vars: EdgeVars = { RHEO_AUTH: 'token', RHEO_JWT_SECRET: secret }
let backend: FakeBackend
let tenants: string[]

beforeEach(() => {
  backend = new FakeBackend()
  tenants = []
  backend.catalog = async (tenant) => {
    tenants.push(tenant)
    return { answer: done({ streams: [], more: false }) as never, cost: { rowsRead: 0, rowsWritten: 0 }, objects: 0 }
  }
})

/** Lists the streams with an `Authorization` header. */
const listAs = (authorization: string, over: EdgeVars = {}, headers: Record<string, string> = {}): Promise<Sent> =>
  sendTo(backend, { ...vars, ...over })('GET', '/v1/streams', {
    headers: { Authorization: authorization, ...headers },
    host: 'rheo.example',
  })

const list = (token: string, over: EdgeVars = {}, headers: Record<string, string> = {}): Promise<Sent> =>
  listAs(`Bearer ${token}`, over, headers)

async function expectRefused(answer: Promise<Sent>, detail: RegExp = /./, because = ''): Promise<void> {
  const { status, body, headers } = await answer
  expect([status, body.code], because).toEqual([401, 'unauthenticated'])
  expect(body.detail, because).toMatch(detail)
  expect(headers.get('WWW-Authenticate')).toBe('Bearer')
  expect(tenants, because).toEqual([])
}

const raw = (payload: string, header = '{"alg":"HS256"}') => assemble(header, payload, hmac(secret))

describe('API Tenant and credentials: a bearer token', () => {
  it('that is good lets its tenant in, on any host', async () => {
    expect((await list(mint())).status).toBe(200)
    expect(tenants).toEqual(['acme'])
  })

  it.each(['bearer', 'BEARER', 'Bearer '])('may be announced as %j', async (scheme) => {
    expect((await listAs(`${scheme} ${mint()}`)).status).toBe(200)
  })

  it.each(['', 'Bearer', 'Bearer ', 'Basic dXNlcjpwYXNz', mint(), `Bearer ${mint()} x`, `Bearer ${mint()},${mint()}`])(
    'is unauthenticated when the header is no bearer token: %.20s',
    async (authorization) => {
      await expectRefused(listAs(authorization))
    },
  )

  it.each([
    ['of one part', 'x'],
    ['of two parts', mint().split('.').slice(0, 2).join('.')],
    ['of four parts', `${mint()}.x`],
    ['that is no base64', '!!!.???.###'],
    ['whose parts are no JSON', assemble('{', '}', hmac(secret))],
    ['whose header is null', raw(JSON.stringify(claims()), 'null')],
    ['whose header is a list', raw(JSON.stringify(claims()), '[]')],
    ['with a critical extension', raw(JSON.stringify(claims()), '{"alg":"HS256","crit":["b64"],"b64":false}')],
    ['of another type', raw(JSON.stringify(claims()), '{"alg":"HS256","typ":"dpop+jwt"}')],
    ['without an algorithm', raw(JSON.stringify(claims()), '{"typ":"JWT"}')],
    ['with a signature of nothing', mint().replace(/[^.]+$/, '')],
    ['with a signature cut short', mint().slice(0, -1)],
    ['with the signature of another', mint().replace(/[^.]+$/, mint({ tenant: 'other' }).split('.')[2]!)],
    ['whose claims were changed', mint().replace(/\.[^.]+\./, `.${mint({ tenant: 'other' }).split('.')[1]}.`)],
    ['signed with another secret', mint({}, 'x'.repeat(32))],
    ['signed with nothing', mint({}, '')],
    ['of null', raw('null')],
    ['of a list', raw('[]')],
    ['of a text', raw('"acme"')],
    ['of a number', raw('1')],
  ])('%s is unauthenticated', async (_, token) => {
    await expectRefused(list(token))
  })

  it.each([
    ['none', () => Buffer.alloc(0)],
    ['None', () => Buffer.alloc(0)],
    ['HS384', hmac(secret, 'sha384')],
    ['HS512', hmac(secret, 'sha512')],
    ['hs256', hmac(secret)],
    ['RS256', hmac(secret)],
    ['ES256', hmac(secret)],
    ['', hmac(secret)],
  ])('of the algorithm %j is unauthenticated: only HS256 goes with a secret', async (alg, sign) => {
    await expectRefused(list(assemble(JSON.stringify({ alg, typ: 'JWT' }), JSON.stringify(claims()), sign)))
  })

  it('is read up to 8 KiB, and unauthenticated beyond', async () => {
    const padded = (length: number): string => {
      for (let size = length; size > 0; size--) {
        const token = mint({ pad: 'x'.repeat(size) })
        if (token.length <= length) return token
      }
      throw new Error('no token is so short')
    }
    // Base64 goes in steps, so that the longest token may stay a character or two below.
    expect((await list(padded(limits.tokenLength))).status).toBe(200)
    tenants = []
    await expectRefused(list(mint({ pad: 'x'.repeat(limits.tokenLength) })), /longer than 8192/)
    await expectRefused(list('x'.repeat(limits.tokenLength + 1)), /longer than 8192/)
    await expectRefused(list('x'.repeat(limits.tokenLength)), /not valid/)
  })
})

describe('API Tenant and credentials: the times of a token', () => {
  it.each([
    ['no exp', { exp: undefined }, /no exp/],
    ['exp null', { exp: null }, /expired/],
    ['exp as a text', { exp: `${seconds() + 60}` }, /expired/],
    ['exp now', { exp: seconds() }, /expired/],
    ['exp long ago', { exp: 1 }, /expired/],
    ['nbf in the future', { nbf: seconds() + 60 }, /not valid yet/],
    ['nbf as a text', { nbf: '0' }, /not valid yet/],
    ['iat in the future', { iat: seconds() + 60 }, /not valid yet/],
    ['iat as a text', { iat: '0' }, /not valid yet/],
  ])('%s is unauthenticated', async (_, over, detail) => {
    await expectRefused(list(mint(over)), detail)
  })

  it('exp beyond the doubles is unauthenticated', async () => {
    await expectRefused(list(raw('{"tenant":"acme","exp":1e999}')))
  })

  it('nbf and iat in the past are fine, and so is a part of a second', async () => {
    expect((await list(mint({ nbf: 0, iat: seconds() - 1, exp: seconds() + 60.5 }))).status).toBe(200)
  })

  it('are checked against the machine`s clock, whatever Rheo-Now says', async () => {
    const headers = { 'Rheo-Now': '2001-01-01T00:00:00.000Z' }
    await expectRefused(list(mint({ exp: seconds() - 1 }), { RHEO_TEST_CLOCK: '1' }, headers), /expired/)
    expect((await list(mint(), { RHEO_TEST_CLOCK: '1' }, headers)).status).toBe(200)
  })
})

describe('API Tenant and credentials: the claims of a token', () => {
  it.each([undefined, null, '', '-acme', 'a/b', 'acme ', 'äcme', 'a'.repeat(129), 7, ['acme'], { name: 'acme' }])(
    'a tenant that is no valid name is unauthenticated: %j',
    async (tenant) => {
      await expectRefused(list(mint({ tenant })), /tenant/)
    },
  )

  it('a tenant on the prototype of the claims is none', async () => {
    await expectRefused(list(raw(`{"__proto__":{"tenant":"acme"},"exp":${seconds() + 60}}`)), /tenant/)
  })

  it.each([null, 7, true, {}, [7], [null]])('a scope that is no text is unauthenticated: %j', async (scope) => {
    await expectRefused(list(mint({ scope })), /scope/)
  })

  it.each([
    null,
    'orders',
    7,
    {},
    [7],
    [null],
    [['orders']],
    [''],
    ['-orders'],
    ['or*ders'],
    ['orders**'],
    ['*orders'],
    ['or/ders'],
    ['orders', '-*'],
  ])('streams that are no names or prefixes are unauthenticated: %j', async (streams) => {
    await expectRefused(list(mint({ streams })), /streams/)
  })

  it.each([
    ['read', 200],
    ['append  read ', 200],
    ['openid profile read', 200],
    [['append', 'read'], 200],
    [undefined, 403],
    ['', 403],
    ['append consume admin', 403],
    ['append,read', 403],
    ['Read', 403],
    ['reader', 403],
    ['read*', 403],
    ['*', 403],
    [['append read'], 403],
    [[], 403],
  ])('of the scope %j a list, which needs read, is %i', async (scope, status) => {
    expect((await list(mint({ scope }))).status).toBe(status)
  })

  it('the tenant of a token decides: a different Rheo-Tenant is forbidden, the same one is not', async () => {
    for (const named of ['other', 'ACME', 'acme.', '', '-']) {
      const { status, body } = await list(mint(), {}, { 'Rheo-Tenant': named })
      expect([status, body.code], named).toEqual([403, 'forbidden'])
    }
    expect(tenants).toEqual([])
    expect((await list(mint(), {}, { 'Rheo-Tenant': 'acme' })).status).toBe(200)
  })
})

describe('API Tenant and credentials: RHEO_JWT_SECRET', () => {
  const next = 'n'.repeat(32)

  it('rotates: tokens of RHEO_JWT_SECRET_PREVIOUS pass beside those of the current one, and no others', async () => {
    const rotated = { RHEO_JWT_SECRET: next, RHEO_JWT_SECRET_PREVIOUS: secret }
    expect((await list(mint({}, next), rotated)).status).toBe(200)
    expect((await list(mint(), rotated)).status).toBe(200)
    tenants = []
    await expectRefused(list(mint({}, 'x'.repeat(32)), rotated))
    await expectRefused(list(mint({ exp: 1 }), rotated), /expired/)
    await expectRefused(list(mint(), { RHEO_JWT_SECRET: next }))
  })

  it('must have 32 bytes, and so must the previous one', async () => {
    const short = 's'.repeat(31)
    await expectRefused(list(mint({}, short), { RHEO_JWT_SECRET: short }), /RHEO_JWT_SECRET must have at least 32/)
    await expectRefused(list(mint(), { RHEO_JWT_SECRET_PREVIOUS: short }), /RHEO_JWT_SECRET_PREVIOUS must have/)
    const wide = 'ä'.repeat(16)
    expect((await list(mint({}, wide), { RHEO_JWT_SECRET: wide })).status).toBe(200)
  })

  it.each([{}, { RHEO_JWT_SECRET: '' }, { RHEO_JWT_SECRET_PREVIOUS: secret }])(
    'missing is told with what to set: %j',
    async (given) => {
      await expectRefused(
        sendTo(backend, { RHEO_AUTH: 'token', ...given })('GET', '/v1/streams', {
          headers: { Authorization: `Bearer ${mint()}` },
        }),
        /set the secret RHEO_JWT_SECRET, or RHEO_JWKS_URL/,
      )
    },
  )

  it('may hold any words; a key in PEM form in its place lets nobody in', async () => {
    for (const word of ['PUBLIC', 'PRIVATE']) {
      const odd = `${word} ${'x'.repeat(32)}`
      expect((await list(mint({}, odd), { RHEO_JWT_SECRET: odd })).status, word).toBe(200)
    }
    tenants = []
    const pem = `-----BEGIN PUBLIC KEY-----\n${'A'.repeat(64)}\n-----END PUBLIC KEY-----\n`
    await expectRefused(list(mint({}, pem), { RHEO_JWT_SECRET: pem }), /PEM/)
    await expectRefused(list(mint(), { RHEO_JWT_SECRET_PREVIOUS: pem }), /PEM/)
  })

  it('with RHEO_JWT_ISSUER or RHEO_JWT_AUDIENCE beside it, tokens must name them', async () => {
    const named = { RHEO_JWT_ISSUER: 'us', RHEO_JWT_AUDIENCE: 'rheo' }
    expect((await list(mint({ iss: 'us', aud: 'rheo' }), named)).status).toBe(200)
    tenants = []
    for (const over of [{}, { iss: 'us' }, { aud: 'rheo' }, { iss: 'them', aud: 'rheo' }, { iss: 'us', aud: 'x' }]) {
      await expectRefused(list(mint(over), named), /not valid here/, JSON.stringify(over))
    }
  })

  it('is told to nobody: neither answers nor logs hold it, or a token', async () => {
    const logs = (['log', 'warn', 'error'] as const).map((name) => vi.spyOn(console, name).mockImplementation(() => {}))
    const token = mint({ tenant: '-' })
    const answers = [
      await list(token),
      await list(mint({}, 'x'.repeat(32))),
      await list(mint(), { RHEO_JWT_SECRET: 'abc' }),
    ]
    const told = JSON.stringify([answers.map(({ text }) => text), logs.map(({ mock }) => mock.calls)])
    for (const word of [secret, token, 'abc']) expect(told).not.toContain(word)
    for (const log of logs) log.mockRestore()
  })
})
