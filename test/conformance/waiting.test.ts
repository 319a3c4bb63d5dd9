import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type Group, sequences } from './group.ts'
import { createStream, numbered } from './stream.ts'
import type { Fetched, Lease } from './wire.ts'

// Waiting is real time, so these tests use the machine's clock. What wakes a waiter comes after this pause, so that the
// waiter is there; what must not need its deadline ends long before it.
const settleInMs = 300
const waitMs = 15_000
const wellBeforeMs = 10_000

/** Runs a fetch and measures it. */
async function measured(fetching: Promise<Fetched>): Promise<Fetched & { elapsedMs: number }> {
  const started = performance.now()
  const fetched = await fetching
  return { ...fetched, elapsedMs: performance.now() - started }
}

/** Waits for a delivery while `wake` makes one possible, and asserts that it came by that and not at the deadline. */
async function wokenBy(
  group: Group,
  wake: () => Promise<unknown>,
  body: Record<string, unknown> = {},
): Promise<Lease[]> {
  const waiting = measured(group.fetched({ waitMs, ...body }))
  await sleep(settleInMs)
  await wake()
  const { leases, elapsedMs } = await waiting
  expect(leases.length).toBeGreaterThan(0)
  expect(elapsedMs).toBeLessThan(wellBeforeMs)
  return leases
}

test('S3.6 a waiting fetch answers empty, with its reason, at its deadline', async () => {
  const group = await (await createStream(2)).group()
  const { leases, reason, elapsedMs } = await measured(group.fetched({ waitMs: 500 }))
  expect({ leases, reason }).toEqual({ leases: [], reason: 'caught_up' })
  expect(elapsedMs).toBeGreaterThanOrEqual(480)
  expect(elapsedMs).toBeLessThan(5_000)
})

test('S3.6 a waiting fetch with work answers at once', async () => {
  const stream = await createStream()
  const group = await stream.group()
  await stream.append()
  const { leases, elapsedMs } = await measured(group.fetched({ waitMs }))
  expect(leases).toHaveLength(1)
  expect(elapsedMs).toBeLessThan(wellBeforeMs)
})

test('S3.6 an append wakes a waiting fetch', async () => {
  const stream = await createStream()
  const group = await stream.group()
  expect(sequences(await wokenBy(group, () => stream.append()))).toEqual([1])
})

test('S3.6 an append to any of many partitions wakes a fetch that waits for all', async () => {
  const stream = await createStream(16)
  const group = await stream.group()
  for (const partition of [15, 0, 7]) {
    const leases = await wokenBy(group, () => stream.append({ partition }))
    expect(leases.map((lease) => lease.partition)).toEqual([partition])
    await group.many('ack', { leases })
  }
})

test('S3.6 an append to a partition that was not asked for wakes nobody', async () => {
  const stream = await createStream(2)
  const group = await stream.group()
  const waiting = measured(group.fetched({ waitMs: 1_000, partition: 1 }))
  await sleep(settleInMs)
  await stream.append({ partition: 0 })
  const { leases, elapsedMs } = await waiting
  expect(leases).toEqual([])
  expect(elapsedMs).toBeGreaterThanOrEqual(980)
})

test.each([
  ['nack', 2],
  ['release', 1],
] as const)('S3.6 a %s wakes a waiting fetch, whose lease has attempt %d', async (verb, attempt) => {
  const stream = await createStream()
  const group = await stream.group()
  await stream.append()
  const [lease] = await group.fetch()
  const leases = await wokenBy(group, () => group.ok(verb, lease!))
  expect(leases.map((woken) => [woken.sequence, woken.attempt])).toEqual([[1, attempt]])
})

test('S3.6 the release of a consumer by an operator wakes a waiting fetch', async () => {
  const stream = await createStream()
  const group = await stream.group()
  await stream.append()
  await group.fetch({ consumerId: 'gone' })
  const release = () => group.send('POST', '/leases/release', { body: { consumerId: 'gone' } })
  expect(sequences(await wokenBy(group, release))).toEqual([1])
})

test('S3.6 the unpause of a group wakes a waiting fetch', async () => {
  const stream = await createStream()
  const group = await stream.group({ paused: true })
  await stream.append()
  expect(sequences(await wokenBy(group, () => group.patch({ paused: false })))).toEqual([1])
})

test('S3.6 a fetch that waits for a paused group answers paused at its deadline', async () => {
  const stream = await createStream()
  const group = await stream.group({ paused: true })
  const waiting = measured(group.fetched({ waitMs: 800 }))
  await sleep(settleInMs)
  await stream.append()
  const { leases, reason, elapsedMs } = await waiting
  expect({ leases, reason }).toEqual({ leases: [], reason: 'paused' })
  expect(elapsedMs).toBeGreaterThanOrEqual(780)
})

test('S3.6 an ack that frees maxInFlight wakes a waiting fetch', async () => {
  const stream = await createStream()
  const group = await stream.group({ maxInFlight: 1 })
  await stream.appendMany(numbered(2))
  const [lease] = await group.fetch()
  expect(sequences(await wokenBy(group, () => group.ok('ack', lease!)))).toEqual([2])
})

test('S3.6 a maxInFlight that is raised wakes a waiting fetch', async () => {
  const stream = await createStream()
  const group = await stream.group({ maxInFlight: 1 })
  await stream.appendMany(numbered(2))
  await group.fetch()
  expect(sequences(await wokenBy(group, () => group.patch({ maxInFlight: 2 })))).toEqual([2])
})

test('S3.6 replay, redrive and reset wake a waiting fetch', async () => {
  const stream = await createStream(4)
  const group = await stream.group({ maxAttempts: 1 })
  await stream.append({ partition: 3 })
  await group.many('ack', { leases: await group.fetch() })
  const wakes: [() => Promise<unknown>, number][] = [
    [() => group.replay({ fromSequence: 0 }), 2],
    [() => group.redrive({ all: true }), 1],
    [() => group.replay({ query: {} }), 2],
    [() => group.reset(), 1],
  ]
  for (const [wake, attempt] of wakes) {
    const leases = await wokenBy(group, wake)
    expect(leases.map((woken) => [woken.sequence, woken.attempt])).toEqual([[1, attempt]])
    await group.many('reject', { leases })
  }
})

test('S4.3 an expiry with no traffic wakes a waiting fetch', async () => {
  const stream = await createStream()
  const group = await stream.group()
  await stream.append()
  const [expiring] = await group.fetch({ leaseMs: 600 })
  const { leases, elapsedMs } = await measured(group.fetched({ waitMs }))
  expect(leases.map((lease) => [lease.sequence, lease.attempt])).toEqual([[1, 2]])
  expect(Date.parse(leases[0]!.leasedAt)).toBeGreaterThanOrEqual(Date.parse(expiring!.expiresAt))
  expect(elapsedMs).toBeLessThan(wellBeforeMs)
})

test('S3.6 the end of a delay wakes a waiting fetch', async () => {
  const stream = await createStream()
  const group = await stream.group()
  await stream.append()
  const [lease] = await group.fetch()
  const { dueAt } = await group.ok('nack', lease!, { delayMs: 600 })
  const { leases, elapsedMs } = await measured(group.fetched({ waitMs }))
  expect(leases.map((woken) => [woken.sequence, woken.attempt])).toEqual([[1, 2]])
  expect(Date.parse(leases[0]!.leasedAt)).toBeGreaterThanOrEqual(Date.parse(dueAt!))
  expect(elapsedMs).toBeLessThan(wellBeforeMs)
})

test('S4.3 an expiry with no traffic that dead-letters frees maxInFlight, and that wakes a waiting fetch', async () => {
  const stream = await createStream()
  const group = await stream.group({ maxAttempts: 1, maxInFlight: 1 })
  await stream.appendMany(numbered(2))
  await group.fetch({ leaseMs: 600 })
  const { leases, elapsedMs } = await measured(group.fetched({ waitMs }))
  expect(sequences(leases)).toEqual([2])
  expect(elapsedMs).toBeLessThan(wellBeforeMs)
  expect(await group.deadLetters()).toMatchObject([{ sequence: 1, cause: 'lease_expired' }])
})

test('S3.6 waiting never leases: nothing is in flight while a fetch waits', async () => {
  const stream = await createStream()
  const group = await stream.group({ paused: true })
  await stream.append()
  const waiting = group.fetch({ waitMs: 1_000 })
  await sleep(settleInMs)
  expect(await group.info()).toMatchObject({ inFlight: 0 })
  expect(await waiting).toEqual([])
})

test('S4.3 a waiting fetch whose client has gone holds an event no longer than its lease', async () => {
  const stream = await createStream(2)
  const group = await stream.group()
  const gone = new AbortController()
  const options = { body: { waitMs, leaseMs: 1_000 }, signal: gone.signal }
  const waiting = group.send('POST', '/fetch', options).catch((error: Error) => error.name)
  await sleep(settleInMs)
  gone.abort()
  expect(await waiting).toBe('AbortError')
  await stream.append({ partition: 1 })
  // Attempt 1 where the platform shows that the client has gone, 2 where it does not.
  const { leases, elapsedMs } = await measured(group.fetched({ waitMs }))
  expect(leases.map((lease) => [lease.partition, lease.sequence])).toEqual([[1, 1]])
  expect(leases[0]!.attempt).toBeLessThanOrEqual(2)
  expect(elapsedMs).toBeLessThan(wellBeforeMs)
})

test('S3.6 one event for ten waiting fetches goes to one of them; the others wait on', async () => {
  const stream = await createStream()
  const group = await stream.group()
  const waiting = Array.from({ length: 10 }, () => measured(group.fetched({ waitMs: 1_500 })))
  await sleep(settleInMs)
  await stream.append()
  const answers = await Promise.all(waiting)
  expect(answers.flatMap((answer) => answer.leases)).toHaveLength(1)
  for (const answer of answers) if (answer.leases.length === 0) expect(answer.elapsedMs).toBeGreaterThanOrEqual(1_450)
})

test('S8.17 waiting fetches over 8 partitions burn no attempt: no dead letter, nothing leased that nobody got', async () => {
  const stream = await createStream(8)
  const group = await stream.group({ maxAttempts: 1 })
  const rounds = 25
  const got: Lease[] = []
  let done = false
  const worker = async () => {
    while (!done) got.push(...(await group.fetch({ limit: 10, waitMs: 400 })))
  }
  const workers = Array.from({ length: 6 }, worker)
  for (let round = 0; round < rounds; round += 1) {
    await Promise.all([stream.append({ partition: round % 8 }), stream.append({ partition: (round * 3 + 5) % 8 })])
  }
  const deadline = Date.now() + wellBeforeMs
  while (got.length < 2 * rounds && Date.now() < deadline) await sleep(50)
  done = true
  await Promise.all(workers)

  const place = (lease: { partition: number; sequence: number }) => `${lease.partition}:${lease.sequence}`
  expect(new Set(got.map(place)).size).toBe(2 * rounds)
  expect(got).toHaveLength(2 * rounds)
  expect((await group.leases()).map(place).sort()).toEqual(got.map(place).sort())
  expect(await group.deadLetters()).toEqual([])
  const { results, failed } = await group.many('ack', { leases: got.map(({ leaseId }) => ({ leaseId })) })
  expect(failed, JSON.stringify(results.filter((result) => !result.ok))).toBe(0)
  expect(await group.lag()).toMatchObject({ lag: 0 })
})
