import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { blocksOf, pages, root } from './pages.ts'

/*
 * Blocks of `js` without a name, and the program of the README, are fragments: they are not run, but checked against the
 * types of the SDK and of what `fragments.d.ts` leaves to the reader.
 */

const folder = mkdtempSync(path.join(tmpdir(), 'rheo-fragments-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Checks texts as modules of their own; gives what the compiler says. */
function check(texts: Readonly<Record<string, string>>): string {
  for (const [name, text] of Object.entries(texts)) writeFileSync(path.join(folder, name), `${text}\nexport {}\n`)
  const compilerOptions = {
    ...{ target: 'es2024', lib: ['es2024'], module: 'esnext', moduleResolution: 'bundler', noEmit: true },
    ...{ strict: true, noImplicitAny: false, skipLibCheck: true, allowImportingTsExtensions: true },
    ...{ types: ['node'], typeRoots: [path.join(root, 'node_modules/@types')] },
    paths: { 'rheo-edge/client': [path.join(root, 'src/client/index.ts')] },
  }
  const files = [...Object.keys(texts), path.join(root, 'test/docs/fragments.d.ts')]
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc')
  return spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' }).stdout
}

const fragments = ['README.md', ...pages()].flatMap((page) =>
  blocksOf(page)
    .filter(({ language, note }) => (language === 'js' && note === '') || (page === 'README.md' && language === 'ts'))
    .map(({ text }, index) => [`${page.replaceAll('/', '-')}-${index}.ts`, text] as const),
)

test('the fragments of the pages have no errors of types', () => {
  expect(fragments.length).toBeGreaterThan(5)
  expect(check(Object.fromEntries(fragments))).toBe('')
})

test('a fragment with an option that is not there would be noticed', () => {
  expect(check({ 'wrong.ts': "await rheo.fetch('jobs', 'mailer', { limits: 10 })" })).toContain(
    "'limits' does not exist",
  )
})
