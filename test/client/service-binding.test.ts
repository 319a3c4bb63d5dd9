import path from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Local, startLocal } from '../../scripts/local.ts'
import type { Seen } from './neighbour.ts'

let local: Local
beforeAll(async () => {
  const { outputFiles } = await build({
    entryPoints: [path.join(import.meta.dirname, 'neighbour.ts')],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
  })
  local = await startLocal({ neighbour: outputFiles[0]!.text })
})
afterAll(() => local?.stop())

test('a second Worker handles 10 000 events over a service binding with concurrency 8, one handler in fifty failing once', async () => {
  const answer = await local.callNeighbour('/?events=10000')
  const text = await answer.text()
  expect(answer.status, text).toBe(200)
  const seen: Seen = JSON.parse(text)
  expect(seen).toEqual({
    handled: 10_000,
    attempts: { 1: 9_800, 2: 200 },
    mostRunning: 8,
    errors: [],
    lag: 0,
    unsettled: 0,
  })
}, 120_000)
