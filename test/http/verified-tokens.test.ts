import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { done } from '../../src/core/partition/commands.ts'
import type { EdgeVars } from '../../src/http/vars.ts'
import { FakeBackend } from './fake-backend.ts'
import { sendTo } from './send.ts'
import { mint, seconds, secret } from './tokens.ts'

let vars: { -readonly [Name in keyof EdgeVars]: EdgeVars[Name] }
let list: (token: string, headers?: Record<string, string>) => Promise<number>
let checked: () => number

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
  vars = { RHEO_AUTH: 'token', RHEO_JWT_SECRET: secret }
  const backend = new FakeBackend()
  backend.catalogAnswer = () => done({ streams: [], more: false })
  const send = sendTo(backend, vars)
  list = async (token, headers = {}) =>
    (await send('GET', '/v1/streams', { headers: { Authorization: `Bearer ${token}`, ...headers } })).status
  const verify = vi.spyOn(crypto.subtle, 'verify')
  checked = () => verify.mock.calls.length
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const later = (ms: number) => vi.setSystemTime(Date.now() + ms)

describe('a token that was good a moment ago', () => {
  it('is not checked again for a minute, and then it is', async () => {
    const token = mint()
    for (let times = 0; times < 5; times++) expect(await list(token)).toBe(200)
    expect(checked()).toBe(1)
    later(59_999)
    expect([await list(token), checked()]).toEqual([200, 1])
    later(1)
    expect([await list(token), checked()]).toEqual([200, 2])
  })

  it('expires when it says', async () => {
    const token = mint({ exp: seconds() + 10 })
    expect(await list(token)).toBe(200)
    later(9_000)
    expect(await list(token)).toBe(200)
    later(1_000)
    expect(await list(token)).toBe(401)
  })

  it.each([
    ['another secret', { RHEO_JWT_SECRET: 'n'.repeat(32) }],
    ['an issuer', { RHEO_JWT_ISSUER: 'https://issuer.example' }],
    ['an audience', { RHEO_JWT_AUDIENCE: 'rheo' }],
    ['no secret', { RHEO_JWT_SECRET: '' }],
    ['keys in place of the secret', { RHEO_JWT_SECRET: '', RHEO_JWKS_URL: 'https://keys.example' }],
  ])('is good under the settings that it was checked by alone: with %s it is not', async (_, changed) => {
    const token = mint()
    expect(await list(token)).toBe(200)
    Object.assign(vars, changed)
    expect(await list(token)).toBe(401)
  })

  it('is good for its tenant alone', async () => {
    const token = mint()
    expect(await list(token, { 'Rheo-Tenant': 'acme' })).toBe(200)
    expect(await list(token, { 'Rheo-Tenant': 'other' })).toBe(403)
  })

  it('says nothing of a token that differs from it in one character', async () => {
    const token = mint()
    expect(await list(token)).toBe(200)
    const at = token.length - 5
    const other = token[at] === 'A' ? 'B' : 'A'
    expect(await list(token.slice(0, at) + other + token.slice(at + 1))).toBe(401)
  })

  it('is forgotten when it is long', async () => {
    const token = mint({ streams: Array.from({ length: 100 }, (_, n) => `a-rather-long-name-${n}`) })
    expect(token.length).toBeGreaterThan(2_048)
    for (let times = 0; times < 2; times++) expect(await list(token)).toBe(200)
    expect(checked()).toBe(2)
  })
})
