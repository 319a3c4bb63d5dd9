import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const app = mkdtempSync(path.join(tmpdir(), 'rheo-client-'))

/** The package as an app has it in its `node_modules`, built by the compiler alone. */
beforeAll(() => {
  const installed = path.join(app, 'node_modules/rheo-edge')
  mkdirSync(installed, { recursive: true })
  cpSync(path.join(root, 'package.json'), path.join(installed, 'package.json'))
  compile(['-p', path.join(root, 'tsconfig.client.json'), '--outDir', path.join(installed, 'dist/client')])
}, 120_000)

afterAll(() => rmSync(app, { recursive: true, force: true }))

function compile(args: string[]): void {
  try {
    execFileSync(process.execPath, [path.join(root, 'node_modules/typescript/bin/tsc'), ...args], { encoding: 'utf8' })
  } catch (error) {
    throw new Error((error as { stdout: string }).stdout)
  }
}

/** Node as the machine has it, which may be older than the one that runs the tests. */
function machineNode(): string {
  const folders = (process.env.PATH ?? '').split(path.delimiter)
  const own = folders.filter((folder) => !folder.includes('node_modules')).map((folder) => path.join(folder, 'node'))
  return own.find((file) => runs(file)) ?? process.execPath
}

function runs(file: string): boolean {
  try {
    return Number(execFileSync(file, ['-p', 'process.versions.node'], { encoding: 'utf8' }).split('.')[0]) >= 20
  } catch {
    return false
  }
}

test('the built package is imported by plain Node as ESM', () => {
  const script = `
    import { Rheo, StreamNotFoundError, ack } from 'rheo-edge/client'
    const body = JSON.stringify({ code: 'stream_not_found', detail: 'no', stream: 's' })
    const rheo = new Rheo({ fetch: async () => new Response(body, { status: 404 }) })
    const error = await rheo.streams.get('s').catch((error) => error)
    const leases = rheo.leases({ stream: 's', group: 'g' })
    await leases.cancel()
    console.log(error instanceof StreamNotFoundError, error.data.stream, ack.outcome)
  `
  writeFileSync(path.join(app, 'app.mjs'), script)
  const printed = execFileSync(machineNode(), ['app.mjs'], { cwd: app, encoding: 'utf8' })
  expect(printed.trim()).toBe('true s ack')
})

test.each([
  ['browsers, Deno and Bun', { lib: ['es2023', 'dom', 'dom.asynciterable'], types: [] }],
  ['Node', { lib: ['es2023'], types: ['node'] }],
  ['Workers', { lib: ['es2023'], types: ['@cloudflare/workers-types'] }],
])('its types hold in an app for %s', (_, { lib, types }) => {
  const source = `
    import { ack, Rheo, retry, tail } from 'rheo-edge/client'
    ${types[0]?.includes('workers') ? 'export const bound = (env: { RHEO: Fetcher }) => new Rheo({ fetch: env.RHEO.fetch.bind(env.RHEO) })' : ''}
    export async function start(rheo: Rheo): Promise<number> {
      const { leases } = await rheo.fetch<{ total: number }>('orders', 'billing')
      for await (const lease of rheo.leases({ stream: 's', group: 'g' })) await rheo.ack(lease)
      const consumer = await rheo.consumer<{ total: number }>({
        stream: 'orders',
        group: 'billing',
        handler: (event, { signal }) => (signal.aborted || event.payload.total < 0 ? retry('no') : ack),
      })
      await consumer.drain(1_000)
      for await (const { payload } of tail<{ total: number }>(rheo, 's', { after: 0 })) return payload.total
      return leases[0]?.event.payload.total ?? 0
    }
    export const global = new Rheo({ url: 'http://localhost', fetch })
  `
  writeFileSync(path.join(app, 'app.ts'), source)
  const compilerOptions = {
    lib,
    types,
    typeRoots: [path.join(root, 'node_modules/@types'), path.join(root, 'node_modules')],
    target: 'es2022',
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: false,
  }
  writeFileSync(path.join(app, 'package.json'), '{"type":"module"}')
  writeFileSync(path.join(app, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['app.ts'] }))
  compile(['-p', path.join(app, 'tsconfig.json')])
})

test('it imports nothing but itself', () => {
  const folder = path.join(root, 'src/client')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  expect(files.length).toBeGreaterThan(20)
  for (const file of files) {
    const imports = [...readFileSync(path.join(folder, file), 'utf8').matchAll(/\bfrom '([^']+)'|\bimport\('([^']+)'/g)]
    for (const [, specifier = ''] of imports) {
      expect(specifier, file).toMatch(/^\.\.?\/.*\.ts$/)
      expect(path.resolve(folder, path.dirname(file), specifier).startsWith(`${folder}/`), file).toBe(true)
    }
  }
})

test.each([
  ['to produce and consume', 'ack, reject, retry, Rheo', 10_000],
  ['to tail, too,', 'ack, reject, retry, Rheo, tail', 11_000],
])('what an app bundles %s is below its bound with gzip', async (_, names, maxBytes) => {
  const { outputFiles } = await build({
    stdin: { contents: `export { ${names} } from './src/client/index.ts'`, resolveDir: root },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
  })
  expect(gzipSync(outputFiles[0]!.contents, { level: 9 }).length).toBeLessThan(maxBytes)
})
