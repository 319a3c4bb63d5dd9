// npm run build: the Worker as a deploy would upload it, in dist/, and a check of its size.
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

const root = fileURLToPath(new URL('..', import.meta.url))
const maxBytes = 200_000

// A Worker of this size starts in a few milliseconds; a library that drags a schema engine in shows here first.
for (const file of ['index.js', 'index.js.map', 'README.md']) rmSync(`${root}dist/${file}`, { force: true })
const wrangler = `${root}node_modules/wrangler/bin/wrangler.js`
const args = [wrangler, 'deploy', '--dry-run', '--outdir', 'dist', '--minify']
// Without these wrangler looks for a newer version of itself and reports the run.
const offline = {
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  X_LOCAL_OBSERVABILITY: 'false',
  X_LOCAL_EXPLORER: 'false',
}
const run = spawnSync(process.execPath, args, {
  cwd: root,
  stdio: ['ignore', 'inherit', 'inherit'],
  env: { ...process.env, ...offline },
})
if (run.status !== 0) process.exit(run.status ?? 1)

const script = readFileSync(`${root}dist/index.js`)
const kB = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`
console.log(`Worker: ${kB(script.length)} minified, ${kB(gzipSync(script).length)} with gzip; budget ${kB(maxBytes)}`)
if (script.length >= maxBytes) {
  console.error(`The Worker is ${kB(script.length - maxBytes)} over its budget.`)
  process.exit(1)
}
