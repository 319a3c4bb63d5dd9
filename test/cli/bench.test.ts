import { afterAll, beforeAll, expect, test } from 'vitest'
import { percentile } from '../../src/cli/measure.ts'
import { openTerminal, type Terminal } from './terminal.ts'

let terminal: Terminal
beforeAll(async () => {
  terminal = await openTerminal({ RHEO_OPEN_HOSTS: 'rheo.example.com' })
})
afterAll(() => terminal.local.stop())

const names = [
  ...['round trip', 'append, each alone', 'append, gathered', 'append 10 at once'],
  ...['fetch and ack 10', 'append to handler'],
]
const line = 'bench --duration-ms 60 --callers 4 --batch 10'
const streams = async () => (await terminal.client.streams.list()).streams

test('every measure is in the answer with its counts and times, and the stream is deleted', async () => {
  const { code, out, err } = await terminal.rheo(`${line} --json`)
  expect({ code, err }).toEqual({ code: 0, err: '' })
  const { measures, ...setting } = JSON.parse(out)
  expect(setting).toMatchObject({ measuredAt: 'client', durationMs: 60, callers: 4, batch: 10, bytes: 200 })
  expect(measures.map(({ name }: { name: string }) => name)).toEqual(names)
  for (const { name, calls, events, seconds, p50Ms, p99Ms, maxMs } of measures) {
    expect(calls, name).toBeGreaterThan(0)
    expect(seconds, name).toBeGreaterThan(0)
    expect(p50Ms <= p99Ms && p99Ms <= maxMs, name).toBe(true)
    if (name === 'append 10 at once') expect(events).toBe(10 * calls)
    if (name === 'append, each alone' || name === 'append to handler') expect(events).toBe(calls)
  }
  expect(await streams()).toEqual([])
})

test('people see a table, progress, and that it is the client that measures', async () => {
  const { out, err } = await terminal.rheo(line, { isInteractive: true })
  const [head, ...rows] = out.trimEnd().split('\n')
  expect(head).toMatch(/^MEASURE +CALLERS +CALLS +CALLS\/S +EVENTS\/S +P50 MS +P99 MS +MAX MS$/)
  expect(rows.map((row) => row.split(/ {2,}/)[0])).toEqual(names)
  expect(err).toMatch(/append, each alone: \d+ events/)
  expect(err).toContain('Measured by this process: its own work and the way to the server are in every figure')
})

test('a server that is not on this machine is not loaded without a yes', async () => {
  const url = '--url https://rheo.example.com'
  expect(await terminal.rheo(`bench ${url}`)).toMatchObject({ code: 2, err: expect.stringContaining('takes --yes') })
  const asked = await terminal.rheo(`bench ${url}`, { isInteractive: true, stdin: 'no\n' })
  expect(asked).toMatchObject({ code: 1, out: '', err: expect.stringContaining('whoever runs that pays') })
  expect(await streams()).toEqual([])
  // Whatever the name, the calls of this terminal reach the local service.
  expect(await terminal.rheo(`${line} ${url} --yes --json`)).toMatchObject({ code: 0 })
})

test('Ctrl-C ends it, and the stream is deleted', async () => {
  const running = terminal.rheo('bench --duration-ms 600000')
  await expect.poll(streams).toHaveLength(1)
  terminal.interrupt()
  expect(await running).toMatchObject({ code: 1, out: '', err: 'failed: it was interrupted\n' })
  expect(await streams()).toEqual([])
})

test.each([
  ['--callers 0', '--callers must be from 1 to 256'],
  ['--batch 1001', '--batch must be from 1 to 1000'],
  ['--bytes -1', '--bytes must be from 0 to 10000'],
])('a size out of its range is told: %s', async (flag, told) => {
  expect(await terminal.rheo(`bench ${flag}`)).toMatchObject({ code: 2, err: expect.stringContaining(told) })
})

test('a percentile is the least value that so many do not exceed', () => {
  expect([0.5, 0.99, 1].map((part) => percentile([1, 2, 3, 4], part))).toEqual([2, 4, 4])
  expect(percentile([], 0.5)).toBe(null)
})
