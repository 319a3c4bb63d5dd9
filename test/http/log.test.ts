import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { formatLeaseId, formatReceipt } from '../../src/core/lease-id.ts'
import type { EdgeVars } from '../../src/http/vars.ts'
import { LocalBackend } from './local-backend.ts'
import { table } from './route-table.ts'
import { secretsIn } from './secrets-in.ts'
import { type Send, type Sent, sendTo } from './send.ts'
import { issued, issuerKey, mint, secret } from './tokens.ts'

const methods = ['debug', 'log', 'info', 'warn', 'error'] as const
const previous = 'p'.repeat(40)
const stolen = {
  leaseId: formatLeaseId({ partition: 0, sequence: 1, token: 'a'.repeat(22) }),
  receipt: formatReceipt({ partition: 0, first: 1, last: 6, count: 6, token: 'b'.repeat(22) }),
}
let logged: string[]

beforeEach(() => {
  logged = []
  for (const method of methods) {
    vi.spyOn(console, method).mockImplementation((...shown) => {
      logged.push(shown.map((one) => (typeof one === 'string' ? one : inspect(one, { depth: 9 }))).join(' '))
    })
  }
})
afterEach(() => vi.restoreAllMocks())

const path = (pattern: string): string =>
  pattern.replace(':stream', 'orders').replace(':group', 'billing').replace(':event', 'none')

/** Calls every route, with credentials and leases wherever they may stand. */
async function callEverything(send: Send, token: string): Promise<Sent[]> {
  const headers = { Authorization: `Bearer ${token}`, 'Rheo-Tenant': 'acme' }
  const answers: Sent[] = []
  for (const [method, pattern, , body] of table) {
    const raw = body === undefined ? {} : { body: 'leaseId' in body ? stolen : body }
    answers.push(await send(method, path(pattern), { headers, ...raw }))
    answers.push(await send(method, path(pattern), { headers, ...(body === undefined ? {} : { body: stolen }) }))
  }
  return answers
}

/** Everything that can be wrong with a deployment's variables, as well as nothing. */
const deployments: readonly (readonly [name: string, vars: EdgeVars])[] = [
  ['that is sound', { RHEO_JWT_SECRET: secret, RHEO_JWT_SECRET_PREVIOUS: previous }],
  ['with a secret that is too short', { RHEO_JWT_SECRET: secret.slice(1) }],
  ['with a key in place of a secret', { RHEO_JWT_SECRET: `-----BEGIN PUBLIC KEY-----${secret}` }],
  ['with a secret and an issuer', { RHEO_JWT_SECRET: secret, RHEO_JWKS_URL: 'https://issuer.example/' }],
  ['with a quota that is none', { RHEO_JWT_SECRET: secret, RHEO_QUOTA_STREAMS: 'x' }],
  ['with the test clock', { RHEO_JWT_SECRET: secret, RHEO_TEST_CLOCK: '1' }],
]

describe('no token, secret, lease id or receipt comes into the log', () => {
  it.each(deployments)('of a deployment %s, whoever calls', async (_, vars) => {
    const send = sendTo(new LocalBackend(), { RHEO_AUTH: 'token', ...vars })
    const tokens = [mint(), mint({}, previous), mint({ exp: 1 }), mint({}, 'x'.repeat(32)), mint().slice(0, -3), 'x']
    const answers = (await Promise.all(tokens.map((token) => callEverything(send, token)))).flat()
    expect(secretsIn(logged.join('\n'), secret.slice(1), previous)).toEqual([])
    // Nor does an answer say what it was asked with.
    const kept = [secret.slice(1), previous, ...tokens.slice(0, 5)]
    for (const { text } of answers) expect(kept.filter((one) => text.includes(one))).toEqual([])
  })

  it('when every object fails, although each failure is logged', async () => {
    const backend = new LocalBackend()
    const send = sendTo(backend, { RHEO_AUTH: 'token', RHEO_JWT_SECRET: secret })
    const headers = { Authorization: `Bearer ${mint()}` }
    await send('POST', '/v1/streams', { headers, body: { name: 'orders' } })
    await send('POST', '/v1/streams/orders/groups', { headers, body: { name: 'billing' } })
    vi.spyOn(backend, 'partition').mockRejectedValue(new Error('the object is gone'))
    await callEverything(send, mint())
    vi.spyOn(backend, 'catalog').mockRejectedValue(new Error('the object is gone'))
    await callEverything(sendTo(backend, { RHEO_AUTH: 'token', RHEO_JWT_SECRET: secret }), mint())
    expect(logged.join('\n')).toContain('does not answer')
    expect(secretsIn(logged.join('\n'), secret)).toEqual([])
  })

  it('when the keys of an issuer cannot be fetched, whatever its URL holds', async () => {
    const vars = { RHEO_AUTH: 'token', RHEO_JWT_ISSUER: issued.iss, RHEO_JWT_AUDIENCE: issued.aud }
    const token = issuerKey('EdDSA', 'one').mint()
    for (const url of ['http://user:hunter2@127.0.0.1:9/keys?key=hunter2', 'http://127.0.0.1:9/keys?key=hunter2']) {
      const send = sendTo(new LocalBackend(), { ...vars, RHEO_JWKS_URL: url })
      const answer = await send('GET', '/v1/streams', { headers: { Authorization: `Bearer ${token}` } })
      expect([answer.status, answer.body.code]).toEqual([503, 'backend_unavailable'])
      expect(secretsIn(answer.text, 'hunter2')).toEqual([])
    }
    expect(logged).toHaveLength(2)
    expect(logged.join('\n')).toContain('the keys at http://127.0.0.1:9/keys cannot be fetched')
    expect(secretsIn(logged.join('\n'), 'hunter2')).toEqual([])
  })

  it('and the search for them finds what it is to find', () => {
    const shown = `${mint()} ${secret} ${stolen.leaseId} ${stolen.receipt}`
    expect(secretsIn(shown, secret)).toHaveLength(4)
    expect(secretsIn('partition 0 of acme/orders, 127.0.0.1, rows 1.5')).toEqual([])
  })
})
