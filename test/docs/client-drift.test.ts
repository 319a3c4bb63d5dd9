import { expect, test } from 'vitest'
import { Rheo } from '../../src/client/index.ts'
import { prose, read, rowsOf } from './pages.ts'

/* What docs/reference/sdk.md and cli.md name, held to the sources of the SDK and the program. */

const page = 'docs/reference/sdk.md'

/** The first cells of the tables below a heading, without their marks. */
function namesBelow(heading: string): string[] {
  const [, section] = prose(page).split(new RegExp(`^#+ ${heading}$`, 'm'))
  return rowsOf(section!.split(/^#+ /m)[0]!).map(([cell]) => cell!.replaceAll('`', ''))
}

/** The fields of an interface, without those of what it extends. */
function fieldsOf(file: string, name: string): string[] {
  const [, body] = new RegExp(`^export interface ${name}\\b.*\\{\\n([\\s\\S]*?)^\\}`, 'm').exec(read(file))!
  return [...body!.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, field]) => field!)
}

const sorted = (names: readonly string[]): string[] => names.toSorted()

test('sdk.md has every call of a client, and no other', () => {
  const rheo = new Rheo({ url: 'http://localhost' })
  const parts = (['streams', 'groups', 'deadLetters'] as const).flatMap((part) =>
    Object.keys(rheo[part]).map((name) => `${part}.${name}`),
  )
  const own = Object.getOwnPropertyNames(Rheo.prototype).filter((name) => name !== 'constructor')
  expect(sorted(namesBelow('Calls').map((call) => call.split('(')[0]!))).toEqual(sorted([...own, ...parts]))
})

test('sdk.md has every option, and no other', () => {
  expect(sorted(namesBelow('Options of a client'))).toEqual(sorted(fieldsOf('src/client/options.ts', 'RheoOptions')))
  const shared = fieldsOf('src/client/consume/options.ts', 'ConsumeOptions')
  const consumer = fieldsOf('src/client/consume/options.ts', 'ConsumerOptions')
  expect(sorted(namesBelow('Consumer'))).toEqual(sorted([...shared, ...consumer]))
  expect(namesBelow('Lease stream')).toEqual(fieldsOf('src/client/consume/lease-stream.ts', 'LeaseStreamOptions'))
  const pipeline = 'src/client/consume/pipeline.ts'
  const all = [...fieldsOf(pipeline, 'PipelineOptions'), ...fieldsOf(pipeline, 'BatchOptions')]
  expect(sorted(namesBelow('Pipeline'))).toEqual(sorted(all))
})

test('sdk.md has every event that a consumer tells, and no other', () => {
  const types = [...read('src/client/consume/event.ts').matchAll(/^ .*readonly type: '(\w+)'/gm)].map(
    ([, type]) => type!,
  )
  expect(sorted(namesBelow('What it tells'))).toEqual(sorted(types))
})

test('cli.md has every variable that the program reads or sets, but for the secrets of the server', () => {
  const files = ['settings', 'run-for-event'].map((name) => read(`src/cli/${name}.ts`)).join('')
  const known = new Set([...files.matchAll(/\bRHEO_[A-Z_]+/g)].map(([name]) => name))
  const named = rowsOf(prose('docs/reference/cli.md')).flatMap(([cell]) => /^`(RHEO_\w+)`$/.exec(cell!)?.[1] ?? [])
  expect(named.toSorted()).toEqual([...known].toSorted())
})
