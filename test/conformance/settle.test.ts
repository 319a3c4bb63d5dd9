import { expect, test } from 'vitest'
import { brief } from './brief.ts'
import { timed } from './clock.ts'
import { sequences, verbs } from './group.ts'
import { expectProblem } from './problem.ts'
import { createStream, numbered } from './stream.ts'

timed('S4.5 ack is terminal', async (clock) => {
  const stream = await createStream(1, { clock })
  await stream.append()
  const group = await stream.group()
  const [lease] = await group.fetch()
  expect(await group.ok('ack', lease!)).toEqual({ ok: true, state: 'acked' })
  clock.advance(43_200_000)
  expect(await group.fetched()).toEqual({ leases: [], reason: 'caught_up' })
  expect(await group.info()).toMatchObject({ inFlight: 0, delayed: 0, available: 0, deadLetters: 0, lag: { lag: 0 } })
})

test('S4.5 nack reopens at once, and its answer says so', async () => {
  const stream = await createStream()
  await stream.append()
  const group = await stream.group()
  const [lease] = await group.fetch()
  expect(await group.ok('nack', lease!)).toMatchObject({ ok: true, state: 'available' })
  expect((await group.fetch()).map(({ sequence, attempt }) => [sequence, attempt])).toEqual([[1, 2]])
})

timed('S4.5 nack with delayMs reopens when it is due, not a millisecond earlier', async (clock) => {
  const stream = await createStream(1, { clock })
  await stream.append()
  const group = await stream.group()
  const [lease] = await group.fetch()
  expect(await group.ok('nack', lease!, { delayMs: 5_000 })).toEqual({
    ok: true,
    state: 'delayed',
    dueAt: clock.in(5_000),
  })
  clock.advance(4_999)
  expect(await group.fetched()).toEqual({ leases: [], reason: 'all_delayed' })
  clock.advance(1)
  expect(await group.info()).toMatchObject({ delayed: 0, available: 1 })
  expect((await group.fetch()).map(({ sequence, attempt }) => [sequence, attempt])).toEqual([[1, 2]])
})

timed(
  'S4.5 without delayMs the backoff of the group decides: min(maxMs, baseMs * factor^(attempt-1))',
  async (clock) => {
    const stream = await createStream(1, { clock })
    await stream.append()
    const group = await stream.group({ maxAttempts: 10, backoff: { baseMs: 100, factor: 3, maxMs: 2_000 } })
    for (const delayMs of [100, 300, 900, 2_000, 2_000]) {
      const [lease] = await group.fetch()
      expect(await group.ok('nack', lease!)).toEqual({ ok: true, state: 'delayed', dueAt: clock.in(delayMs) })
      clock.advance(delayMs)
    }
  },
)

timed('S4.5 a delayMs that is given wins over the backoff, 0 too', async (clock) => {
  const stream = await createStream(1, { clock })
  await stream.append()
  const group = await stream.group({ backoff: { baseMs: 1_000 } })
  const [first] = await group.fetch()
  expect(await group.ok('nack', first!, { delayMs: 7 })).toMatchObject({ state: 'delayed', dueAt: clock.in(7) })
  clock.advance(7)
  const [second] = await group.fetch()
  expect(await group.ok('nack', second!, { delayMs: 0 })).toMatchObject({ state: 'available' })
  expect(await group.fetch()).toHaveLength(1)
})

timed('S4.4 an expiry knows no backoff: the delivery is available again, its attempt kept', async (clock) => {
  const stream = await createStream(1, { clock })
  await stream.append()
  const group = await stream.group({ backoff: { baseMs: 3_600_000 } })
  await group.fetch({ leaseMs: 1_000 })
  clock.advance(1_000)
  expect(await group.info()).toMatchObject({ inFlight: 0, available: 1, delayed: 0 })
  expect((await group.holes()).blockedBy).toMatchObject({ state: 'available', attempt: 1 })
  expect((await group.fetch()).map(({ attempt }) => attempt)).toEqual([2])
})

test('S4.5 reject dead-letters at once', async () => {
  const stream = await createStream()
  await stream.append()
  const group = await stream.group()
  const [lease] = await group.fetch()
  expect(await group.ok('reject', lease!, { reason: 'cannot parse' })).toMatchObject({ ok: true, state: 'rejected' })
  expect(await group.info()).toMatchObject({ deadLetters: 1, inFlight: 0, lag: { lag: 0 } })
  expect((await group.fetched()).reason).toBe('caught_up')
})

timed('S4.6 renew sets expiresAt to now + leaseMs, and keeps leaseId and attempt', async (clock) => {
  const stream = await createStream(1, { clock })
  await stream.append()
  const group = await stream.group()
  const [lease] = await group.fetch({ leaseMs: 10_000 })
  clock.advance(4_000)
  expect(await group.ok('renew', lease!, { leaseMs: 60_000 })).toMatchObject({ ok: true, expiresAt: clock.in(60_000) })
  clock.advance(59_999)
  expect((await group.fetched()).reason).toBe('all_leased')
  expect(await group.leases()).toMatchObject([{ sequence: 1, attempt: 1, expiresAt: clock.in(1) }])
  await group.ok('ack', lease!)
})

timed('S4.6 renew without leaseMs takes the length last granted', async (clock) => {
  const stream = await createStream(1, { clock })
  await stream.append()
  const group = await stream.group({ leaseMs: 30_000 })
  const [lease] = await group.fetch({ leaseMs: 5_000 })
  clock.advance(1_000)
  expect((await group.ok('renew', lease!)).expiresAt).toBe(clock.in(5_000))
  expect((await group.ok('renew', lease!, { leaseMs: 8_000 })).expiresAt).toBe(clock.in(8_000))
  clock.advance(1_000)
  expect((await group.ok('renew', lease!)).expiresAt).toBe(clock.in(8_000))
})

timed('S4.6 renew may shorten a lease', async (clock) => {
  const stream = await createStream(1, { clock })
  await stream.append()
  const group = await stream.group()
  const [lease] = await group.fetch({ leaseMs: 60_000 })
  expect((await group.ok('renew', lease!, { leaseMs: 100 })).expiresAt).toBe(clock.in(100))
  clock.advance(100)
  expectProblem(await group.settle('ack', { leaseId: lease!.leaseId }), 'stale_lease')
})

test('S4.7 release gives a delivery back unworked: available at once, attempt refunded', async () => {
  const stream = await createStream()
  await stream.append()
  const group = await stream.group({ maxAttempts: 1, backoff: { baseMs: 3_600_000 } })
  for (let round = 0; round < 3; round += 1) {
    const [lease] = await group.fetch()
    expect(lease!.attempt).toBe(1)
    expect(await group.ok('release', lease!)).toMatchObject({ ok: true, state: 'available' })
  }
  expect((await group.holes()).blockedBy).toMatchObject({ state: 'available', attempt: 0 })
  expect(await group.deadLetters()).toEqual([])
})

test('S4.5 a paused group hands out nothing, and what is held can still be settled', async () => {
  const stream = await createStream()
  await stream.appendMany(numbered(5))
  const group = await stream.group()
  const leases = await group.fetch()
  await group.patch({ paused: true })
  for (const [index, verb] of verbs.entries()) await group.ok(verb, leases[index]!)
  expect(await group.info()).toMatchObject({ inFlight: 1, available: 2, deadLetters: 1 })
})

/** Bodies that are malformed for some verbs. */
const wrongBodies: readonly (readonly [
  verbs: readonly (typeof verbs)[number][],
  ...bodies: Record<string, unknown>[],
])[] = [
  [verbs, {}, { leaseId: null }, { leaseId: 5 }, { leaseId: ['x'] }, { leaseId: 'x'.repeat(257) }],
  [verbs, { leaseId: 'x', receipt: null }, { leaseId: 'x', receipt: 5 }, { leaseId: 'x', foo: 1 }],
  [verbs, { leases: [] }, { leases: null }, { leases: {} }, { leases: ['x'] }, { leases: [{}] }, { leases: [null] }],
  [verbs, { leaseId: 'x', leases: [{ leaseId: 'x' }] }, { leases: [{ leaseId: 'x', foo: 1 }] }],
  [
    ['nack', 'reject'],
    { leaseId: 'x', reason: 5 },
    { leaseId: 'x', reason: null },
    { leaseId: 'x', reason: 'r'.repeat(1_001) },
  ],
  [['nack'], ...[-1, 43_200_001, 1.5, '1', null].map((delayMs) => ({ leaseId: 'x', delayMs }))],
  [['renew'], ...[0, 9, 43_200_001, 10.5, '10', null].map((leaseMs) => ({ leaseId: 'x', leaseMs }))],
  [
    ['ack', 'nack', 'reject'],
    { receipts: null },
    { receipts: 'x' },
    { receipts: [5] },
    { receipts: ['x'.repeat(257)] },
  ],
  [['ack', 'nack', 'reject'], { receipts: ['x'], leaseId: 'x' }, { receipts: ['x'], leases: [{ leaseId: 'x' }] }],
  [['renew', 'release'], { receipts: ['x'] }],
]

test.each(
  wrongBodies.flatMap(([forVerbs, ...bodies]) =>
    forVerbs.flatMap((verb) => bodies.map((body) => [verb, brief(body), body] as const)),
  ),
)('API Delivery: %s of %s is invalid_request', async (verb, _, body) => {
  const group = await (await createStream()).group()
  expectProblem(await group.settle(verb, body), 'invalid_request')
})

test('API Delivery: the bounds of a settle themselves are allowed', async () => {
  const stream = await createStream()
  await stream.appendMany(numbered(5))
  const group = await stream.group()
  const leases = await group.fetch()
  await group.ok('nack', leases[0]!, { reason: 'r'.repeat(1_000), delayMs: 43_200_000 })
  await group.ok('nack', leases[1]!, { reason: '' })
  await group.ok('reject', leases[2]!, { reason: 'r'.repeat(1_000) })
  await group.ok('renew', leases[3]!, { leaseMs: 43_200_000 })
  await group.ok('renew', leases[4]!, { leaseMs: 10 })
})

test('API Delivery: a lease pasted into a settle call is fine: its other fields are ignored', async () => {
  const stream = await createStream()
  await stream.appendMany(numbered(5))
  const group = await stream.group()
  const leases = await group.fetch({ consumerId: 'worker' })
  for (const [index, verb] of verbs.entries()) {
    const answer = await group.settle(verb, leases[index])
    expect(answer.status, answer.where).toBe(200)
  }
  expect(sequences(await group.fetch())).toEqual([2, 5])
})

test('S8.11 a forged attempt in a pasted lease decides nothing', async () => {
  const stream = await createStream()
  await stream.appendMany(numbered(2))
  const group = await stream.group({ maxAttempts: 2 })
  const [first, second] = await group.fetch()
  expect((await group.settle('nack', { ...first, attempt: 99 })).body).toMatchObject({ state: 'available' })
  await group.ok('nack', second!)
  const [again] = await group.fetch({ limit: 1 })
  expect(again).toMatchObject({ sequence: 1, attempt: 2 })
  expect((await group.settle('nack', { ...again, attempt: 0 })).body).toMatchObject({ state: 'rejected' })
  expect(await group.deadLetters()).toMatchObject([{ sequence: 1, attempt: 2 }])
})
