import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

/*
 * What a reader may rely on everywhere, read from the files themselves. Each test lists offences as `file:line: text`.
 * Sizes are for the eye, not for a test.
 */

const root = fileURLToPath(new URL('..', import.meta.url))

/** A string in a source: where it begins, what it holds, and the code before it on its way. */
type Text = { line: number; text: string; before: string }
/** A source file: its lines, the same lines without comments and without what strings hold, and its strings. */
type Source = { file: string; lines: string[]; code: string[]; strings: Text[] }
type Import = { line: number; specifier: string; target: string }
type Package = Record<'scripts' | 'dependencies' | 'devDependencies', Record<string, string>>

const sources = ['src', 'durable-objects', 'scripts', 'bench', 'test'].flatMap((folder) => [
  ...filesIn(folder, '.ts'),
  ...filesIn(folder, '.tsx'),
])
const parsed = sources.map(parse)
const documents = [
  ...readdirSync(root).filter((file) => file.endsWith('.md')),
  ...filesIn('docs', '.md'),
  'examples/README.md',
]
const manifest: Package = JSON.parse(read('package.json'))

describe('imports point down', () => {
  const rooms: [room: string, allowed: string[]][] = [
    ['src/core/', ['src/core/']],
    ['src/storage/', ['src/core/', 'src/storage/']],
    ['src/page/', ['src/page/', 'preact']],
    ['src/dashboard/', ['src/dashboard/', 'src/page/', 'src/client/', 'preact']],
    ['durable-objects/', ['src/core/', 'src/storage/', 'durable-objects/', 'cloudflare:', 'node:diagnostics_channel']],
    ['src/reference/', ['src/reference/', 'src/page/', 'src/http/', 'src/core/', 'src/version.ts', 'preact', 'marked']],
    ['src/http/', ['src/core/', 'src/http/', 'hono', 'valibot']],
    ['src/testing/', ['src/', 'durable-objects/', 'node:']],
    ['src/cli/', ['src/cli/', 'src/client/', 'src/version.ts', 'citty', 'hono/jwt', 'node:']],
  ]
  for (const [room, allowed] of rooms) {
    test(`${room} imports only ${allowed.join(', ')}`, () => {
      expect(
        offendingImports(room, (target, file) => allowed.some((one) => isIn(target, one)) || isNodeStore(target, file)),
      ).toEqual([])
    })
  }

  test('only the two composition roots import both src/http and durable-objects', () => {
    const roots = ['src/index.ts', 'src/testing/start-local.ts']
    const both = parsed
      .filter(({ file }) => file.startsWith('src/') || file.startsWith('durable-objects/'))
      .filter((source) => {
        const targets = importsOf(source).map(({ target }) => target)
        return ['src/http/', 'durable-objects/'].every((room) => targets.some((target) => target.startsWith(room)))
      })
    expect(both.map(({ file }) => file).filter((file) => !roots.includes(file))).toEqual([])
  })

  for (const room of ['scripts/demo', 'scripts/walkthrough', 'test/conformance/']) {
    test(`${room} knows the server by its URL alone`, () => {
      const server = ['src/', 'durable-objects/']
      const reached = reachableFrom(room)
      const knowing = parsed.flatMap((source) => {
        const targets = reached.has(source.file) ? importsOf(source).map(({ target }) => target) : []
        const offences = targets.filter((target) => server.some((one) => isIn(target, one)))
        return offences.map((target) => `${source.file}: ${target}`)
      })
      expect(knowing).toEqual([])
    })
  }
})

describe('rooms keep to their own', () => {
  test('src/core reads no clock and no randomness', () => {
    const impure =
      /\bDate\.now\b|\bnew Date\(\s*\)|\bMath\.random\b|\bcrypto\b|\bperformance\b|\bset(Timeout|Interval)\b/
    expect(offendingCode((file) => file.startsWith('src/core/'), impure)).toEqual([])
  })

  test('SQL lies in src/storage', () => {
    const sql =
      /^\s*(select\s|insert\s+(or\s+\w+\s+)?into\s|update\s+\w+\s+set\s|delete\s+from\s|(create|drop|alter)\s+(unique\s+)?(table|index|view|trigger)\s|with\s+\w+\s+as\s|pragma\s)/i
    const outside = parsed.filter(
      ({ file }) => /^(src|durable-objects)\//.test(file) && !file.startsWith('src/storage/'),
    )
    const offences = outside.flatMap(({ file, strings }) =>
      strings.filter(({ text }) => sql.test(text)).map(({ line, text }) => `${file}:${line}: ${text.trim()}`),
    )
    expect(offences).toEqual([])
  })

  test('no file is called utils.ts', () => {
    expect(sources.filter((file) => /^utils?\.ts$/.test(path.basename(file)))).toEqual([])
  })

  test('nothing is cast to any', () => {
    expect(offendingCode(() => true, /\bas\s+any\b/)).toEqual([])
  })
})

describe('package.json', () => {
  const versions = { ...manifest.dependencies, ...manifest.devDependencies }

  test('pins exact versions', () => {
    const loose = Object.entries(versions).filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
    expect(loose).toEqual([])
  })

  test.each(['wrangler', '@cloudflare/workers-types', 'hono', 'miniflare', 'vitest'])('has %s', (name) => {
    expect(Object.keys(versions)).toContain(name)
  })
})

describe('README and docs', () => {
  test('name only npm scripts that exist', () => {
    const offences = offendingText(/\bnpm (?:run (?:-s )?([\w:-]+)|(test|start)\b)/g, (_, [, run, short]) => {
      return (run ?? short ?? '') in manifest.scripts
    })
    expect(offences).toEqual([])
  })

  test('link to files that exist', () => {
    const offences = offendingText(/\]\(([^)\s]+)\)/g, (file, [, link = '']) => {
      const target = link.split('#')[0]!
      const isElsewhere = target === '' || /^[a-z][a-z+.-]*:/i.test(target)
      return isElsewhere || existsSync(path.resolve(root, path.dirname(file), decodeURIComponent(target)))
    })
    expect(offences).toEqual([])
  })
})

/** The files that run the machine, or a whole object, on Node's own SQLite; they are never part of the Worker. */
function isNodeStore(target: string, file: string): boolean {
  return /^src\/storage\/sql-(durable-)?node\.ts$/.test(file) && target.startsWith('node:')
}

/** Whether an import's target lies in a room (ends in `/` or `:`) or belongs to a package. */
function isIn(target: string, room: string): boolean {
  return target === room || target.startsWith(/[/:]$/.test(room) ? room : `${room}/`)
}

/** The files of a room and all that they import, on whatever way, save what starts the server for them. */
function reachableFrom(room: string): Set<string> {
  const reached = new Set(sources.filter((file) => file.startsWith(room)))
  for (const file of reached) {
    const source = parsed.find((one) => one.file === file)
    for (const { target } of source === undefined ? [] : importsOf(source)) {
      if (target !== 'scripts/local.ts') reached.add(target)
    }
  }
  return reached
}

function offendingImports(room: string, isAllowed: (target: string, file: string) => boolean): string[] {
  return parsed
    .filter(({ file }) => file.startsWith(room))
    .flatMap((source) =>
      importsOf(source)
        .filter(({ target }) => !isAllowed(target, source.file))
        .map(({ line, specifier }) => `${source.file}:${line}: ${specifier}`),
    )
}

function offendingCode(isMeant: (file: string) => boolean, pattern: RegExp): string[] {
  return parsed
    .filter(({ file }) => isMeant(file))
    .flatMap(({ file, lines, code }) =>
      code.flatMap((text, index) => (pattern.test(text) ? [`${file}:${index + 1}: ${lines[index]!.trim()}`] : [])),
    )
}

function offendingText(pattern: RegExp, isFine: (file: string, match: RegExpMatchArray) => boolean): string[] {
  return documents.flatMap((file) =>
    read(file)
      .split('\n')
      .flatMap((text, index) =>
        [...text.matchAll(pattern)]
          .filter((match) => !isFine(file, match))
          .map(([found]) => `${file}:${index + 1}: ${found}`),
      ),
  )
}

/** Static, dynamic and type imports alike; a relative one as the path from the root, any other as it is written. */
function importsOf({ file, strings }: Source): Import[] {
  return strings
    .filter(({ before }) => /(^|[\s}*;])(from|import|import\()$/.test(before))
    .map(({ line, text }) => {
      const target = text.startsWith('.') ? path.posix.join(path.posix.dirname(file), text) : text
      return { line, specifier: text, target }
    })
}

/** Tells comments and strings from code, well enough for sources that the formatter has been over. */
function parse(file: string): Source {
  const text = read(file)
  const strings: Text[] = []
  const tokens = /\/\*[\s\S]*?\*\/|\/\/.*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`/g
  const code = text.replace(tokens, (token, offset: number) => {
    if (!token.startsWith('/')) {
      const line = text.slice(0, offset).split('\n').length
      strings.push({ line, text: token.slice(1, -1), before: text.slice(0, offset).trimEnd().slice(-20) })
    }
    return token.replace(/[^\n]/g, ' ')
  })
  return { file, lines: text.split('\n'), code: code.split('\n'), strings }
}

function read(file: string): string {
  return readFileSync(path.join(root, file), 'utf8')
}

/** Files below a folder whose names end so, as paths from the root; none if there is no such folder. */
function filesIn(folder: string, ending: string): string[] {
  if (!existsSync(path.join(root, folder))) return []
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => path.posix.join(folder, file))
    .filter((file) => file.endsWith(ending))
    .sort()
}
