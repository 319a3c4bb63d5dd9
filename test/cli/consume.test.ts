import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openTerminal, type Terminal } from './terminal.ts'

let terminal: Terminal
let stream = ''
let count = 0
const folder = mkdtempSync(path.join(tmpdir(), 'rheo-consume-'))
beforeAll(async () => {
  terminal = await openTerminal()
})
afterAll(async () => {
  await terminal.local.stop()
  rmSync(folder, { recursive: true })
})

beforeEach(async () => {
  count += 1
  stream = `orders-${count}`
  await terminal.client.streams.create(stream)
  await terminal.client.groups.create(stream, 'billing', { maxAttempts: 2 })
  await terminal.client.appendMany(
    stream,
    [1, 2, 3].map((n) => ({ id: `e${n}`, payload: { n } })),
  )
})

const consume = (command: string, ...more: string[]) =>
  terminal.rheo(['consume', stream, 'billing', '--exec', command, ...more])

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10))
}

test('each event is on the stdin of a run, and acked by exit code 0', async () => {
  const done = await consume(`cat; echo "$RHEO_STREAM $RHEO_GROUP $RHEO_EVENT_ID $RHEO_ATTEMPT"`, '--until-caught-up')
  expect(done).toMatchObject({ code: 0, err: '' })
  const lines = done.out.trim().split('\n')
  expect(JSON.parse(lines[0]!)).toMatchObject({ id: 'e1', payload: { n: 1 } })
  expect(lines.filter((line) => line.startsWith('orders-'))).toEqual([1, 2, 3].map((n) => `${stream} billing e${n} 1`))
  expect(lines.at(-1)).toBe('acked 3, retried 0, rejected 0, lost 0, given back 0')
  expect((await terminal.client.groups.lag(stream, 'billing')).lag).toBe(0)
})

test('any other exit code is a retry, and after the last attempt a dead letter', async () => {
  const done = await consume('test $RHEO_EVENT_ID != e2 || { echo broken >&2; exit 7; }', '--until-caught-up', '--json')
  expect(JSON.parse(done.out)).toMatchObject({ acked: 2, retried: 2, unsettled: 0 })
  const told = done.err.split('\n').filter((line) => line !== 'broken' && line !== '')
  expect(told).toEqual([
    '0/2 attempt 1 failed: exit code 7; available',
    '0/2 attempt 2 failed: exit code 7; dead letter',
  ])
  const { deadLetters } = await terminal.client.deadLetters.list(stream, 'billing')
  expect(deadLetters).toMatchObject([{ eventId: 'e2', cause: 'max_attempts', reason: 'exit code 7' }])
})

test('Ctrl-C lets the runs end, gives back the rest, and ends', async () => {
  const began = path.join(folder, `began-${count}`)
  const ended = path.join(folder, `ended-${count}`)
  const consuming = consume(`touch ${began}; sleep 0.3; touch ${ended}`, '--max-demand', '3')
  await until(() => existsSync(began))
  terminal.interrupt()
  const done = await consuming
  expect(existsSync(ended)).toBe(true)
  expect(done).toEqual({
    code: 0,
    out: 'acked 1, retried 0, rejected 0, lost 0, given back 2\n',
    err: 'Waiting for what is running; again to stop at once.\n',
  })
  const group = await terminal.client.groups.get(stream, 'billing')
  expect(group).toMatchObject({ inFlight: 0, lag: { lag: 2 } })
})

test('a second Ctrl-C ends the runs', async () => {
  const began = path.join(folder, `began-${count}`)
  const consuming = consume(`echo $$ > ${began}; sleep 60`)
  await until(() => existsSync(began) && readFileSync(began, 'utf8') !== '')
  const startMs = Date.now()
  terminal.interrupt()
  terminal.interrupt()
  expect(await consuming).toMatchObject({ out: expect.stringContaining('acked 0') })
  expect(Date.now() - startMs).toBeLessThan(5_000)
  const pid = Number(readFileSync(began, 'utf8'))
  await until(() => !existsSync(`/proc/${pid}`))
})

test('a drain that takes too long is a failure', async () => {
  const began = path.join(folder, `began-${count}`)
  const consuming = consume(`touch ${began}; sleep 60`, '--drain-ms', '50')
  await until(() => existsSync(began))
  terminal.interrupt()
  expect(await consuming).toMatchObject({ code: 1, out: expect.stringContaining('1 not settled') })
})

test('a group that is not there ends it at once, and is told once', async () => {
  expect(await terminal.rheo(`consume ${stream} none --exec true`)).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^group_not_found: .*\n$/),
  })
})

test('a wrong command line is exit code 2', async () => {
  expect(await terminal.rheo(`consume ${stream} billing`)).toMatchObject({ code: 2 })
  expect(await terminal.rheo(`consume ${stream} billing --exec true --concurrency x`)).toMatchObject({ code: 2 })
})

test('options out of their range are told', async () => {
  expect(await consume('true', '--concurrency', '0')).toMatchObject({
    code: 1,
    err: expect.stringContaining('concurrency must be an integer from 1 to 1000'),
  })
})
