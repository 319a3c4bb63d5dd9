import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Local, startLocal } from '../../scripts/local.ts'
import { blocksOf, pages } from './pages.ts'
import { type App, buildApp, check, fileOf, programOf, run } from './programs.ts'

/*
 * Programs of the pages: all `ts` blocks of a page, in order, are one module. They are checked against the types of the
 * package as it is built, and run against a server each.
 */

const programs = pages().filter((page) => blocksOf(page).some(({ language }) => language === 'ts'))
let app: App
beforeAll(async () => {
  app = await buildApp()
  for (const page of programs) writeFileSync(path.join(app.folder, fileOf(page)), programOf(page))
}, 120_000)
afterAll(() => app?.remove())

test('the programs of the pages have no errors of types', async () => {
  const { code, output } = await check(app, programs.map(fileOf))
  expect(code, output).toBe(0)
})

test.each(programs)('the program of %s runs', async (page) => {
  const local: Local = await startLocal()
  try {
    const file = `run-${fileOf(page)}`
    writeFileSync(path.join(app.folder, file), programOf(page).replaceAll('http://localhost:8787', local.url))
    const { code, output } = await run([file], app.folder)
    expect(code, output.slice(-3_000)).toBe(0)
  } finally {
    await local.stop()
  }
})

test('the pages that are to have programs do', () => {
  const wanted = ['docs/guides/consume-with-the-sdk.md', 'docs/guides/test-your-consumer.md', 'docs/reference/sdk.md']
  expect(programs).toEqual(expect.arrayContaining(wanted))
})
