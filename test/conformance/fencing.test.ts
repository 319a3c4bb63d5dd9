import { expect, test } from 'vitest'
import { timed } from './clock.ts'
import { type Group, verbs } from './group.ts'
import { expectProblem } from './problem.ts'
import { createStream, numbered } from './stream.ts'
import type { Lease } from './wire.ts'

/** Asserts that no verb accepts the lease any more, and that trying changes nothing. */
async function expectStale(group: Group, lease: Lease): Promise<void> {
  const before = [await group.info(), await group.leases(), await group.holes()]
  for (const verb of verbs) {
    expectProblem(await group.settle(verb, { leaseId: lease.leaseId }), 'stale_lease', verb)
    expectProblem(await group.settle(verb, { leaseId: lease.leaseId, receipt: lease.receipt }), 'stale_lease', verb)
    const many = await group.many(verb, { leases: [{ leaseId: lease.leaseId }] })
    expect(many).toMatchObject({ results: [{ ok: false, code: 'stale_lease' }], settled: 0, failed: 1 })
  }
  expect([await group.info(), await group.leases(), await group.holes()]).toEqual(before)
}

for (const ending of ['ack', 'nack', 'reject', 'release'] as const) {
  timed(`S4.1 after its ${ending} a lease is stale for every verb, and nothing changes`, async (clock) => {
    const stream = await createStream(1, { clock })
    await stream.appendMany(numbered(2))
    const group = await stream.group()
    const [lease] = await group.fetch()
    await group.ok(ending, lease!)
    await expectStale(group, lease!)
  })
}

timed(
  'S4.2 a lease ends at expiresAt: a millisecond before it settles, at it it is stale for every verb',
  async (clock) => {
    const stream = await createStream(1, { clock })
    await stream.appendMany(numbered(2))
    const group = await stream.group()
    const [one, other] = await group.fetch({ leaseMs: 1_000 })
    clock.advance(999)
    await group.ok('ack', one!)
    clock.advance(1)
    expect(clock.now()).toBe(other!.expiresAt)
    await expectStale(group, other!)
  },
)

timed('S8.7 a late settle never hits the delivery of somebody else', async (clock) => {
  const stream = await createStream(1, { clock })
  await stream.append()
  const group = await stream.group()
  const [late] = await group.fetch({ consumerId: 'slow', leaseMs: 1_000 })
  clock.advance(1_000)
  const [current] = await group.fetch({ consumerId: 'quick' })
  expect(current).toMatchObject({ sequence: 1, attempt: 2 })
  expect(current!.leaseId).not.toBe(late!.leaseId)
  await expectStale(group, late!)
  expectProblem(await group.settle('ack', { leaseId: late!.leaseId, receipt: current!.receipt }), 'stale_lease')
  expect((await group.many('ack', { receipts: [late!.receipt] })).results).toMatchObject([{ code: 'stale_lease' }])
  await group.ok('ack', current!)
})

timed('S8.7 of two late workers none is told ok', async (clock) => {
  const stream = await createStream(1, { clock })
  await stream.append()
  const group = await stream.group()
  const [first] = await group.fetch({ leaseMs: 1_000 })
  clock.advance(1_000)
  const [second] = await group.fetch({ leaseMs: 1_000 })
  clock.advance(1_000)
  const answers = await Promise.all([first!, second!].map(({ leaseId }) => group.settle('ack', { leaseId })))
  for (const answer of answers) expectProblem(answer, 'stale_lease')
  expect(await group.lag()).toMatchObject({ lag: 1 })
})

test('S4.1 of 20 concurrent acks of one lease exactly one is told ok', async () => {
  const stream = await createStream()
  await stream.append()
  const group = await stream.group()
  const [lease] = await group.fetch()
  const answers = await Promise.all(Array.from({ length: 20 }, () => group.settle('ack', { leaseId: lease!.leaseId })))
  expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1)
  for (const answer of answers) if (answer.status !== 200) expectProblem(answer, 'stale_lease')
})

test('S4.1 of concurrent ack, nack, reject and release exactly one wins, and the state is what it said', async () => {
  const stream = await createStream()
  const group = await stream.group()
  for (let round = 0; round < 10; round += 1) {
    await stream.append()
    const [lease] = await group.fetch()
    const answers = await Promise.all(
      (['ack', 'nack', 'reject', 'release'] as const).map((verb) => group.settle(verb, { leaseId: lease!.leaseId })),
    )
    const won = answers.filter((answer) => answer.status === 200)
    expect(won).toHaveLength(1)
    const again = await group.fetch()
    expect(again).toHaveLength(won[0]!.body.state === 'available' ? 1 : 0)
    if (again.length > 0) await group.ok('ack', again[0]!)
  }
})

test('S4.1 a receipt that is not its own is receipt_mismatch, and the lease is unharmed', async () => {
  const stream = await createStream(2)
  await stream.appendMany([{ partition: 0 }, { partition: 0 }, { partition: 1 }])
  const group = await stream.group()
  const [lease] = await group.fetch({ partition: 0, limit: 1 })
  const [sibling] = await group.fetch({ partition: 0, limit: 1 })
  const [elsewhere] = await group.fetch({ partition: 1 })
  for (const receipt of [sibling!.receipt, elsewhere!.receipt, 'nobody', '', lease!.leaseId]) {
    for (const verb of verbs) {
      expectProblem(await group.settle(verb, { leaseId: lease!.leaseId, receipt }), 'receipt_mismatch')
    }
    const { results } = await group.many('ack', { leases: [{ leaseId: lease!.leaseId, receipt }] })
    expect(results).toMatchObject([{ ok: false, code: 'receipt_mismatch' }])
  }
  await group.ok('ack', lease!, { receipt: lease!.receipt })
})

test('S4.1 leaseId is looked at first: a stale one is stale_lease, whatever receipt stands beside it', async () => {
  const stream = await createStream()
  await stream.appendMany(numbered(2))
  const group = await stream.group()
  const [settled, held] = await group.fetch()
  await group.ok('ack', settled!)
  for (const receipt of [settled!.receipt, held!.receipt, 'nobody']) {
    expectProblem(await group.settle('ack', { leaseId: settled!.leaseId, receipt }), 'stale_lease')
    expectProblem(await group.settle('ack', { leaseId: 'nobody', receipt }), 'stale_lease')
  }
})

test('API Delivery: any string that is no current lease is stale_lease', async () => {
  const stream = await createStream()
  await stream.append()
  const group = await stream.group()
  const [lease] = await group.fetch()
  const strings = [
    ...[
      '',
      ' ',
      '0',
      '0.1',
      'null',
      '__proto__',
      '{"partition":0}',
      "' or 1=1 --",
      'a/b?c',
      '\u0000',
      '😀',
      '\ud800',
      '=',
    ],
    ...['99999999999999999999', '-1', 'NaN', '.', '..', '.'.repeat(256), 'x'.repeat(256), '0:0:0', '300.1.x'],
    ...[lease!.receipt, lease!.eventId, ` ${lease!.leaseId}`, `${lease!.leaseId} `, `${lease!.leaseId}\n`],
    ...[`${lease!.leaseId}=`, lease!.leaseId.slice(1), lease!.leaseId.slice(0, -1), `0${lease!.leaseId}`],
  ]
  for (const leaseId of strings) {
    for (const verb of verbs)
      expectProblem(await group.settle(verb, { leaseId }), 'stale_lease', JSON.stringify(leaseId))
  }
  const { results } = await group.many('ack', { leases: strings.map((leaseId) => ({ leaseId })) })
  expect(results.map((result) => result.code)).toEqual(strings.map(() => 'stale_lease'))
  await group.ok('ack', lease!)
})

test('S4.1 the token must be equal: a leaseId with any one character changed settles nothing', async () => {
  const stream = await createStream(2)
  await stream.appendMany([{ partition: 0 }, { partition: 1 }])
  const group = await stream.group()
  const [lease] = await group.fetch({ partition: 0 })
  const changed = [...lease!.leaseId].flatMap((character, index) =>
    ['A', 'b', '0', '1', '_', character.toUpperCase(), character.toLowerCase()]
      .filter((other) => other !== character)
      .map((other) => lease!.leaseId.slice(0, index) + other + lease!.leaseId.slice(index + 1)),
  )
  for (let start = 0; start < changed.length; start += 1_000) {
    const leases = changed.slice(start, start + 1_000).map((leaseId) => ({ leaseId }))
    const { results, settled } = await group.many('ack', { leases })
    expect(results.filter((result) => result.ok)).toEqual([])
    expect(settled).toBe(0)
  }
  await group.ok('ack', lease!)
})

test('S4.1 a lease of another stream settles nothing, and is not harmed', async () => {
  const [stream, other] = [await createStream(), await createStream()]
  const groups = [await stream.group(), await other.group()]
  await Promise.all([stream.append(), other.append()])
  const [lease] = await groups[0]!.fetch()
  await groups[1]!.fetch()
  for (const verb of verbs) expectProblem(await groups[1]!.settle(verb, { leaseId: lease!.leaseId }), 'stale_lease')
  expect((await groups[1]!.info()).inFlight).toBe(1)
  await groups[0]!.ok('ack', lease!)
})
