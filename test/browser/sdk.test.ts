import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, inject } from 'vitest'
import { type Local, startLocal } from '../../scripts/local.ts'
import { inBrowser, openPage, url } from './browser.ts'
import type { Seen } from './sdk-app.ts'

/* The SDK as it is shipped, module by module, in a page: of the server's own origin, and of another that may call it. */

const root = path.resolve(import.meta.dirname, '../..')
const folder = mkdtempSync(path.join(tmpdir(), 'rheo-sdk-'))
/** Another origin: a web server that has the files and no API. */
const web = createServer(({ url: pathname = '' }, response) => {
  const { contentType, body } = pathname.startsWith('/sdk-test/') ? fileOf(pathname) : { contentType: '', body: '' }
  response.writeHead(body === '' ? 404 : 200, { 'content-type': contentType }).end(body)
})
let elsewhere: string
let open: Local
let app: string

beforeAll(async () => {
  if (inject('chromium') === null) return
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc')
  execFileSync(process.execPath, [tsc, '-p', 'tsconfig.client.json', '--outDir', folder], { cwd: root })
  const { outputFiles } = await build({
    entryPoints: [path.join(import.meta.dirname, 'sdk-app.ts')],
    bundle: true,
    write: false,
    format: 'esm',
    plugins: [
      {
        name: 'sdk-outside',
        setup: ({ onResolve }) =>
          onResolve({ filter: /\/client\/index\.ts$/ }, () => ({ path: './client/index.js', external: true })),
      },
    ],
  })
  app = outputFiles[0]!.text
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
  elsewhere = `http://127.0.0.1:${(web.address() as AddressInfo).port}`
  open = await startLocal({ vars: { RHEO_CORS_ORIGINS: elsewhere } })
}, 120_000)

afterAll(async () => {
  web.close()
  await open?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Answers for what lies below /sdk-test/ of an origin: a page, the app, and the files of the SDK. */
function fileOf(pathname: string): { contentType: string; body: string } {
  const name = pathname.slice('/sdk-test/'.length)
  if (name === '') return { contentType: 'text/html', body: '<!doctype html><title>SDK</title>' }
  const body = name === 'app.js' ? app : readFileSync(path.join(folder, path.relative('client', name)), 'utf8')
  return { contentType: 'text/javascript', body }
}

inBrowser.each(['its own origin', 'another origin'])(
  'a page of %s appends, consumes, drains and runs a pipeline',
  async (which) => {
    const [origin, server] = which === 'its own origin' ? [url, url] : [elsewhere, open.url]
    const [page, complaints] = await openPage('about:blank')
    await page.route(`${url}/sdk-test/**`, (route) => route.fulfill(fileOf(new URL(route.request().url()).pathname)))
    await page.goto(`${origin}/sdk-test/`)
    // As text, since the test's own loader would take an import for itself.
    const seen = await page.evaluate<Seen>(
      `import('${origin}/sdk-test/app.js').then(({ run }) => run(${JSON.stringify(server)}))`,
    )
    expect(seen).toEqual({
      appended: 200,
      attempts: { 1: 196, 2: 4 },
      drained: { unsettled: 0 },
      lag: 0,
      batched: 200,
      missing: true,
    })
    // The browser tells of the one answer that is to be 404.
    expect(complaints).toEqual([expect.stringContaining('404')])
  },
)
