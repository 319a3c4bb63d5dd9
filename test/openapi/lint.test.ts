import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { openapi } from '../../src/reference/openapi.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** What the linter says of a document, by the strictest of its rules (redocly.yaml). Nothing is sent anywhere. */
function lint(document: object): { status: number | null; output: string } {
  const folder = mkdtempSync(path.join(tmpdir(), 'rheo-openapi-'))
  try {
    const file = path.join(folder, 'openapi.json')
    writeFileSync(file, JSON.stringify(document))
    const cli = path.join(root, 'node_modules/@redocly/cli/bin/cli.js')
    const run = spawnSync(process.execPath, [cli, 'lint', file, '--config', path.join(root, 'redocly.yaml')], {
      encoding: 'utf8',
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' },
    })
    return { status: run.status, output: run.stdout + run.stderr }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

it('the OpenAPI document has no fault and no warning, its examples included', () => {
  const { status, output } = lint(openapi())
  expect(output).not.toMatch(/warning|error/i)
  expect(status, output).toBe(0)
})

it('the linter finds an example that its schema refuses', () => {
  const text = JSON.stringify(openapi()).replaceAll('"value":{"name":"orders"', '"value":{"name":"-"')
  expect(lint(JSON.parse(text)).output).toContain('no-invalid-media-type-examples')
})
