import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Local } from '../../scripts/local.ts'
import { type Issuer, startIssuer } from '../http/issuer.ts'
import { issuerKey } from '../http/tokens.ts'
import { callTo } from './client.ts'
import { expectProblem } from './problem.ts'

/*
 * A server whose tokens come from an issuer on this machine; skipped where RHEO_URL names another server. What is
 * shared between requests in one isolate shows only in the runtime itself.
 */

const given = process.env.RHEO_URL ?? ''
const keys = { RS256: issuerKey('RS256', 'rsa'), ES256: issuerKey('ES256', 'ec'), EdDSA: issuerKey('EdDSA', 'ed') }
const stranger = issuerKey('ES256', 'ec')
let issuer: Issuer
let server: Local

beforeAll(async () => {
  if (given !== '') return
  const { startLocal } = await import('../../scripts/local.ts')
  issuer = await startIssuer(...Object.values(keys))
  server = await startLocal({ vars: { ...issuer.vars } as Record<string, string> })
})
afterAll(async () => {
  await server?.stop()
  await issuer?.stop()
})

const list = (token: string, signal?: AbortSignal) =>
  callTo(server.url, 'GET', '/v1/streams', {
    headers: { Authorization: `Bearer ${token}` },
    ...(signal === undefined ? {} : { signal }),
  })

describe.skipIf(given !== '')('a server that knows its issuer by its keys', () => {
  test('asks for them once for all who wait, also when the first of them goes away', async () => {
    const asked = issuer.hold()
    const leaving = new AbortController()
    const first = list(keys.ES256.mint(), leaving.signal).catch((error: Error) => error.name)
    await asked
    const others = Array.from({ length: 30 }, () => list(keys.ES256.mint()))
    leaving.abort()
    expect(await first).toBe('AbortError')
    issuer.release()
    for (const answer of await Promise.all(others)) expect(answer.status, answer.where).toBe(200)
    expect(issuer.asked).toBe(1)
  })

  test.each(Object.entries(keys))('takes tokens of %s', async (_, key) => {
    expect((await list(key.mint())).status).toBe(200)
  })

  test('refuses the tokens of a stranger, and asks nobody about them', async () => {
    expectProblem(await list(stranger.mint()), 'unauthenticated')
    expect(issuer.asked).toBe(1)
  })
})
