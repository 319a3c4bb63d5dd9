import { spawn, spawnSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Local, startLocal } from '../../scripts/local.ts'
import { Rheo, tail } from '../../src/client/index.ts'
import { operationsOf } from '../../src/reference/document.ts'
import { openapi } from '../../src/reference/openapi.ts'
import { operations } from '../../src/reference/operations.ts'
import { Contract } from '../conformance/contract.ts'

/*
 * The examples as readers have them, from top to bottom against an empty store: each call of curl in a shell, then each
 * call of the SDK. What is deleted is deleted last.
 */

const document = openapi()
const contract = new Contract(document)
const all = operationsOf(document)
const isDelete = ({ method }: { method: string }): boolean => method === 'DELETE'
/** Groups are deleted ahead of the stream that they are of. */
const inOrder = [...all.filter((one) => !isDelete(one)), ...all.filter(isDelete).toReversed()]

let server: Local
beforeAll(async () => {
  server = await startLocal()
})
afterAll(() => server?.stop())

/** A curl that also tells what was answered: the last call of a sample is the one that it is about. */
const prelude = `set -euo pipefail
curl() { command curl -sS -D "$SCRATCH.head" -o "$SCRATCH.body" -w '%{http_code}' "$@" > "$SCRATCH.status" && cat "$SCRATCH.body"; }
`
const epilogue = `
echo; echo ----; cat "$SCRATCH.status"; echo; cat "$SCRATCH.head"; echo ----; cat "$SCRATCH.body"; rm "$SCRATCH".*`

/** Runs a sample in a shell. Not spawnSync: the server is a child of this process and must be able to run. */
function run(source: string): Promise<{ status: number; headers: Headers; text: string }> {
  const script = prelude + source.replaceAll('http://localhost:8787', server.url) + epilogue
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-c', script], { env: { ...process.env, SCRATCH: `${server.persistTo}/sample` } })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
    child.on('close', (code) => {
      const [, told, text] = output.split('----\n')
      if (code !== 0 || told === undefined) return reject(new Error(`${source}\n${output}`))
      const [status, , ...lines] = told.split(/\r?\n/)
      const pairs = lines.filter((line) => line.includes(':')).map((line) => line.split(/:\s*(.*)/) as [string, string])
      resolve({
        status: Number(status),
        headers: new Headers(pairs.map(([name, value]) => [name, value])),
        text: text ?? '',
      })
    })
  })
}

const samples = inOrder.flatMap(({ method, path, operation }) =>
  operations[`${method} ${path}`]!.examples.map((example) => ({
    id: operation.operationId,
    title: example.title,
    status: example.status,
    method,
    path: path.replace('{stream}', 'orders').replace('{group}', 'billing').replace('{event}', 'payment-1'),
    source: operation['x-codeSamples'].find(({ lang, label }) => lang === 'Shell' && label === example.title)!.source,
  })),
)

const hasCurl = spawnSync('curl', ['--version']).status === 0

describe('an example for curl', () => {
  it.skipIf(!hasCurl).each(samples)('does what it says, in a shell: $id, $title', async (sample) => {
    const { source, method, path } = sample
    const { status, headers, text } = await run(source)
    expect(status, `${source}\n${text}`).toBe(sample.status)
    const exchange = { method, path, requestHeaders: new Headers(), sent: undefined, status, headers, text }
    expect(contract.faultsOf(exchange)).toEqual([])
  })
})

const AsyncFunction = (async () => {}).constructor as new (
  ...source: string[]
) => (...given: unknown[]) => Promise<void>
const calls = inOrder.flatMap(({ operation }) =>
  operation['x-codeSamples']
    .filter(({ lang }) => lang === 'TypeScript')
    .map(({ source }) => ({ id: operation.operationId, source })),
)

describe('an example for the SDK', () => {
  // They take deliveries that the examples for appending bring too few of.
  const more = Array.from({ length: 10 }, (_, index) => ({ key: `key-${index}` }))

  it.each(calls)('does what it says: $id', async ({ id, source }) => {
    const rheo = new Rheo({ url: server.url, tenant: 'sdk' })
    if (id === 'getEvent') await rheo.append('orders', { id: 'payment-1' })
    if (id === 'createGroup') await rheo.appendMany('orders', more)
    await new AsyncFunction('rheo', 'tail', 'console', source)(rheo, tail, { log: () => {} })
  })
})
