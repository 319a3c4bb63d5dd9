import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { done } from '../../src/core/partition/commands.ts'
import type { EdgeVars } from '../../src/http/vars.ts'
import { FakeBackend } from './fake-backend.ts'
import { type Issuer, startIssuer } from './issuer.ts'
import { type Sent, sendTo } from './send.ts'
import { assemble, claims, hmac, issued, issuerKey, mint, secret } from './tokens.ts'

const rsa = issuerKey('RS256', 'rsa')
const ec = issuerKey('ES256', 'ec')
const ed = issuerKey('EdDSA', 'ed')
const fresh = issuerKey('ES256', 'fresh')
const stranger = issuerKey('ES256', 'ec')

let issuer: Issuer
let list: (token: string) => Promise<Sent>

const edgeOf = (vars: EdgeVars) => {
  const backend = new FakeBackend()
  backend.catalogAnswer = () => done({ streams: [], more: false })
  const send = sendTo(backend, vars)
  return (token: string) => send('GET', '/v1/streams', { headers: { Authorization: `Bearer ${token}` } })
}

beforeEach(async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  // Only the clock that is read: timers and the sockets of the issuer run as ever.
  vi.useFakeTimers({ toFake: ['Date'] })
  issuer = await startIssuer(rsa, ec, ed)
  list = edgeOf(issuer.vars)
})
afterEach(async () => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  await issuer.stop()
})

const later = (ms: number) => vi.setSystemTime(Date.now() + ms)
const status = async (token: string) => (await list(token)).status

describe('API Tenant and credentials: tokens of RHEO_JWKS_URL', () => {
  it.each([
    ['RS256', rsa],
    ['ES256', ec],
    ['EdDSA', ed],
  ])('of %s are good, by the key that their header names', async (_, key) => {
    expect(await status(key.mint())).toBe(200)
    expect(await status(key.mint({ aud: ['other', 'rheo'] }))).toBe(200)
  })

  it.each([
    ['of a key that another made under the same name', stranger.mint()],
    ['of a key that the issuer does not have', fresh.mint()],
    ['without a kid', ec.mint({}, { kid: undefined })],
    ['with a kid that is no text', ec.mint({}, { kid: 7 })],
    ['with the kid of another key', ec.mint({}, { kid: 'ed' })],
    ['whose algorithm is not that of its key', ec.mint({}, { alg: 'RS256' })],
    ['without exp', ec.mint({ exp: undefined })],
    ['that has expired', ec.mint({ exp: 1 })],
    ['without iss', ec.mint({ iss: undefined })],
    ['of another issuer', ec.mint({ iss: 'https://issuer.example' })],
    ['of a list of issuers', ec.mint({ iss: [issued.iss] })],
    ['without aud', ec.mint({ aud: undefined })],
    ['for another audience', ec.mint({ aud: 'rheo-staging' })],
    ['for no audience', ec.mint({ aud: [] })],
    ['for an audience that is no text', ec.mint({ aud: { 0: 'rheo' } })],
    ['without a tenant', ec.mint({ tenant: undefined })],
    ['signed with a secret', mint(issued, secret, { alg: 'HS256', kid: 'rsa' })],
    [
      'of the algorithm none',
      assemble('{"alg":"none","kid":"ec"}', JSON.stringify(claims(issued)), () => Buffer.alloc(0)),
    ],
    ['that names keys of its own', stranger.mint({}, { kid: 'own', jku: 'http://evil.example/', jwk: stranger.jwk })],
  ])('%s are unauthenticated', async (_, token) => {
    const { status, body } = await list(token)
    expect([status, body.code]).toEqual([401, 'unauthenticated'])
  })

  it('signed HS256 with the public key as the secret are unauthenticated, in whatever form', async () => {
    const forms = [
      rsa.publicKey.export({ type: 'spki', format: 'pem' }) as string,
      rsa.publicKey.export({ type: 'pkcs1', format: 'pem' }) as string,
      JSON.stringify(rsa.jwk),
      rsa.jwk.n as string,
    ]
    for (const form of forms) {
      for (const alg of ['HS256', 'RS256']) {
        const header = JSON.stringify({ alg, kid: 'rsa', typ: 'JWT' })
        expect(await status(assemble(header, JSON.stringify(claims(issued)), hmac(form)))).toBe(401)
      }
    }
  })

  it('are not checked by keys that are not for signatures, or no keys at all', async () => {
    issuer.keys = [null, 7, 'rsa', {}, { kid: 'rsa' }, { ...ec.jwk, use: 'enc' }]
    expect(await status(rsa.mint())).toBe(401)
    expect(await status(ec.mint())).toBe(401)
    expect(issuer.asked).toBe(1)
  })

  it('are not checked by a symmetric key that the issuer shows', async () => {
    issuer.keys = [{ kty: 'oct', kid: 'oct', k: Buffer.from(secret).toString('base64url') }]
    for (const alg of ['HS256', 'RS256']) expect(await status(mint(issued, secret, { alg, kid: 'oct' }))).toBe(401)
  })
})

describe('the keys of an issuer', () => {
  it('are asked for once, by however many requests at a time', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => status(ec.mint())))
    expect(new Set(answers)).toEqual(new Set([200]))
    later(599_000)
    expect(await status(rsa.mint())).toBe(200)
    expect(issuer.asked).toBe(1)
  })

  it('rotate: an unknown one is asked for at once, a withdrawn one goes within ten minutes', async () => {
    expect(await status(ec.mint())).toBe(200)
    issuer.keys = [fresh.jwk]
    later(5_000)
    expect(await status(fresh.mint())).toBe(200)
    expect(await status(ec.mint())).toBe(401)
    issuer.keys = [ec.jwk]
    later(600_000)
    expect(await status(fresh.mint())).toBe(401)
  })

  it('are not asked for again and again by bad tokens', async () => {
    expect(await status(ec.mint())).toBe(200)
    for (let turn = 0; turn < 20; turn++) {
      later(200)
      await Promise.all([stranger.mint(), fresh.mint(), ec.mint({ exp: 1 }), 'x', mint()].map(status))
    }
    expect(issuer.asked).toBe(1)
    later(5_000)
    await Promise.all(Array.from({ length: 20 }, () => status(fresh.mint())))
    expect(issuer.asked).toBe(2)
  })

  it('are not asked for by tokens that no key could make good', async () => {
    for (const token of ['x', mint(), mint({}, secret, { alg: 'RS256' }), ec.mint({}, { kid: undefined })]) {
      expect(await status(token)).toBe(401)
    }
    expect(issuer.asked).toBe(0)
  })

  it.each([
    ['answers 500', { status: 500, body: '{"keys":[]}' }],
    ['answers no JSON', { status: 200, body: '<html>' }],
    ['answers without keys', { status: 200, body: '{}' }],
    ['answers null', { status: 200, body: 'null' }],
    ['answers a key that is no list', { status: 200, body: '{"keys":{}}' }],
  ])('that %s leave a token unknown: 503, not 401, and soon asked for again', async (_, instead) => {
    issuer.instead = instead
    for (let turn = 0; turn < 3; turn++) {
      const { status, body, headers } = await list(ec.mint())
      expect([status, body.code, headers.get('Retry-After')]).toEqual([503, 'backend_unavailable', '1'])
      expect(body.detail).not.toContain('127.0.0.1')
    }
    expect(issuer.asked).toBe(1)
    issuer.instead = null
    later(5_000)
    expect(await status(ec.mint())).toBe(200)
  })

  it('that never come leave a token unknown after three seconds', async () => {
    issuer.instead = 'hang'
    expect(await status(ec.mint())).toBe(503)
  })

  it('are used on for an hour while the issuer is away, but a key it did not show stays unknown', async () => {
    expect(await status(ec.mint())).toBe(200)
    issuer.instead = { status: 503, body: '' }
    later(600_000)
    expect(await status(ec.mint())).toBe(200)
    expect(await status(fresh.mint())).toBe(503)
    later(3_000_000)
    expect(await status(ec.mint())).toBe(503)
  })
})

describe('a deployment', () => {
  const detail = async (vars: EdgeVars) => (await edgeOf({ ...issuer.vars, ...vars })(ec.mint())).body.detail

  it('with a secret and an issuer lets nobody in: never both', async () => {
    expect(await detail({ RHEO_JWT_SECRET: secret })).toMatch(/both set/)
    expect(await detail({ RHEO_JWT_SECRET_PREVIOUS: secret })).toMatch(/both set/)
  })

  it('with an issuer must say who it is and whom its tokens are for', async () => {
    expect(await detail({ RHEO_JWT_ISSUER: '' })).toMatch(/RHEO_JWT_ISSUER and RHEO_JWT_AUDIENCE/)
    expect(await detail({ RHEO_JWT_AUDIENCE: '' })).toMatch(/RHEO_JWT_ISSUER and RHEO_JWT_AUDIENCE/)
  })

  it.each(['http://issuer.example/jwks.json', 'issuer.example', 'file:///jwks.json', 'data:application/json,{}'])(
    'does not fetch keys from where others could change them on their way: %s',
    async (url) => {
      expect(await detail({ RHEO_JWKS_URL: url })).toMatch(/https/)
    },
  )
})
