import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = path.resolve(import.meta.dirname, '../..')
const folder = mkdtempSync(path.join(tmpdir(), 'rheo-package-'))
const tsc = path.join(root, 'node_modules/typescript/bin/tsc')

function run(...command: string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { cwd: root, encoding: 'utf8' })
  expect(status, `${command.join(' ')}\n${stdout}${stderr}`).toBe(0)
  return stdout + stderr
}

/** A program of a user, beside the package. */
const program = `
import { type Rheo, StreamNotFoundError } from './client/index.js'
import { startLocal, type Local } from './testing/index.js'

const local: Local = await startLocal({ now: '2026-03-15T12:00:00.000Z' })
const rheo: Rheo = local.rheo({ tenant: 'acme' })
await rheo.streams.create('orders')
const { timestamp } = await rheo.append('orders', { payload: { total: 12.5 } })
const thrown: unknown = await rheo.append('none', {}).catch((error: unknown) => error)
console.log(timestamp, thrown instanceof StreamNotFoundError)
await local.stop()
`

beforeAll(() => {
  run(tsc, '-p', 'tsconfig.client.json', '--outDir', path.join(folder, 'client'))
  run('scripts/build-packages.ts', folder)
  writeFileSync(path.join(folder, 'program.ts'), program)
  writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}')
}, 60_000)

afterAll(() => rmSync(folder, { recursive: true }))

test('the built package runs in plain Node, and throws the classes of the client beside it', () => {
  expect(run(path.join(folder, 'program.ts'))).toBe('2026-03-15T12:00:00.000Z true\n')
})

test('the types of the built package are complete, and are those of the client beside it', () => {
  const types = path.join(root, 'node_modules/@types')
  writeFileSync(
    path.join(folder, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        strict: true,
        noEmit: true,
        target: 'es2024',
        lib: ['es2024'],
        module: 'nodenext',
        types: ['node'],
        typeRoots: [types],
      },
      files: ['program.ts'],
    }),
  )
  run(tsc, '-p', path.join(folder, 'tsconfig.json'))
}, 30_000)
