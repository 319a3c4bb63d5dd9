import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startLocal } from '../../src/testing/index.ts'
import { serve } from '../testing/serve.ts'

/* The program as it is shipped, in a process of its own, against a server behind a port. */

const root = path.resolve(import.meta.dirname, '../..')
const folder = mkdtempSync(path.join(tmpdir(), 'rheo-program-'))
const program = path.join(folder, 'cli.js')
let server: { url: string; stop(): Promise<void> }

beforeAll(async () => {
  const build = spawn(process.execPath, ['scripts/build-packages.ts', folder], { cwd: root, stdio: 'inherit' })
  expect(await new Promise((resolve) => build.on('exit', resolve))).toBe(0)
  server = await serve(await startLocal())
})

afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true })
})

interface Ended {
  code: number | null
  out: string
  err: string
}

function start(words: readonly string[], input = ''): { child: ChildProcess; ended: Promise<Ended> } {
  // By its first line, as a shell starts it.
  const child = spawn(program, words, { env: { ...process.env, RHEO_URL: server.url } })
  const ended: Ended = { code: null, out: '', err: '' }
  child.stdout.on('data', (chunk) => {
    ended.out += chunk
  })
  child.stderr.on('data', (chunk) => {
    ended.err += chunk
  })
  child.stdin.end(input)
  return { child, ended: new Promise((resolve) => child.on('close', (code) => resolve({ ...ended, code }))) }
}

const rheo = (line: string, input?: string): Promise<Ended> => start(line.split(' '), input).ended

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10))
}

test('exit codes are 0, 1 and 2', async () => {
  expect(await rheo('streams create orders')).toEqual({ code: 0, out: 'created orders with 1 partition\n', err: '' })
  expect(await rheo('streams create orders')).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringMatching(/^already_exists: /),
  })
  expect(await rheo('streams make')).toMatchObject({ code: 2, out: '' })
})

test('what goes in by stdin comes out by stdout, also into a pipe that is closed early', async () => {
  await rheo('streams create lines')
  const input = Array.from({ length: 3_000 }, (_, n) => `{"payload":{"n":${n},"text":"${'x'.repeat(300)}"}}\n`).join('')
  expect(await rheo('append lines --file -', input)).toMatchObject({ out: '3000 appended, 0 there before\n' })
  const { out } = await rheo('query lines --all')
  expect(
    out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).payload.n),
  ).toEqual([...Array(3_000).keys()])
  const { child, ended } = start(['query', 'lines', '--all'])
  child.stdout!.once('data', () => child.stdout!.destroy())
  expect((await ended).err).toBe('')
})

test('a server that is not there is a failure, and doctor says what to do', async () => {
  const gone = await serve(await startLocal())
  await gone.stop()
  const { port } = new URL(gone.url)
  for (const nowhere of [`http://127.0.0.1:${port}`, `http://localhost:${port}`]) {
    const told = `backend_unavailable: no answer from ${nowhere}: connection refused; `
    const failed = { code: 1, out: '', err: `${told}rheo doctor says more\n` }
    expect(await rheo(`streams list --url ${nowhere}`)).toEqual(failed)
    expect(await rheo(`doctor --url ${nowhere}`)).toMatchObject({
      code: 1,
      out: expect.stringContaining(`${told}is the server running, and is the URL right?`),
    })
    const json = await rheo(`streams list --json --url ${nowhere}`)
    expect(JSON.parse(json.err)).toEqual({
      code: 'backend_unavailable',
      detail: `no answer from ${nowhere}: connection refused`,
    })
  }
})

test('consume tells why it waits for a server that is not there, and goes on', async () => {
  const gone = await serve(await startLocal())
  await gone.stop()
  const { child, ended } = start(['consume', 'orders', 'billing', '--exec', 'true', '--url', gone.url])
  child.stderr!.once('data', () => child.kill())
  const { code, err } = await ended
  expect(err.split('\n')[0]).toBe(`fetch failed: ambiguous: no answer from ${gone.url}: connection refused`)
  expect(code).toBe(0)
})

test.each(['SIGINT', 'SIGTERM'] as const)(
  '%s during consume lets the run end, acks it, and gives back the rest',
  async (signal) => {
    const stream = `drained-${signal.toLowerCase()}`
    await rheo(`streams create ${stream}`)
    await rheo(`groups create ${stream} billing`)
    await rheo(`append ${stream} --file -`, '{}\n{}\n{}\n')
    const [began, ended] = [path.join(folder, `${signal}-began`), path.join(folder, `${signal}-ended`)]
    const consuming = start([
      'consume',
      stream,
      'billing',
      '--exec',
      `touch ${began}; sleep 0.5; touch ${ended}`,
      '--max-demand',
      '3',
    ])
    await until(() => existsSync(began))
    consuming.child.kill(signal)
    expect(await consuming.ended).toEqual({
      code: 0,
      out: 'acked 1, retried 0, rejected 0, lost 0, given back 2\n',
      err: 'Waiting for what is running; again to stop at once.\n',
    })
    expect(existsSync(ended)).toBe(true)
    const group = JSON.parse((await rheo(`groups show ${stream} billing --json`)).out)
    expect(group).toMatchObject({ inFlight: 0, lag: { lag: 2 } })
  },
)

test('Ctrl-C at a terminal, which reaches everything in the foreground, does not reach the runs', async () => {
  await rheo('streams create foreground')
  await rheo('groups create foreground billing')
  await rheo('append foreground --file -', '{}\n')
  const began = path.join(folder, 'foreground-began')
  const child = spawn(program, ['consume', 'foreground', 'billing', '--exec', `touch ${began}; sleep 0.5`], {
    env: { ...process.env, RHEO_URL: server.url },
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let out = ''
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  const closed = new Promise((resolve) => child.on('close', resolve))
  await until(() => existsSync(began))
  process.kill(-child.pid!, 'SIGINT')
  expect(await closed).toBe(0)
  expect(out).toBe('acked 1, retried 0, rejected 0, lost 0, given back 0\n')
})
