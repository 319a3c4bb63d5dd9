/** Runs the black-box conformance suite against a server that is already running. */
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'

const usage = `Usage: npm run conformance -- --url <URL> [--tenant <name>] [--token <JWT>]
       npm run conformance -- --local

  --local   the service as rheo-edge/testing runs it, over Node's SQLite, on a free port
  --url      the server to test, for example http://localhost:8787
  --tenant  the tenant to use (default: a new one for each test file)
  --token   a bearer token with the scopes append, consume, read and admin

Streams are created with new names and stay. Without a server at hand run: npx vitest run --project conformance
`

interface Options {
  project: 'conformance' | 'conformance-local'
  env: Record<string, string>
}

/** The options, or the reason why they are wrong. */
function readOptions(): Options | { wrong: string } {
  const text = { type: 'string' } as const
  try {
    const local = { type: 'boolean', default: false } as const
    const { values } = parseArgs({ options: { url: text, tenant: text, token: text, local }, allowPositionals: false })
    if (values.local) {
      const others = Object.keys(values).filter((name) => name !== 'local')
      if (others.length > 0) return { wrong: `--local goes without --${others[0]}` }
      return { project: 'conformance-local', env: { CONFORMANCE_LOCAL: 'all' } }
    }
    if (values.url === undefined) return { wrong: '--url is missing' }
    if (!/^https?:$/.test(URL.parse(values.url)?.protocol ?? '')) {
      return { wrong: `--url ${values.url} is no http or https URL` }
    }
    const { url, tenant = '', token = '' } = values
    return { project: 'conformance', env: { RHEO_URL: url, RHEO_TENANT: tenant, RHEO_TOKEN: token } }
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
  const child = spawn(process.execPath, [vitest, 'run', '--project', options.project], {
    stdio: 'inherit',
    env: { ...process.env, ...options.env },
  })
  child.on('exit', (code) => {
    process.exitCode = code ?? 1
  })
}
