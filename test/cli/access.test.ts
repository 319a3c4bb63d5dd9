import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTerminal, type Terminal } from './terminal.ts'

const secret = 'a secret of at least thirty-two bytes'
let open: Terminal
let closed: Terminal
beforeAll(async () => {
  open = await openTerminal()
  closed = await openTerminal({ RHEO_AUTH: 'token', RHEO_JWT_SECRET: secret })
})
afterAll(() => Promise.all([open.local.stop(), closed.local.stop()]))

test('a token that was created opens what its scope says', async () => {
  const env = { RHEO_JWT_SECRET: secret, RHEO_TENANT: 'acme' }
  const made = await closed.rheo(['token', 'create', '--scope', 'admin read', '--expires', '2h'], { env })
  expect(made).toMatchObject({
    code: 0,
    err: expect.stringMatching(/^admin, read on every stream of the tenant acme, until /),
  })
  const token = made.out.trim()
  expect(await closed.rheo('streams create orders', { env: { RHEO_TOKEN: token } })).toMatchObject({ code: 0 })
  expect((await closed.rheo(`streams list --token ${token}`)).out).toContain('orders')
  expect(await closed.rheo(`append orders --token ${token}`)).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^forbidden: /),
  })
})

test('a token may be for some streams, and comes with its claims as JSON', async () => {
  const line = 'token create --json --tenant acme --scope append --streams orders,eu-* --expires 30d'
  const { out } = await closed.rheo(line, { env: { RHEO_JWT_SECRET: secret, RHEO_JWT_ISSUER: 'me' } })
  const { token, claims } = JSON.parse(out)
  expect(claims).toMatchObject({ iss: 'me', tenant: 'acme', scope: 'append', streams: ['orders', 'eu-*'] })
  expect(claims.exp - claims.iat).toBe(30 * 86_400)
  expect(JSON.parse(atob(token.split('.')[1]))).toEqual(claims)
})

test('help of token create has flags that mean something to it, and the tenant of a profile counts', async () => {
  const { out } = await closed.rheo('token create --help')
  expect(out).toMatch(/--tenant=<name> +Whose streams it opens/)
  expect(out).not.toMatch(/--(url|token)\b(?=[=<])/)
  const config = mkdtempSync(path.join(tmpdir(), 'rheo-access-'))
  try {
    const env = { RHEO_JWT_SECRET: secret, XDG_CONFIG_HOME: config, RHEO_URL: '' }
    await closed.rheo('profile set mine --tenant acme', { env })
    const made = await closed.rheo('token create --scope read --profile mine --json', { env })
    expect(JSON.parse(made.out).claims).toMatchObject({ tenant: 'acme' })
  } finally {
    rmSync(config, { recursive: true })
  }
})

test.each([
  ['token create --scope read', { RHEO_JWT_SECRET: secret }, '--tenant is missing'],
  ['token create --tenant a', { RHEO_JWT_SECRET: secret }, '--scope is missing'],
  ['token create --tenant a --scope write', { RHEO_JWT_SECRET: secret }, '--scope write is none of'],
  [
    'token create --tenant a --scope ,',
    { RHEO_JWT_SECRET: secret },
    '--scope is missing: a token without one allows nothing',
  ],
  ['token create --tenant a --scope read --expires soon', { RHEO_JWT_SECRET: secret }, '--expires soon is no time'],
  ['token create --tenant a --scope read', {}, 'RHEO_JWT_SECRET is not set'],
  ['token create --tenant a --scope read', { RHEO_JWT_SECRET: 'short' }, 'RHEO_JWT_SECRET must have at least 32 bytes'],
])('a token that would be of no use is not made: %s', async (line, env, told) => {
  expect(await closed.rheo(line, { env: env as Record<string, string> })).toMatchObject({
    code: 2,
    out: '',
    err: expect.stringContaining(told),
  })
})

test('doctor says that all is well, and what to mind', async () => {
  const { code, out } = await open.rheo('doctor')
  expect(code).toBe(0)
  expect(out.replace(/http:[^;]+/, 'URL').replace(/in \d+ ms/, 'in n ms')).toMatchInlineSnapshot(`
    "CHECK        RESULT  DETAIL
    settings     ok      URL; url from RHEO_URL
    health       ok      version 0.1.0, in n ms
    credentials  ok      auth open, storage node-sqlite; what is appended does not outlive the process; the clock can be set by callers: never in production
    streams      ok      0 to be seen
    "
  `)
})

test('doctor says what is wrong, and what to do', async () => {
  const { code, out } = await closed.rheo('doctor')
  expect(code).toBe(1)
  expect(out).toContain('ok')
  expect(out).toMatch(/credentials +FAILED +unauthenticated: .*; set RHEO_TOKEN; rheo token create signs one/)
  const json = JSON.parse((await closed.rheo('doctor --json')).out)
  expect(json).toMatchObject({
    ok: false,
    checks: [
      { check: 'settings', ok: true, detail: `${closed.local.url}; url from RHEO_URL` },
      { check: 'health', ok: true },
      { check: 'credentials', ok: false },
    ],
  })
})

test('doctor of a wrong path says so', async () => {
  const { out } = await open.rheo(`doctor --url ${open.local.url}/elsewhere`)
  expect(out).toMatch(/health +FAILED +not_found: .*; the URL leads to something that is no Rheo server/)
})
