import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type Clock, hasTestClock, startClock, timed } from './clock.ts'
import { costOf } from './cost.ts'
import { type Group, groupAt, sequences } from './group.ts'
import { expectProblem } from './problem.ts'
import { createStream, numbered, streamAt } from './stream.ts'

/** Looks at everything a group shows; what it shows is dropped. */
async function look(group: Group): Promise<void> {
  await group.info()
  await group.lag()
  await group.holes()
  await group.leases()
  await group.deadLetters()
}

/** Plays the same calls at the same times; `between` runs after each step of time. */
async function play(clock: Clock, between: (group: Group) => Promise<void>): Promise<unknown> {
  const stream = await createStream(1, { clock })
  await stream.appendMany(numbered(8))
  const group = await stream.group({ maxAttempts: 2, backoff: { baseMs: 700 }, maxInFlight: 5 })
  const log: unknown[] = []
  for (let step = 0; step < 12; step += 1) {
    const { leases, reason } = await group.fetched({ limit: 3, leaseMs: 1_000 + step, consumerId: `c-${step % 3}` })
    log.push(
      reason,
      leases.map((lease) => [lease.sequence, lease.attempt, lease.expiresAt]),
    )
    if (leases[0] !== undefined && step % 2 === 0) log.push(await group.ok('nack', leases[0]))
    if (leases[1] !== undefined && step % 3 === 0) log.push(await group.ok('ack', leases[1]))
    clock.advance(400)
    await between(group)
  }
  const { name: _, stream: __, createdAt: ___, oldestUnsettled, ...info } = await group.info()
  const letters = (await group.deadLetters()).map(({ event: _event, eventId: _id, ...letter }) => letter)
  const { blockedBy, ...holes } = await group.holes()
  return { log, info, age: oldestUnsettled?.ageMs, letters, blockedBy: { ...blockedBy, eventId: null }, holes }
}

test('S4.2 the same calls at the same times give the same answers, whether or not anybody looked in between', async ({
  skip,
}) => {
  if (!hasTestClock) skip('the server shows no test clock in its capabilities')
  const nobody = async () => undefined
  expect(await play(startClock(), look)).toEqual(await play(startClock(), nobody))
})

timed('S4.2 every read behaves as if all that is due had been applied', async (clock) => {
  const stream = await createStream(1, { clock })
  await stream.appendMany(numbered(4))
  const group = await stream.group({ maxAttempts: 2 })
  await group.ok('nack', (await group.fetch({ limit: 1 }))[0]!)
  const leases = await group.fetch({ limit: 4, leaseMs: 1_000 })
  expect(leases.map(({ attempt }) => attempt)).toEqual([2, 1, 1, 1])
  await group.ok('nack', leases[3]!, { delayMs: 1_000 })
  clock.advance(1_000)
  const reads: [string, () => Promise<unknown>, unknown][] = [
    ['lag', () => group.lag(), { lag: 3, partitions: { '0': { frontier: 1 } } }],
    ['holes', () => group.holes(), { holes: [{ first: 2, last: 4, state: 'available', attempt: 1 }] }],
    ['leases', () => group.leases(), []],
    ['info', () => group.info(), { inFlight: 0, delayed: 0, available: 3, deadLetters: 1 }],
    ['dead letters', () => group.deadLetters(), [{ sequence: 1, deadLetteredAt: clock.now() }]],
  ]
  for (const [what, read, expected] of reads) expect(await read(), what).toMatchObject(expected as object)
})

timed('S4.2 expiries long past carry each its own time', async (clock) => {
  const stream = await createStream(1, { clock })
  await stream.appendMany(numbered(3))
  const group = await stream.group({ maxAttempts: 1 })
  const expected: string[] = []
  for (const leaseMs of [3_000, 1_000, 2_000]) {
    expected.push((await group.fetch({ limit: 1, leaseMs }))[0]!.expiresAt)
  }
  clock.advance(3_600_000)
  expect((await group.deadLetters()).map((letter) => letter.deadLetteredAt)).toEqual(expected)
})

timed('S9.1 time never goes back for what has been applied', async (clock) => {
  const stream = await createStream(1, { clock })
  await stream.appendMany(numbered(2))
  const group = await stream.group()
  const leases = await group.fetch({ leaseMs: 1_000 })
  clock.advance(1_000)
  expect((await group.fetch({ limit: 1 })).map(({ sequence, attempt }) => [sequence, attempt])).toEqual([[1, 2]])
  clock.advance(-1_000)
  for (const { leaseId } of leases) expectProblem(await group.settle('ack', { leaseId }), 'stale_lease')
  expect((await group.fetch()).map(({ sequence, attempt }) => [sequence, attempt])).toEqual([[2, 2]])
})

timed('S9.2 in test time nothing expires by itself: the clock is the caller’s', async (clock) => {
  const stream = await createStream(1, { clock })
  await stream.append()
  const group = await stream.group()
  const [lease] = await group.fetch({ leaseMs: 10 })
  await sleep(250)
  await group.ok('ack', lease!)
})

timed('S9.2 waitMs is real time in test time, too: an append wakes, the deadline ends it', async (clock) => {
  const stream = await createStream(2, { clock })
  const group = await stream.group()
  const started = performance.now()
  expect(await group.fetch({ waitMs: 400 })).toEqual([])
  expect(performance.now() - started).toBeGreaterThanOrEqual(380)
  const waiting = group.fetch({ waitMs: 15_000 })
  await sleep(300)
  await stream.append({ partition: 1 })
  expect(await waiting).toMatchObject([{ partition: 1, leasedAt: clock.now() }])
  expect(performance.now() - started).toBeLessThan(10_000)
})

test('S9.2 a call without Rheo-Now ends test time, and the alarm is armed from what is stored', async ({ skip }) => {
  if (!hasTestClock) skip('the server shows no test clock in its capabilities')
  const clock = startClock(new Date().toISOString())
  const stream = await createStream(1, { clock })
  await stream.append()
  const group = await stream.group()
  await group.fetch({ leaseMs: 300 })
  const machine = groupAt(streamAt(stream.name), group.name)
  await machine.lag()
  await sleep(1_500)
  expect(costOf(await machine.send('GET', '/lag')).rowsWritten).toBe(0)
  expect(await machine.info()).toMatchObject({ inFlight: 0, available: 1 })
})

test('API Headers: without the test clock Rheo-Now is ignored', async ({ skip }) => {
  if (hasTestClock) skip('the server has a test clock')
  const stream = await createStream(1, { clock: startClock() })
  const { timestamp } = await stream.append()
  expect(Math.abs(Date.parse(timestamp) - Date.now())).toBeLessThan(3_600_000)
})

test('S4.3 the alarm alone reopens an expired lease: the read after it writes no row', async () => {
  const stream = await createStream()
  await stream.appendMany(numbered(2))
  const group = await stream.group()
  await group.fetch({ leaseMs: 200 })
  await sleep(1_500)
  const answer = await group.send('GET', '/lag')
  expect(costOf(answer).rowsWritten).toBe(0)
  expect((await group.holes()).holes).toEqual([{ first: 1, last: 2, state: 'available', attempt: 1 }])
})

test('S4.3 the alarm alone dead-letters what has had its attempts, and the frontier moves', async () => {
  const stream = await createStream()
  await stream.appendMany(numbered(2))
  const group = await stream.group({ maxAttempts: 1 })
  await group.fetch({ leaseMs: 200 })
  await sleep(1_500)
  const answer = await group.send('GET', '/lag')
  expect(costOf(answer).rowsWritten).toBe(0)
  expect(answer.body).toMatchObject({ partitions: { '0': { frontier: 2, lag: 0 } } })
  expect(sequences(await group.deadLetters())).toEqual([1, 2])
})

test('S8.15 an alarm comes again and again: many leases of different lengths all expire', async () => {
  const stream = await createStream()
  await stream.appendMany(numbered(6))
  const group = await stream.group()
  const lengths = [900, 100, 500, 300, 700, 200]
  const leases = (await group.fetch()).map(({ leaseId }, index) => ({ leaseId, leaseMs: lengths[index] }))
  expect(await group.many('renew', { leases })).toMatchObject({ settled: 6, failed: 0 })
  await sleep(2_500)
  expect(costOf(await group.send('GET', '/lag')).rowsWritten).toBe(0)
  expect(await group.info()).toMatchObject({ inFlight: 0, available: 6 })
})
