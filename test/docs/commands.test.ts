import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Local, startLocal } from '../../scripts/local.ts'
import { blocksOf, pages, root } from './pages.ts'
import { asShown, outputsOf, scriptOfStep, stepsOf } from './transcript.ts'

/*
 * Runs what a reader would paste: all `bash` and `shellsession` blocks of a page, in order, in one shell, against a server with
 * a tenant of the page's own. Every call must succeed; in a block that is marked with a status, the last call must answer
 * that. What a `shellsession` block shows must be what its commands print. A block of `js` with a name is saved under it.
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

/** These pages speak to a server as it is, without a tenant of their own. */
const untenanted = ['docs/guides/deploy.md', 'docs/tutorial.md']

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
npx() { node "$ROOT/src/cli/main.ts" "${'$'}{@:2}"; }
EXPECTED=none
exec 2>&1
`

function scriptOf(page: string): string {
  const parts = blocksOf(page).map(({ language, note, text }) => {
    if (language === 'bash') return bashOf(note, text)
    if (language === 'shellsession') return stepsOf(text).map(scriptOfStep).join('\n')
    return language === 'js' && note !== '' ? `cat > ${note} <<'END OF FILE'\n${text}END OF FILE` : ''
  })
  return (prelude + parts.join('\n')).replaceAll('http://localhost:8787', open.url).replaceAll(DEPLOYED, closed.url)
}

const bashOf = (note: string, text: string): string =>
  note === ''
    ? `EXPECTED=none\n${text}`
    : `EXPECTED=${note}\n${text}[ "$(cat "$SCRATCH/status")" = ${note} ] || { echo 'not ${note}' >&2; exit 1; }`

/** Not spawnSync: the server is a child of this process and must be able to run. */
function run(script: string, env: Record<string, string>): Promise<{ code: number | null; output: string }> {
  const cwd = mkdtempSync(path.join(tmpdir(), 'rheo-docs-'))
  linkClient(cwd)
  return new Promise((resolve) => {
    const child = spawn('bash', ['-c', script], { cwd, env: { ...process.env, SCRATCH: cwd, ROOT: root, ...env } })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
    child.on('close', (code) => {
      rmSync(cwd, { recursive: true, force: true })
      resolve({ code, output })
    })
  })
}

/** Programs of a page find the SDK by its name, as they do in a clone; here it is that of the sources. */
function linkClient(folder: string): void {
  const home = path.join(folder, 'node_modules/rheo-edge')
  mkdirSync(home, { recursive: true })
  writeFileSync(path.join(home, 'package.json'), '{"type": "module", "exports": {"./client": "./client.js"}}')
  writeFileSync(path.join(home, 'client.js'), `export * from '${path.join(root, 'src/client/index.ts')}'\n`)
}

const hasCurl = spawnSync('curl', ['--version']).status === 0
const runnable = ['README.md', ...pages()].filter((page) =>
  blocksOf(page).some(({ language }) => /^(bash|shellsession)$/.test(language)),
)

test.skipIf(!hasCurl).each(runnable)('the commands of %s do what it says', async (page) => {
  const tenant = path.basename(page, '.md')
  const tenancy = untenanted.includes(page)
    ? { TENANT: '' }
    : { TENANT: `-HRheo-Tenant:${tenant}`, RHEO_TENANT: tenant }
  const { code, output } = await run(scriptOf(page), { ...tenancy, RHEO_URL: open.url, RHEO_JWT_SECRET: secret })
  expect(code, output.slice(-2_000)).toBe(0)
  const outputs = outputsOf(output)
  const steps = blocksOf(page).flatMap(({ language, text }) => (language === 'shellsession' ? stepsOf(text) : []))
  for (const [index, { command, shown }] of steps.entries()) {
    expect(asShown(outputs[index] ?? '', shown), command).toEqual(shown)
  }
})

test.each([
  ['acked evt_1 then', ['acked evt_… now']],
  ['acked\nmore', ['acked']],
  ['acked', ['acked', 'more']],
  ['', ['acked']],
  ['aba', ['ab…ba']],
])('a page that shows another output than %j is noticed', (output, shown) => {
  expect(asShown(output, shown)).not.toEqual(shown)
})

test('the pages that are to be pasted from have commands', () => {
  expect(runnable).toEqual(expect.arrayContaining(['docs/reference/http-api.md', 'docs/tutorial.md']))
  expect(runnable.filter((page) => page.startsWith('docs/guides/')).length).toBeGreaterThanOrEqual(6)
})
