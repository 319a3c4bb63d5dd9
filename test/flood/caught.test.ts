import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Local, startLocal } from '../../scripts/local.ts'
import { mint } from '../http/tokens.ts'
import { floodAcross } from './across.ts'
import { floodNonsense } from './nonsense.ts'
import { startWrong, type Wrong } from './wrong-server.ts'

/* A flood that finds nothing proves something only if it would find something: faults put in on purpose. */

const options = { requests: 400, seed: 1, lanes: 8 }
const secret = randomBytes(32).toString('base64url')
const vars = { RHEO_TEST_CLOCK: '1' }
const onLog = (): void => {}

/** The faults that a flood finds in a server that is sound but for one thing. */
async function faultsOf(server: Local, wrong: Wrong, flood: (url: string) => Promise<{ faults: readonly string[] }>) {
  const { url, stop } = await startWrong(server.url, wrong)
  try {
    return (await flood(url)).faults.map((fault) => fault.split(':')[0])
  } finally {
    stop()
  }
}

describe('the flood of hostile requests catches a server', () => {
  let server: Local
  beforeAll(async () => {
    server = await startLocal({ directSockets: true, vars, onLog })
  })
  afterAll(() => server.stop())

  const wrongs: readonly (readonly [name: string, wrong: Wrong, said: string])[] = [
    [
      'that fails where it should refuse',
      { answer: (got) => (got.body?.code === 'stale_lease' ? { ...got, status: 500 } : got) },
      '5xx',
    ],
    [
      'that writes what it refuses',
      {
        answer: (got) =>
          got.status === 400
            ? { ...got, headers: { ...got.headers, 'rheo-cost': 'rows-read=0, rows-written=1, objects=1' } }
            : got,
      },
      'written by what was refused',
    ],
    [
      'that refuses without a code',
      { answer: (got) => (got.status === 400 ? { ...got, text: '{}' } : got) },
      'no code of the closed set',
    ],
    [
      'that answers with a member that the contract does not know',
      {
        answer: (got) =>
          got.status < 300 && got.body !== null ? { ...got, text: got.text.replace('{', '{"secret":1,') } : got,
      },
      'against the contract',
    ],
    [
      'whose answers a browser may take for pages',
      { answer: (got) => ({ ...got, headers: { ...got.headers, 'x-content-type-options': '' } }) },
      'no nosniff',
    ],
  ]
  it.each(wrongs)('%s', async (_, wrong, said) => {
    expect(await faultsOf(server, wrong, (url) => floodNonsense(url, options))).toContain(said)
  })
})

/** The claims of a token, verified or not. */
function claimsOf(authorization = ''): Record<string, unknown> | null {
  try {
    return JSON.parse(Buffer.from(authorization.split('.')[1] ?? '', 'base64url').toString())
  } catch {
    return null
  }
}

/** Gives whoever calls a good token with the claims that `change` makes of those of its own. */
const trusting = (change: (claims: Record<string, unknown>) => Record<string, unknown>): Wrong => ({
  request: (headers) => {
    const claims = claimsOf(headers.authorization)
    return claims === null ? headers : { ...headers, authorization: `Bearer ${mint(change(claims), secret)}` }
  },
})

describe('the flood across tenants catches a server', () => {
  const wrongs: readonly (readonly [name: string, wrong: Wrong, said: string])[] = [
    ['that believes tokens it has not verified', trusting((claims) => claims), 'not refused'],
    ['that believes them for ever', trusting((claims) => ({ ...claims, exp: Date.now() })), 'read'],
    [
      'that looks at no scope and no list of streams',
      trusting(({ tenant, exp }) => ({ tenant, exp, scope: 'append consume read admin' })),
      'what the API shows of the tenant has changed',
    ],
    [
      'that lets the header choose the tenant',
      { request: ({ 'rheo-tenant': _, ...headers }) => headers },
      'not refused',
    ],
  ]
  it.each(wrongs)('%s', async (_, wrong, said) => {
    const token = { ...vars, RHEO_AUTH: 'token', RHEO_JWT_SECRET: secret }
    const server = await startLocal({ directSockets: true, vars: token, onLog })
    try {
      expect(await faultsOf(server, wrong, (url) => floodAcross(url, secret, options))).toContain(said)
    } finally {
      await server.stop()
    }
  })
})
