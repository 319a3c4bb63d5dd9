import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, createClient } from './client.ts'
import { type Runtime, startRuntime } from './runtime.ts'
import { appendNumbered, createGroup, createStream, readLag } from './stream.ts'
import type { Fetched, Lease } from './wire.ts'

/*
 * Every second event acked is the worst a group can leave behind: a hole at every other sequence. All of them must be
 * stored, or acked work comes back with the next start.
 */

const events = 10_000
/** As many as a call may take. */
const most = 1_000
const leaseMs = 600_000

let persistTo: string
let runtime: Runtime

beforeAll(async () => {
  persistTo = mkdtempSync(path.join(tmpdir(), 'rheo-crash-'))
  runtime = await startRuntime(persistTo)
})

afterAll(async () => {
  await runtime?.stop()
  rmSync(persistTo, { recursive: true, force: true, maxRetries: 5 })
})

test.each([
  [
    'a stream of 10 000 events with every second one acked, then stopped and started again: not one acked event returns',
    'stopped',
    async () => {
      await runtime.stop()
      runtime = await startRuntime(persistTo)
    },
  ],
  [
    'a stream of 10 000 events with every second one acked, then killed: not one acked event returns',
    'killed',
    async () => {
      runtime.kill()
      await runtime.up()
    },
  ],
])('%s', async (_, stream, restart) => {
  const group = `/streams/${stream}/groups/g`
  const before = createClient(runtime)
  await createStream(before, stream, 1)
  await createGroup(before, stream, 'g')
  await appendNumbered(before, stream, events)
  const leases = await leaseAll(before, group)
  expect(leases.map(({ sequence }) => sequence)).toEqual(sequences(1, 1))
  const acked = leases.filter(({ sequence }) => sequence % 2 === 0)
  for (let first = 0; first < acked.length; first += most) {
    const body = { leases: acked.slice(first, first + most).map(({ leaseId }) => ({ leaseId })) }
    const { settled } = await before.expect<{ settled: number }>(200, { path: `${group}/ack`, body })
    expect(settled).toBe(body.leases.length)
  }
  const lag = await readLag(before, stream, 'g')

  await restart()

  const after = createClient(runtime)
  expect(await readLag(after, stream, 'g')).toEqual(lag)
  const body = { consumerId: 'worker' }
  const { released } = await after.expect<{ released: number }>(200, { path: `${group}/leases/release`, body })
  expect(released).toBe(events / 2)
  const returned = await leaseAll(after, group)
  expect(returned.map(({ sequence }) => sequence)).toEqual(sequences(1, 2))
  const receipts = [...new Set(returned.map(({ receipt }) => receipt))]
  await after.expect(200, { path: `${group}/ack`, body: { receipts } })
  const partitions = { 0: { frontier: events, highWatermark: events, lag: 0 } }
  expect(await readLag(after, stream, 'g')).toMatchObject({ partitions, lag: 0 })
})

/** Leases everything that there is. */
async function leaseAll(client: Client, group: string): Promise<Lease[]> {
  const leases: Lease[] = []
  for (let fetches = 0; fetches <= events / most; fetches += 1) {
    const body = { limit: most, leaseMs, consumerId: 'worker' }
    const fetched = await client.expect<Fetched>(200, { path: `${group}/fetch`, body })
    if (fetched.leases.length === 0) break
    leases.push(...fetched.leases)
  }
  return leases
}

function sequences(first: number, step: number): number[] {
  return Array.from({ length: events / step }, (_, index) => first + index * step)
}
