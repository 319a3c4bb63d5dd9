import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, createClient } from './client.ts'
import { type Runtime, startRuntime } from './runtime.ts'
import { appendNumbered, createStream } from './stream.ts'
import type { Fetched } from './wire.ts'

/*
 * Creating a group touches every partition; a kill may come before, between or after any two of them. Nobody may ever
 * see it on some partitions only, and it must not stay half-way.
 */

const stream = 'wide'
const partitionCount = 64
const partitions = Array.from({ length: partitionCount }, (_, partition) => partition)
const kills = 12
/** The catalog takes up what was cut short after two seconds; more kills in between may put that off. */
const byItselfMs = 8_000
const pollMs = 100
const path = `/streams/${stream}/groups`

let runtime: Runtime
let client: Client

beforeAll(async () => {
  runtime = await startRuntime()
  client = createClient(runtime)
  await createStream(client, stream, partitionCount)
  await appendNumbered(client, stream, partitionCount, (number) => ({ partition: number - 1 }))
})

afterAll(() => runtime?.stop())

test('a group created while the runtime is killed is there on all partitions or on none, and repeating the call ends in it', async () => {
  // The kills are spread over the time that a create takes on a runtime that has just come up, as each of them meets
  // it; closer together at the beginning, for most creates are quicker than the first one.
  const createMs = await timeOfCreate()
  const ended = { 'answered before the kill': 0, 'by itself': 0, 'by repeating': 0, 'never begun': 0 }
  const left: string[] = []
  for (let kill = 0; kill < kills; kill += 1) {
    const name = `g${kill}`
    const wasAnswered = await killDuringCreate(name, (kill / (kills - 1)) ** 2 * createMs)
    const isThere = await isOnAllOrNone(name)
    if (wasAnswered) {
      expect(isThere, `${name} was created before the kill`).toBe(true)
      ended['answered before the kill'] += 1
    } else if (kill % 2 === 0) left.push(name)
    else {
      await repeat(name)
      ended['by repeating'] += 1
    }
  }
  for (const end of await Promise.all(left.map(waitFor))) ended[end] += 1
  console.log(`creates of ${createMs.toFixed(0)} ms, killed, ended: ${JSON.stringify(ended)}`)
  for (let kill = 0; kill < kills; kill += 1) await worksEverywhere(`g${kill}`)
})

async function timeOfCreate(): Promise<number> {
  runtime.kill()
  await runtime.up()
  const startedAt = performance.now()
  await client.expect(201, { path, body: { name: 'undisturbed' } })
  return performance.now() - startedAt
}

/** Whether the create was answered before its runtime was killed. */
async function killDuringCreate(name: string, delayMs: number): Promise<boolean> {
  const creating = client.once({ path, body: { name } })
  await pause(delayMs)
  runtime.kill()
  const answer = await creating
  await runtime.up()
  if (answer !== null) expect(answer.status).toBe(201)
  return answer !== null
}

/**
 * Asks one partition after the other. The catalog may finish the group meanwhile, so it may appear between two
 * answers, and from then on every partition must have it.
 */
async function isOnAllOrNone(name: string): Promise<boolean> {
  let isThere = false
  for (const partition of partitions) {
    const request = { method: 'GET', path: `${path}/${name}/holes?partition=${partition}` } as const
    const answer = await client.once<{ code?: string }>(request)
    if (isThere) expect(answer?.status, `${name} on partition ${partition}`).toBe(200)
    else if (answer?.status !== 200) expect(answer?.body).toMatchObject({ status: 404, code: 'group_not_found' })
    isThere = answer?.status === 200
  }
  return isThere
}

/** The same call again: 201, or `already_exists` where the catalog or the lost call has been as far. */
async function repeat(name: string): Promise<void> {
  const answer = await client.once<{ code?: string }>({ path, body: { name } })
  if (answer?.status === 409) expect(answer.body.code).toBe('already_exists')
  else expect(answer?.status, JSON.stringify(answer?.body)).toBe(201)
  await client.expect(200, { method: 'GET', path: `${path}/${name}` })
}

/** Waits until the group is there by itself. One that does not come must be one that nobody has begun. */
async function waitFor(name: string): Promise<'by itself' | 'never begun'> {
  for (let waitedMs = 0; waitedMs < byItselfMs; waitedMs += pollMs) {
    const answer = await client.once({ method: 'GET', path: `${path}/${name}` })
    if (answer?.status === 200) return 'by itself'
    expect(answer?.status).toBe(404)
    await pause(pollMs)
  }
  // With other options a create meets `already_exists` if the name is taken by a group that stayed half-way.
  await client.expect(201, { path, body: { name, maxAttempts: 7 } })
  return 'never begun'
}

async function worksEverywhere(name: string): Promise<void> {
  await client.expect(200, { method: 'GET', path: `${path}/${name}` })
  for (const partition of partitions) {
    const fetched = await client.expect<Fetched>(200, { path: `${path}/${name}/fetch`, body: { partition } })
    expect(fetched.leases, `${name} on partition ${partition}`).toMatchObject([{ partition, sequence: 1, attempt: 1 }])
  }
}
