import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Local, startLocal } from '../../scripts/local.ts'
import { blocksOf, pages } from './pages.ts'

/*
 * Runs what a reader would paste: all `bash` blocks of a page, in order, in one shell, against a server with a tenant of
 * the page's own. Every call must succeed; in a block that is marked with a status, the last call must answer that.
 */

const secret = 'only-for-the-test-of-a-page-0123456789'
/** The deployment of deploy.md, played by a local server that wants tokens. */
const DEPLOYED = 'https://rheo-edge.YOUR-SUBDOMAIN.workers.dev'

let open: Local
let closed: Local
beforeAll(async () => {
  open = await startLocal()
  closed = await startLocal({ vars: { RHEO_AUTH: 'token', RHEO_JWT_SECRET: secret } })
})
afterAll(async () => {
  await open?.stop()
  await closed?.stop()
})

/** A curl that notes the status and fails on one that was not expected. */
const prelude = `set -euo pipefail
curl() {
  local body status
  body=$(mktemp "$SCRATCH/body.XXXXXX")
  status=$(command curl -sS -o "$body" -w '%{http_code}' $TENANT "$@") || return
  cat "$body"
  echo "$status" > "$SCRATCH/status"
  if [ "$status" -ge 400 ] && [ "$status" != "$EXPECTED" ]; then
    echo "HTTP $status: curl $*" >&2
    return 22
  fi
}
`

function scriptOf(page: string): string {
  const blocks = blocksOf(page).filter(({ language }) => language === 'bash')
  const parts = blocks.map(({ note, text }) =>
    note === ''
      ? `EXPECTED=none\n${text}`
      : `EXPECTED=${note}\n${text}[ "$(cat "$SCRATCH/status")" = ${note} ] || { echo 'not ${note}' >&2; exit 1; }`,
  )
  return (prelude + parts.join('\n')).replaceAll('http://localhost:8787', open.url).replaceAll(DEPLOYED, closed.url)
}

/** Not spawnSync: the server is a child of this process and must be able to run. */
function run(script: string, env: Record<string, string>): Promise<{ code: number | null; output: string }> {
  const cwd = mkdtempSync(path.join(tmpdir(), 'rheo-docs-'))
  return new Promise((resolve) => {
    const child = spawn('bash', ['-c', script], { cwd, env: { ...process.env, SCRATCH: cwd, ...env } })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
    child.on('close', (code) => {
      rmSync(cwd, { recursive: true, force: true })
      resolve({ code, output })
    })
  })
}

const hasCurl = spawnSync('curl', ['--version']).status === 0
const runnable = pages().filter((page) => blocksOf(page).some(({ language }) => language === 'bash'))

test.skipIf(!hasCurl).each(runnable)('the commands of %s do what it says', async (page) => {
  const tenant = path.basename(page, '.md')
  const env = { TENANT: page.endsWith('/deploy.md') ? '' : `-HRheo-Tenant:${tenant}`, RHEO_JWT_SECRET: secret }
  const { code, output } = await run(scriptOf(page), env)
  expect(code, output.slice(-2_000)).toBe(0)
})

test('the pages that are to be pasted from have commands', () => {
  expect(runnable).toContain('docs/reference/http-api.md')
  expect(runnable.filter((page) => page.startsWith('docs/guides/')).length).toBeGreaterThanOrEqual(6)
})
