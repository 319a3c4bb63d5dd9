import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { done } from '../../src/core/partition/commands.ts'
import { FakeBackend } from './fake-backend.ts'
import { sendTo } from './send.ts'
import { seconds, secret } from './tokens.ts'

const script = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))

/** Runs the command with options and an environment of its own. */
function run(options: readonly string[], env: Record<string, string> = { RHEO_JWT_SECRET: secret }) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, 'token', 'create', ...options], {
    env: { PATH: process.env.PATH ?? '', ...env },
    encoding: 'utf8',
  })
  return { status, token: stdout.trim(), stderr }
}

const least = ['--tenant', 'acme', '--scope', 'read']

const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString())

describe('npm run token', () => {
  it('mints a token that a deployment with the same secret takes, and no other', async () => {
    const backend = new FakeBackend()
    backend.catalogAnswer = () => done({ streams: [], more: false })
    const { status, token, stderr } = run(least)
    expect([status, stderr]).toEqual([0, expect.stringContaining('read on every stream of the tenant acme')])
    const list = (key: string) =>
      sendTo(backend, { RHEO_AUTH: 'token', RHEO_JWT_SECRET: key })('GET', '/v1/streams', {
        headers: { Authorization: `Bearer ${token}`, 'Rheo-Tenant': 'acme' },
      })
    expect((await list(secret)).status).toBe(200)
    expect((await list('x'.repeat(32))).status).toBe(401)
  })

  it('says in it what was asked for', () => {
    const env = { RHEO_JWT_SECRET: secret, RHEO_JWT_ISSUER: 'us', RHEO_JWT_AUDIENCE: 'rheo' }
    const options = ['--tenant', 'acme', '--scope', 'append consume', '--streams', 'orders, eu-*', '--expires', '30d']
    const { exp, iat, ...claims } = claimsOf(run(options, env).token)
    expect(claims).toEqual({
      tenant: 'acme',
      scope: 'append consume',
      streams: ['orders', 'eu-*'],
      iss: 'us',
      aud: 'rheo',
    })
    expect(exp - iat).toBe(30 * 86_400)
    expect(Math.abs(iat - seconds())).toBeLessThan(60)
    expect(claimsOf(run(least).token)).not.toHaveProperty('streams')
  })

  it.each([
    [[], '--tenant is missing'],
    [['--tenant', 'a/b', '--scope', 'read'], '--tenant must be'],
    [['--tenant', 'acme'], '--scope is missing'],
    [['--tenant', 'acme', '--scope', ' '], '--scope is missing'],
    [['--tenant', 'acme', '--scope', 'read write'], '--scope write'],
    [[...least, '--streams', ''], '--streams ""'],
    [[...least, '--streams', 'a*b'], '--streams "a*b"'],
    [[...least, '--streams', `${'a'.repeat(120)},`.repeat(100).slice(0, -1)], '8192 characters'],
    [[...least, '--expires', '30'], '--expires 30'],
    [[...least, '--expires', '0d'], '--expires 0d'],
    [[...least, '--colour'], '--colour'],
    [[...least, 'more'], 'more'],
  ])('refuses %j: %s', (options, detail) => {
    const { status, token, stderr } = run(options)
    expect([status, token]).toEqual([2, ''])
    expect(stderr).toContain(detail)
  })

  it.each([
    [{}, 'RHEO_JWT_SECRET is not set'],
    [{ RHEO_JWT_SECRET: 's'.repeat(31) }, 'at least 32 bytes'],
    [{ RHEO_JWT_SECRET: `-----BEGIN PUBLIC KEY-----\n${'A'.repeat(64)}` }, 'PEM'],
  ])('refuses the environment %j: %s', (env, detail) => {
    const { status, token, stderr } = run(least, env)
    expect([status, token]).toEqual([2, ''])
    expect(stderr).toContain(detail)
  })
})
