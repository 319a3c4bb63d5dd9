import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type BuildOptions, build } from 'esbuild'
import type { Document } from '../../src/reference/document.ts'
import { openapi } from '../../src/reference/openapi.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

const shared = {
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  logLevel: 'warning',
} as const satisfies BuildOptions

/** What `render.tsx` answers: the site's files other than scripts and styles, by path. */
type Render = {
  files(sources: {
    assets: Readonly<Record<string, string>>
    document: Document
    errors: string
  }): Record<string, string>
}

/**
 * Builds the site into a folder: pages rendered to HTML, their scripts and styles under names that tell their content, and
 * the OpenAPI document. Nothing is fetched.
 */
export async function buildSite(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const assets = await buildAssets(folder)
  const { files } = await loadRender()
  const errors = readFileSync(path.join(root, 'docs/reference/errors.md'), 'utf8')
  for (const [file, content] of Object.entries(files({ assets, document: openapi(), errors }))) {
    const target = path.join(folder, file)
    mkdirSync(path.dirname(target), { recursive: true })
    writeFileSync(target, content)
  }
}

/** Builds what browsers load; the path of each by its entry's name, such as `dashboard.js`. */
async function buildAssets(folder: string): Promise<Record<string, string>> {
  await build({
    ...shared,
    entryPoints: {
      dashboard: 'src/dashboard/main.tsx',
      'dashboard-style': 'src/dashboard/style.css',
      'docs-style': 'src/reference/style.css',
    },
    outdir: path.join(folder, 'assets'),
    entryNames: '[name]-[hash]',
    minify: true,
    splitting: true,
    chunkNames: 'chunk-[hash]',
    target: 'es2022',
  })
  const names = readdirSync(path.join(folder, 'assets'))
  return Object.fromEntries(names.map((name) => [name.replace(/-[A-Z0-9]{8}\./, '.'), `/assets/${name}`]))
}

/** Node takes no JSX, so what renders the pages is bundled first. */
async function loadRender(): Promise<Render> {
  const temporary = mkdtempSync(path.join(tmpdir(), 'rheo-render-'))
  try {
    const outfile = path.join(temporary, 'render.mjs')
    await build({ ...shared, entryPoints: ['scripts/site/render.tsx'], outfile, platform: 'node', target: 'node22' })
    return await import(pathToFileURL(outfile).href)
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}
