import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, createClient } from './client.ts'
import { type Runtime, startRuntime } from './runtime.ts'
import { appendNumbered, createGroup, createStream } from './stream.ts'
import type { Fetched } from './wire.ts'

/*
 * Real time is the subject: nothing calls the object between the kill and the read after the lease has ended. A read
 * behaves as if the expiry had been applied whether or not it has; that it writes no row tells that the alarm did it.
 */

const events = 5
/** What an alarm may take beyond its time, or beyond the start of a runtime that was down when it was due. */
const slackMs = 1_500

type Info = { inFlight: number; available: number; deadLetters: number; lag: { lag: number } }

let runtime: Runtime
let client: Client

beforeAll(async () => {
  runtime = await startRuntime()
  client = createClient(runtime)
})

afterAll(() => runtime?.stop())

test.each([
  ['the alarm survives a kill', 'later', 1_500],
  ['an alarm that comes due while the runtime is down fires after the restart', 'overdue', 60],
])('%s', async (_, stream, leaseMs) => {
  const { info, rowsWritten } = await leaseKillAndLook(stream, leaseMs, 5)
  expect(info).toMatchObject({ inFlight: 0, available: events, deadLetters: 0, lag: { lag: events } })
  expect(rowsWritten).toBe(0)
})

test('the alarm survives a kill and buries what has used up its attempts; the frontier moves', async () => {
  const { info, rowsWritten } = await leaseKillAndLook('buried', 1_000, 1)
  expect(info).toMatchObject({ inFlight: 0, available: 0, deadLetters: events, lag: { lag: 0 } })
  expect(rowsWritten).toBe(0)
})

/** Leases all events, kills the runtime, leaves the object alone until after the leases' end, and reads the group. */
async function leaseKillAndLook(stream: string, leaseMs: number, maxAttempts: number) {
  await createStream(client, stream, 1)
  await createGroup(client, stream, 'g', { maxAttempts })
  await appendNumbered(client, stream, events)
  const group = `/streams/${stream}/groups/g`
  const body = { limit: events, leaseMs }
  const { leases } = await client.expect<Fetched>(200, { path: `${group}/fetch`, body })
  const leasedAt = performance.now()
  runtime.kill()
  expect(leases).toHaveLength(events)
  await runtime.up()
  await pause(Math.max(0, leasedAt + leaseMs - performance.now()) + slackMs)

  const answer = await client.once<Info>({ method: 'GET', path: group })
  expect(answer?.status).toBe(200)
  const cost = answer!.headers.get('rheo-cost') ?? ''
  return { info: answer!.body, rowsWritten: Number(/rows-written=(\d+)/.exec(cost)?.[1]) }
}
