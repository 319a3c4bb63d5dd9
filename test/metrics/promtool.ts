import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'vitest'

const root = path.join(import.meta.dirname, '../..')
const isThere = spawnSync('promtool', ['--version']).status === 0
const isRequired = process.env.CI === 'true'
if (!isThere) console.warn('promtool is not there: install Prometheus (Debian: apt-get install prometheus)')

/** Runs promtool on the text of a file. */
export function promtoolOn(text: string, args: readonly string[]): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'rheo-promtool-'))
  try {
    const file = path.join(folder, 'file.yml')
    writeFileSync(file, text)
    return promtool([...args, file])
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Runs promtool from the root of the project; fails with what it says. */
export function promtool(args: readonly string[], input = ''): string {
  const { status, stdout, stderr, error } = spawnSync('promtool', args, { cwd: root, input, encoding: 'utf8' })
  if (error !== undefined) throw new Error('promtool is not there: install Prometheus', { cause: error })
  if (status !== 0) throw new Error(`promtool ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`)
  return stdout + stderr
}

/** A test that needs promtool: skipped where it is missing, save in CI, where it fails. */
export function testWithPromtool(name: string, run: () => void): void {
  test.skipIf(!isThere && !isRequired)(name, run)
}
