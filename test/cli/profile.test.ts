import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openTerminal, type Terminal, type Typed } from './terminal.ts'

const token = 'eyJhbGciOiJIUzI1NiJ9.a-payload-of-some-length.and-a-signature'

let terminal: Terminal
let config: string
let file: string
beforeAll(async () => {
  terminal = await openTerminal()
})
afterAll(() => terminal.local.stop())
beforeEach(() => {
  config = mkdtempSync(path.join(tmpdir(), 'rheo-profile-'))
  file = path.join(config, 'rheo', 'config.json')
  return () => rmSync(config, { recursive: true })
})

/** Runs a command line without a URL in the environment. */
const rheo = (line: string, typed: Typed = {}) =>
  terminal.rheo(line, { ...typed, env: { XDG_CONFIG_HOME: config, RHEO_URL: '', ...typed.env } })

/** Where a command line would go, and why. */
async function settings(line: string, env: Record<string, string> = {}): Promise<string> {
  return JSON.parse((await rheo(`doctor --json ${line}`, { env })).out).checks[0].detail
}

test('profiles are set, listed, shown and removed, and no token is printed in full', async () => {
  const set = await rheo('profile set production --url https://rheo.example.com --token -', { stdin: `${token}\n` })
  expect(set).toEqual({ code: 0, out: `saved production in ${file}\n`, err: '' })
  await rheo('profile set default --tenant acme')
  await rheo('profile set default --url http://localhost:9000')
  const outs = await Promise.all(
    ['list', 'list --json', 'show production', 'show production --json'].map((line) => rheo(`profile ${line}`)),
  )
  for (const { out } of outs) expect(out).not.toContain('a-payload')
  expect(outs[0]!.out).toMatchInlineSnapshot(`
    "NAME        URL                       TENANT  TOKEN
    production  https://rheo.example.com  -       eyJh… (61 characters)
    default     http://localhost:9000     acme    -
    "
  `)
  expect(JSON.parse(outs[3]!.out)).toMatchObject({ name: 'production', token: 'eyJh… (61 characters)' })
  expect(await rheo('profile remove default')).toMatchObject({ code: 0, out: 'removed default\n' })
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    profiles: { production: { url: 'https://rheo.example.com', token } },
  })
  expect(await rheo('profile remove default')).toMatchObject({ code: 1 })
})

test('the file and its folder are for their owner alone', async () => {
  await rheo(`profile set default --token ${token}`)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(statSync(path.dirname(file)).mode & 0o777).toBe(0o700)
})

test('a file with a token that others can read is warned of; one without a token is not', async () => {
  await rheo(`profile set default --url ${terminal.local.url}`)
  chmodSync(file, 0o644)
  expect((await rheo('streams list')).err).toBe('')
  await rheo(`profile set other --token ${token}`)
  expect((await rheo('streams list')).err).toBe('')
  chmodSync(file, 0o640)
  expect(await rheo('streams list')).toMatchObject({
    code: 0,
    err: `warning: ${file} holds a token and is open to others; chmod 600 ${file}\n`,
  })
  expect((await rheo('streams list --json')).err).toBe('')
})

test('flags count before the environment, that before the profile, that before the local server', async () => {
  expect(await settings('')).toBe('http://localhost:8787; nothing is set: the local server')
  await rheo('profile set default --url http://127.0.0.1:1/ --tenant acme')
  await rheo('profile set other --url http://127.0.0.1:2/ --tenant beta')
  expect(await settings('')).toBe('http://127.0.0.1:1/; url from profile default, tenant from profile default')
  expect(await settings('', { RHEO_PROFILE: 'other' })).toContain('url from profile other, tenant from profile other')
  expect(await settings('--profile default', { RHEO_PROFILE: 'other' })).toContain('url from profile default')
  expect(await settings('', { RHEO_TENANT: 'gamma' })).toContain('url from profile default, tenant from RHEO_TENANT')
  expect(await settings('--tenant delta', { RHEO_TENANT: 'gamma' })).toContain('tenant from --tenant')
})

test('what the environment overrules of a profile that was named is told', async () => {
  await rheo('profile set other --url http://127.0.0.1:2/')
  const { err } = await rheo('doctor --profile other', { env: { RHEO_URL: terminal.local.url } })
  expect(err).toBe('warning: RHEO_URL counts before the url of the profile other\n')
  expect((await rheo('doctor', { env: { RHEO_URL: terminal.local.url, RHEO_PROFILE: 'other' } })).err).toBe('')
})

test('the token and tenant of a profile go to its own server alone', async () => {
  await rheo(`profile set default --url https://rheo.example.com --token ${token} --tenant acme`)
  expect(await settings('--url http://127.0.0.1:9')).toBe('http://127.0.0.1:9; url from --url')
  expect(await settings('', { RHEO_URL: 'http://127.0.0.1:9' })).toBe('http://127.0.0.1:9; url from RHEO_URL')
  await rheo('profile set default --url http://127.0.0.1:9')
  expect(await settings('--url http://127.0.0.1:9/')).toContain(
    'token from profile default, tenant from profile default',
  )
})

test('a profile makes calls reach its server and tenant', async () => {
  await rheo(`profile set default --url ${terminal.local.url} --tenant of-the-profile`)
  expect(await rheo('streams create orders')).toMatchObject({ code: 0 })
  const { streams } = await terminal.local.rheo({ tenant: 'of-the-profile' }).streams.list()
  expect(streams.map(({ name }) => name)).toEqual(['orders'])
})

test('where a stream is looked for in vain, the tenant is told that nobody has typed', async () => {
  await rheo(`profile set acme --url ${terminal.local.url} --tenant empty`)
  const told = 'the tenant is empty, from profile acme'
  const show = 'streams show nothing'
  const missing = 'stream_not_found: there is no stream nothing'
  expect(await rheo('streams list --profile acme')).toEqual({
    code: 0,
    out: 'no streams\n',
    err: `T${told.slice(1)}\n`,
  })
  expect((await rheo(`${show} --profile acme`)).err).toBe(`${missing}; ${told}\n`)
  const env = { RHEO_URL: terminal.local.url, RHEO_TENANT: 'empty' }
  expect((await rheo(show, { env })).err).toBe(`${missing}; the tenant is empty, from RHEO_TENANT\n`)
  expect((await rheo(`${show} --profile acme --tenant empty`)).err).toBe(`${missing}\n`)
  expect((await rheo('streams list --profile acme --tenant empty')).err).toBe('')
  expect((await rheo(`${show} --profile acme --json`)).err).not.toContain('profile')
  expect((await rheo('streams list --profile acme --json')).err).toBe('')
})

test.each([
  ['streams list --profile none', 'there is no profile none; rheo profile list shows them'],
  ['streams list --profile __proto__', 'there is no profile __proto__; rheo profile list shows them'],
  ['profile set default', 'nothing to save: --url, --token or --tenant'],
  ['profile set default --url ftp://a', 'ftp://a is no http or https URL'],
  ['profile set default --url http://localhost:8787/v1', 'http://localhost:8787/v1: give the URL without /v1'],
  ['profile set default --token -', 'there is an empty value'],
])('a wrong command line is told: %s', async (line, told) => {
  expect(await rheo(line)).toMatchObject({ code: 2, out: '', err: expect.stringMatching(`^${told}`) })
})

test.each([
  ['[]', 'is no JSON object with profiles'],
  ['{', 'is no JSON object with profiles'],
  ['{"profiles":{"a":{"url":7}}}', 'url of the profile a is not what it must be'],
  ['{"profiles":{"a":[]}}', 'it of the profile a is not what it must be'],
])('a file that cannot be is told, and is not overwritten: %s', async (text, told) => {
  mkdirSync(path.dirname(file))
  writeFileSync(file, text)
  for (const line of ['streams list', 'profile list', 'profile set default --tenant acme']) {
    expect(await rheo(line)).toMatchObject({ code: 2, err: expect.stringContaining(told) })
  }
  expect(readFileSync(file, 'utf8')).toBe(text)
})
