/** Runs the black-box conformance suite against a server that is already running. */
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'

const usage = `Usage: npm run conformance -- --url <URL> [--tenant <name>] [--token <JWT>]

  --url     the server to test, for example http://localhost:8787
  --tenant  the tenant to use (default: a new one for each test file)
  --token   a bearer token with the scopes append, consume, read and admin

Streams are created with new names and stay. Without a server at hand run: npx vitest run --project conformance
`

/** The options, or the reason why they are wrong. */
function readOptions(): { url: string; tenant: string; token: string } | { wrong: string } {
  const text = { type: 'string' } as const
  try {
    const { values } = parseArgs({ options: { url: text, tenant: text, token: text }, allowPositionals: false })
    if (values.url === undefined) return { wrong: '--url is missing' }
    if (!/^https?:$/.test(URL.parse(values.url)?.protocol ?? '')) {
      return { wrong: `--url ${values.url} is no http or https URL` }
    }
    return { url: values.url, tenant: values.tenant ?? '', token: values.token ?? '' }
  } catch (error) {
    return { wrong: error instanceof Error ? error.message : String(error) }
  }
}

const options = readOptions()
if ('wrong' in options) {
  process.stderr.write(`${options.wrong}\n\n${usage}`)
  process.exitCode = 2
} else {
  const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')
  const child = spawn(process.execPath, [vitest, 'run', '--project', 'conformance'], {
    stdio: 'inherit',
    env: { ...process.env, RHEO_URL: options.url, RHEO_TENANT: options.tenant, RHEO_TOKEN: options.token },
  })
  child.on('exit', (code) => {
    process.exitCode = code ?? 1
  })
}
