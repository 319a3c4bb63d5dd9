import { readdirSync } from 'node:fs'
import path from 'node:path'
import { transform } from 'esbuild'
import { expect, test } from 'vitest'
import { readMap, sidebarOf } from '../../docs/.vitepress/sidebar.ts'
import type { Backend } from '../../src/core/backend.ts'
import { transitions } from '../../src/core/delivery.ts'
import { limits } from '../../src/core/limits.ts'
import { emptyReasons } from '../../src/core/partition/commands.ts'
import { lineageNames } from '../../src/core/query/field.ts'
import { createEdge } from '../../src/http/edge.ts'
import { families } from '../../src/http/metrics/families.ts'
import { scopes } from '../../src/http/principal.ts'
import { problems } from '../../src/http/problem.ts'
import { partitionMigrations } from '../../src/storage/partition-schema.ts'
import { anchorOf, blocksOf, headingsOf, pages, prose, read, root, rowsOf } from './pages.ts'

/* What the documentation says of names, numbers and tests, held to where these come from. */

const edge = createEdge({
  version: '',
  mechanisms: { storage: '', durable: true, distributed: true },
  connect: () => ({}) as Backend,
  site: () => null,
})
const routes = edge.routes
  .filter(({ method, path }) => method !== 'ALL' && path.startsWith('/v1/'))
  .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`)

const firstCells = (page: string): string[] =>
  rowsOf(prose(page)).flatMap(([cell]) => /^`([^`]+)`$/.exec(cell ?? '')?.[1] ?? [])

test('limits.md has every limit and its value, and nothing else', () => {
  const rows = rowsOf(prose('docs/reference/limits.md')).map(([name, value]) => [name!.slice(1, -1), Number(value)])
  expect(rows).toEqual(Object.entries(limits))
})

test('errors.md has every code with its status and title, and nothing else', () => {
  const page = read('docs/reference/errors.md')
  const found = [...page.matchAll(/^### (.*)\n\n(\d+) · (.*?)\. ?/gm)].map(([, code, status, title]) => [
    code,
    [Number(status), title],
  ])
  expect(Object.fromEntries(found)).toEqual(problems)
  expect(found).toHaveLength(Object.keys(problems).length)
})

test('http-api.md has a section for every route of the edge, and no other', () => {
  const sections = headingsOf('docs/reference/http-api.md').flatMap((heading) => /^`(.*)`$/.exec(heading)?.[1] ?? [])
  expect(sections.toSorted()).toEqual(routes.toSorted())
})

test('every section of http-api.md has a call that runs', () => {
  const sections = read('docs/reference/http-api.md').split(/^### /m).slice(1)
  expect(sections.filter((section) => !/^```bash/m.test(section)).map((section) => section.split('\n')[0])).toEqual([])
})

test('configuration.md has every scope', () => {
  expect(firstCells('docs/reference/configuration.md')).toEqual(expect.arrayContaining([...scopes]))
})

test('endpoints that pages name are routes', () => {
  const patterns = routes.map((route) => new RegExp(`^${route.replace(/\{\w+\}/g, '[^/]+')}$`))
  const wrong = pages().flatMap((page) =>
    [...prose(page).matchAll(/\b(?:GET|POST|PATCH|DELETE) \/v1\/[^\s`?]*/g)]
      .filter(([named]) => !patterns.some((pattern) => pattern.test(named)))
      .map(([named]) => `${page}: ${named}`),
  )
  expect(wrong).toEqual([])
})

test('configuration.md has every variable of the edge, and no other', () => {
  const known = [...read('src/http/vars.ts').matchAll(/readonly (RHEO_\w+)/g)].map(([, name]) => name!)
  const table = firstCells('docs/reference/configuration.md').filter((name) => name.startsWith('RHEO_'))
  expect(table.toSorted()).toEqual(known.toSorted())
  // The program's own stand in cli.md.
  const ofProgram = firstCells('docs/reference/cli.md').filter((name) => name.startsWith('RHEO_'))
  const named = pages().flatMap((page) => [...read(page).matchAll(/\bRHEO_[A-Z_]+/g)].map(([name]) => name))
  expect([...new Set(named)].filter((name) => ![...known, ...ofProgram].includes(name))).toEqual([])
})

test('words with underscores are codes, reasons, causes, or names of the wire', () => {
  const causes = [...read('src/core/delivery.ts').matchAll(/'(\w+_\w+)'/g)].map(([, name]) => name!)
  const ofClient = [...read('src/client/failure.ts').matchAll(/^ {2}(\w+_\w+):/gm)].map(([, name]) => name!)
  const ofRuntime = ['enable_request_signal', 'nodejs_compat', 'json_each']
  const elsewhere = [...ofRuntime, 'handler_timeout', 'dead_letter', ...ofClient, ...Object.keys(families)]
  const known = new Set<string>([...Object.keys(problems), ...emptyReasons, ...lineageNames, ...causes, ...elsewhere])
  // The words of another product are its own.
  const ours = pages().filter((page) => !page.includes('/move-from-'))
  const named = ours.flatMap((page) =>
    [...prose(page).matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)].map(([, word]) => `${page}: ${word}`),
  )
  expect(named.filter((entry) => !known.has(entry.split(': ')[1]!))).toEqual([])
})

test('storage.md has every table of a partition with its columns', () => {
  const rows = rowsOf(prose('docs/internals/storage.md'))
  for (const text of partitionMigrations.flat()) {
    const [, table, body] = /^create table (\w+) \(([\s\S]*)\)/.exec(text) ?? []
    if (table === undefined) continue
    const columns = body!
      .split(',\n')
      .map((line) => line.trim().split(/[\s(]/)[0]!)
      .flatMap((column) => (column === 'primary' ? [] : column))
    const all = text.includes('\n') ? columns : [...body!.matchAll(/(\w+) (?:text|integer)/g)].map(([, name]) => name!)
    const row = rows.find(([name]) => name === `\`${table}\``)
    expect(row, table).toBeDefined()
    const named = `${row![1]}, ${row![2]}`.match(/\w+/g) ?? []
    expect(named.toSorted(), table).toEqual(all.toSorted())
  }
})

test('protocol.md has every rule that a test names, and no rule without a test', () => {
  const named = new Set(testsIn('.').flatMap((text) => text.match(/\bS\d+\.\d+\b/g) ?? []))
  const rules = [...read('docs/reference/protocol.md').matchAll(/^- \*\*(S\d+\.\d+)\*\* /gm)].map(([, rule]) => rule!)
  expect([...named].filter((rule) => !rules.includes(rule))).toEqual([])
  // Tests of words and of failures name their chapter.
  expect(rules.filter((rule) => !/^S[17]\./.test(rule) && !named.has(rule))).toEqual([])
})

test('testing.md shows at which depths tests name the rules of a promise', () => {
  const depths = ['core', 'http', 'workers', 'conformance']
  const texts = depths.map((depth) => testsIn(depth).join('\n'))
  const rows = rowsOf(prose('docs/internals/testing.md')).filter(([, rules]) => /^S\d/.test(rules ?? ''))
  const isNamed = (text: string, rules: string) =>
    rulesOf(rules).some((rule) => new RegExp(`\\b${rule.replace('.', '\\.')}\\b`).test(text))
  const expected = rows.map(([promise, rules, ...cells]) => [
    promise,
    rules,
    ...texts.map((text) => (isNamed(text, rules!) ? 'yes' : '')),
    ...cells.slice(depths.length),
  ])
  expect(rows.length).toBeGreaterThan(10)
  expect(rows).toEqual(expected)
})

const testsIn = (folder: string): string[] =>
  readdirSync(path.join(root, 'test', folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => read(path.join('test', folder, file)))

/** `S2.1, S2.3 to S2.5` as the rules it stands for. */
const rulesOf = (text: string): string[] =>
  text.split(', ').flatMap((part) => {
    const [, chapter, first, last] = /^(S\d+)\.(\d+) to S\d+\.(\d+)$/.exec(part) ?? []
    if (chapter === undefined) return [part]
    return Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) => `${chapter}.${Number(first) + index}`)
  })

test('state-machine.md shows the transition table', () => {
  const page = prose('docs/internals/state-machine.md')
  const [head] = /^\| state +\|.*lease.*$/m.exec(page)!
  const events = head
    .split('|')
    .slice(2, -1)
    .map((cell) => cell.trim())
  const shown = rowsOf(page)
    .filter((row) => row.length === events.length + 1)
    .map(([state, ...cells]) => [
      state!,
      Object.fromEntries(events.map((event, index) => [event, cells[index] === '-' ? null : cells[index]!])),
    ])
  expect(Object.fromEntries(shown)).toEqual(transitions)
})

test('tests that pages name as proof exist, and every invariant has one', () => {
  const page = read('docs/internals/state-machine.md')
  const proofs = [...page.matchAll(/\]\(\.\.\/\.\.\/(test\/[^)]+)\): "([^"]+)"/g)]
  expect(proofs.filter(([, file, name]) => !read(file!).includes(name!)).map(([, , name]) => name)).toEqual([])
  const invariants = page.split(/^\*\*I/m).slice(1)
  expect(invariants.filter((text) => !text.includes('.ts): "')).map((text) => text.split('\n')[0])).toEqual([])
  expect(invariants.map((text) => Number.parseInt(text, 10))).toEqual(invariants.map((_, index) => index + 1))
})

test('security.md names a test that exists for every claim, but for what is not promised', () => {
  const page = read('docs/security.md')
  const proofs = [...page.matchAll(/\]\(\.\.\/(test\/[^)]+)\):\s+"([^"]+)"/g)]
  expect(proofs.length).toBeGreaterThan(30)
  expect(proofs.filter(([, file, name]) => !read(file!).includes(name!)).map(([, , name]) => name)).toEqual([])
  const claims = page.split('## What is not promised')[0]!.match(/^- (.|\n {2})*/gm) ?? []
  expect(claims.filter((claim) => !claim.includes('](../test/'))).toEqual([])
})

test('files that pages name in code marks exist', () => {
  const wrong = pages().flatMap((page) =>
    [...prose(page).matchAll(/`((?:src|durable-objects|scripts|test)\/[\w./-]+)`/g)].flatMap(([, file]) => {
      try {
        if (/\.\w+$/.test(file!)) read(file!)
        return []
      } catch {
        return [`${page}: ${file}`]
      }
    }),
  )
  expect(wrong).toEqual([])
})

test('links lead to headings that exist', () => {
  const wrong = pages().flatMap((page) =>
    [...prose(page).matchAll(/\]\(([^)\s#]*)#([^)\s]+)\)/g)]
      .filter(([, target, anchor]) => {
        const file = target === '' ? page : path.posix.join(path.posix.dirname(page), target!)
        return !headingsOf(file).map(anchorOf).includes(anchor!)
      })
      .map(([link]) => `${page}: ${link}`),
  )
  expect(wrong).toEqual([])
})

test('the map links to every page', () => {
  const map = read('docs/README.md')
  const others = pages().filter((page) => page !== 'docs/README.md')
  expect(others.filter((page) => !map.includes(`](${page.slice('docs/'.length)})`))).toEqual([])
})

test('the sidebar of the site leads to every page', () => {
  const links = sidebarOf(readMap()).flatMap(({ items = [] }) => items.map(({ link }) => `docs${link}.md`))
  expect(links.toSorted()).toEqual(pages().filter((page) => page !== 'docs/README.md'))
})

test('examples/README.md has every example', () => {
  const page = read('examples/README.md')
  const examples = readdirSync(path.join(root, 'examples')).filter((name) => !/^(README|tsconfig)\b/.test(name))
  expect(examples.length).toBeGreaterThan(6)
  expect(examples.filter((name) => !page.includes(`](${name}`))).toEqual([])
})

test('blocks of JavaScript and JSON can be read', async () => {
  for (const page of pages()) {
    for (const { language, text } of blocksOf(page)) {
      if (language === 'js') await transform(text, { loader: 'js', format: 'esm' })
      if (language === 'json') expect(() => JSON.parse(text), page).not.toThrow()
    }
  }
})
