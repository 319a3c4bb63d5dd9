// npm run build:client, after the client itself: rheo-edge/testing in dist/testing, and the program rheo in dist/cli.js.
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = path.resolve(root, process.argv[2] ?? 'dist')

/**
 * The client stays a module of its own. With a copy of it inside, what `rheo-edge/testing` throws would be no instance of
 * the error classes that a user takes from `rheo-edge/client`.
 */
const clientOutside: Plugin = {
  name: 'client-outside',
  setup: ({ onResolve }) =>
    onResolve({ filter: /\/client\/index\.ts$/ }, () => ({ path: '../client/index.js', external: true })),
}

/** The edge warns whoever runs it open or with a clock to set. Here both are meant, and nobody else can reach it. */
const withoutWarnings: Plugin = {
  name: 'without-warnings',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/src\/http\/warn\.ts$/ }, () => ({ contents: 'export const warnOnce = () => {}' })),
}

async function buildTesting(): Promise<void> {
  await build({
    absWorkingDir: root,
    entryPoints: ['src/testing/index.ts'],
    outfile: path.join(dist, 'testing/index.js'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    // That module exists only inside the runtime; see the file.
    alias: { 'cloudflare:workers': './src/testing/cloudflare-workers.ts' },
    plugins: [clientOutside, withoutWarnings],
    logLevel: 'warning',
  })
  const emitted = mkdtempSync(path.join(tmpdir(), 'rheo-types-'))
  try {
    run(
      '-p',
      'tsconfig.testing.json',
      '--noEmit',
      'false',
      '--emitDeclarationOnly',
      '--declaration',
      '--outDir',
      emitted,
    )
    // What the three name beside each other is the client's; the rest of the declarations nobody can reach.
    for (const file of ['index', 'start-local', 'clock'].map((name) => `${name}.d.ts`)) {
      cpSync(path.join(emitted, 'src/testing', file), path.join(dist, 'testing', file))
    }
  } finally {
    rmSync(emitted, { recursive: true, force: true })
  }
}

/** One file that needs nothing beside it. */
async function buildCli(): Promise<void> {
  const outfile = path.join(dist, 'cli.js')
  await build({
    absWorkingDir: root,
    entryPoints: ['src/cli/main.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    banner: { js: '#!/usr/bin/env node' },
    logLevel: 'warning',
  })
  chmodSync(outfile, 0o755)
}

function run(...tscArguments: string[]): void {
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc')
  const { status } = spawnSync(process.execPath, [tsc, ...tscArguments], { cwd: root, stdio: 'inherit' })
  if (status !== 0) throw new Error('tsc failed')
}

await Promise.all([buildTesting(), buildCli()])
