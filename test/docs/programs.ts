import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { blocksOf } from './pages.ts'

const root = path.resolve(import.meta.dirname, '../..')
const tsc = path.join(root, 'node_modules/typescript/bin/tsc')

/** What a program printed, and how it ended. */
export interface Ended {
  readonly code: number | null
  readonly output: string
}

/** A folder of an app that has the package installed, as it is built. */
export interface App {
  readonly folder: string
  remove(): void
}

export async function buildApp(): Promise<App> {
  const folder = mkdtempSync(path.join(tmpdir(), 'rheo-programs-'))
  const installed = path.join(folder, 'node_modules/rheo-edge')
  mkdirSync(installed, { recursive: true })
  cpSync(path.join(root, 'package.json'), path.join(installed, 'package.json'))
  const dist = path.join(installed, 'dist')
  const built = await Promise.all([
    run([tsc, '-p', 'tsconfig.client.json', '--outDir', path.join(dist, 'client')], root),
    run(['scripts/build-packages.ts', dist], root),
  ])
  for (const { code, output } of built) if (code !== 0) throw new Error(output)
  writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}')
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** The program of a page: all its `ts` blocks, in order, as one module. */
export const programOf = (page: string): string =>
  blocksOf(page)
    .filter(({ language }) => language === 'ts')
    .map(({ text }) => text)
    .join('\n')

export const fileOf = (page: string): string => `${path.basename(page, '.md')}.ts`

/** Type-checks files of an app as strictly as there is. */
export function check({ folder }: App, files: readonly string[]): Promise<Ended> {
  const compilerOptions = {
    ...{ target: 'es2024', lib: ['es2024', 'dom', 'dom.asynciterable'], module: 'nodenext', noEmit: true },
    ...{ strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, skipLibCheck: true },
    ...{ erasableSyntaxOnly: true, types: ['node'], typeRoots: [path.join(root, 'node_modules/@types')] },
  }
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
  return run([tsc, '-p', folder], folder)
}

/** Runs Node. Not spawnSync: a server may be a child of this process and must be able to run. */
export function run(words: readonly string[], cwd: string): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, words, { cwd })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
    child.on('close', (code) => resolve({ code, output }))
  })
}
