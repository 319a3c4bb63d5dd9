import { expect, test } from 'vitest'
import { timed } from './clock.ts'
import { drain, fetchAll, sequences } from './group.ts'
import { placeOf, searchAll } from './search.ts'
import { range, settled } from './settled.ts'
import { createStream, numbered } from './stream.ts'

test('S5.1 a replay makes available at once what it selects, whatever its state, and its leases become stale', async () => {
  const stream = await createStream()
  await stream.appendMany(numbered(7))
  const group = await stream.group({ startAfter: 1, maxInFlight: 3 })
  const leases = [...(await group.fetch({ limit: 3 }))]
  await group.ok('ack', leases[0]!)
  await group.ok('nack', leases[1]!, { delayMs: 3_600_000 })
  await group.ok('reject', leases[2]!)
  const held = await group.fetch({ limit: 2, consumerId: 'worker' })
  expect(sequences(held)).toEqual([5, 6])
  // 1 skipped, 2 acked, 3 delayed, 4 rejected, 5 and 6 leased, 7 never offered.
  expect(await group.replay({ fromSequence: 0 })).toEqual({
    reopened: 6,
    partitions: { '0': { reopened: 6, frontier: 0, highWatermark: 7, lag: 7 } },
  })
  expect(await group.info()).toMatchObject({ inFlight: 0, delayed: 0, available: 6, deadLetters: 0 })
  expect(await group.deadLetters()).toEqual([])
  expect(await group.leases()).toEqual([])
  for (const lease of held) {
    for (const verb of ['ack', 'renew', 'release'] as const) {
      expect((await group.settle(verb, { leaseId: lease.leaseId })).body).toMatchObject({ code: 'stale_lease' })
    }
  }
  const { results } = await group.many('ack', { receipts: [held[0]!.receipt] })
  expect(results).toMatchObject([{ ok: false, code: 'stale_lease' }])
  const again = await fetchAll(group, 3)
  expect(again.map(({ sequence, attempt }) => [sequence, attempt])).toEqual([
    [1, 1],
    [2, 2],
    [3, 2],
  ])
})

test('S8.3 a replay ahead of the cursor skips nothing: what was never offered is delivered all the same', async () => {
  const stream = await createStream()
  await stream.appendMany(numbered(10))
  const group = await stream.group()
  await group.many('ack', { leases: await group.fetch({ limit: 3 }) })
  for (const selector of [{ fromSequence: 7 }, { fromSequence: 10 }, { fromSequence: 1_000 }]) {
    expect(await group.replay(selector)).toEqual({
      reopened: 0,
      partitions: { '0': { reopened: 0, frontier: 3, highWatermark: 10, lag: 7 } },
    })
  }
  expect(await group.replay({ query: { where: { number: { gte: 2 } } } })).toMatchObject({ reopened: 2 })
  expect(sequences(await drain(group))).toEqual(range(2, 10))
  expect((await group.lag()).lag).toBe(0)
})

test('S5.1 the log and other groups never change', async () => {
  const { stream, group } = await settled([6, 3])
  const other = await stream.group()
  const held = await other.fetch({ limit: 4 })
  await other.ok('reject', held[0]!)
  const before = [await searchAll(stream), await other.lag(), await other.holes(), await other.deadLetters()]
  await group.replay({ fromSequence: 0, resetAttempts: true })
  await drain(group)
  expect([await searchAll(stream), await other.lag(), await other.holes(), await other.deadLetters()]).toEqual(before)
  await other.ok('ack', held[1]!)
})

test('S5.3 the cursor never moves: nothing is passed over, nothing delivered twice', async () => {
  const stream = await createStream()
  await stream.appendMany(numbered(20))
  const group = await stream.group()
  const seen: number[] = []
  const acked = async (limit: number) => {
    const leases = await group.fetch({ limit })
    await group.many('ack', { leases })
    seen.push(...sequences(leases))
  }
  await acked(5)
  await group.replay({ fromSequence: 3 })
  await acked(1)
  await group.replay({ query: { where: { number: { in: [1, 15] } } } })
  await acked(30)
  // 1 to 5, then the replayed 4; 1 and 5 again before all that is new.
  expect(seen).toEqual([1, 2, 3, 4, 5, 4, 1, 5, ...range(6, 20)])
})

timed('S5.4 attempts are kept: the next nack or expiry may dead-letter', async (clock) => {
  const stream = await createStream(1, { clock })
  await stream.appendMany(numbered(2))
  const group = await stream.group({ maxAttempts: 2, leaseMs: 1_000 })
  await drain(group)
  await group.replay({ fromSequence: 0 })
  const [one, two] = await group.fetch()
  expect([one, two].map((lease) => lease!.attempt)).toEqual([2, 2])
  expect((await group.ok('nack', one!)).state).toBe('rejected')
  clock.advance(1_000)
  expect(await group.deadLetters()).toMatchObject([
    { sequence: 1, cause: 'max_attempts', attempt: 2 },
    { sequence: 2, cause: 'lease_expired', attempt: 2 },
  ])
})

test('S4.5 a replayed delivery gets at least one more lease, even when its attempts are used up', async () => {
  const { group } = await settled([1], { maxAttempts: 1 })
  for (let attempt = 2; attempt <= 4; attempt += 1) {
    await group.replay({ fromSequence: 0 })
    expect((await drain(group)).map((lease) => lease.attempt)).toEqual([attempt])
  }
  expect(await group.deadLetters()).toEqual([])
})

test('S5.4 resetAttempts begins the attempts anew, of what is selected and of nothing else', async () => {
  const { group } = await settled([4], { maxAttempts: 2 })
  await group.replay({ query: { where: { number: { in: [1, 3] } } }, resetAttempts: true })
  await group.replay({ query: { where: { number: 2 } } })
  const leases = await group.fetch()
  expect(leases.map(({ sequence, attempt }) => [sequence, attempt])).toEqual([
    [1, 1],
    [2, 2],
    [3, 1],
  ])
  expect((await group.ok('nack', leases[0]!)).state).toBe('available')
  expect((await group.ok('nack', leases[1]!)).state).toBe('rejected')
})

test('S5.4 dead letters it reopens leave the list, others stay; the frontier goes back below the lowest', async () => {
  const stream = await createStream()
  await stream.appendMany(numbered(6))
  const group = await stream.group()
  await group.many('reject', { leases: await group.fetch() })
  expect((await group.lag()).lag).toBe(0)
  const replayed = await group.replay({ query: { where: { number: { in: [3, 5] } } } })
  expect(replayed.partitions).toEqual({ '0': { reopened: 2, frontier: 2, highWatermark: 6, lag: 4 } })
  expect(sequences(await group.deadLetters())).toEqual([1, 2, 4, 6])
  expect((await group.info()).deadLetters).toBe(4)
  // The frontier never goes forward by a replay.
  expect((await group.replay({ query: { where: { number: 6 } } })).partitions).toMatchObject({ '0': { frontier: 2 } })
})

test('S5.5 dryRun answers what would be and changes nothing', async () => {
  const stream = await createStream(2)
  await stream.appendMany([0, 1].flatMap((partition) => numbered(6, { partition })))
  const group = await stream.group()
  const leases = await group.fetch({ limit: 8 })
  await group.many('ack', { leases: leases.slice(0, 4) })
  await group.many('reject', { leases: leases.slice(4, 6) })
  const look = async () => {
    const { oldestUnsettled: _, ...info } = await group.info()
    return [info, await group.leases(), await group.deadLetters(), await group.holes(0), await group.holes(1)]
  }
  for (const selector of [
    { fromSequence: 1 },
    { fromSequence: { '1': 0 } },
    { from: '2000-01-01T00:00:00Z' },
    { query: { where: { number: { lt: 3 } } } },
    { query: { limit: 3 } },
    { query: {}, resetAttempts: true },
  ]) {
    const before = await look()
    const dry = await group.replay({ ...selector, dryRun: true })
    expect(await look()).toEqual(before)
    expect(dry.reopened).toBeGreaterThan(0)
    expect(await group.replay({ ...selector, dryRun: true }), JSON.stringify(selector)).toEqual(dry)
  }
  for (const lease of leases.slice(6)) await group.ok('ack', lease)
  const dry = await group.replay({ fromSequence: 1, dryRun: true })
  expect(await group.replay({ fromSequence: 1, dryRun: false })).toEqual(dry)
})

test('S5.1 replay twice is as replay once, and repeating it is safe', async () => {
  const { group } = await settled([8])
  const first = await group.replay({ fromSequence: 2 })
  expect(await group.replay({ fromSequence: 2 })).toEqual(first)
  expect((await drain(group)).map(({ sequence, attempt }) => [sequence, attempt])).toEqual(
    range(3, 8).map((sequence) => [sequence, 2]),
  )
})

test('S5.1 under concurrent fetches, acks and replays nothing is lost and no two hold the same delivery', async () => {
  const { group } = await settled([200, 50])
  await group.replay({ fromSequence: 0 })
  const holders = new Map<string, string>()
  const worker = async () => {
    for (let leases = await group.fetch({ limit: 7 }); leases.length > 0; leases = await group.fetch({ limit: 7 })) {
      for (const lease of leases) holders.set(lease.leaseId, placeOf(lease))
      await group.many('ack', { leases })
    }
  }
  await Promise.all([
    worker(),
    worker(),
    worker(),
    group.replay({ fromSequence: 100 }),
    group.replay({ query: { limit: 20 } }),
  ])
  await drain(group)
  expect(await group.lag()).toMatchObject({ lag: 0 })
  expect(new Set(holders.values()).size).toBe(250)
})

test('S8.10 under concurrent appends, acks and replays lag is never negative and never from two moments', async () => {
  const { stream, group } = await settled([50, 20])
  let done = false
  const reader = async () => {
    while (!done) {
      const { partitions, lag } = await group.lag()
      const parts = Object.values(partitions)
      for (const part of parts) {
        expect(part.lag).toBeGreaterThanOrEqual(0)
        expect(part.lag).toBe(part.highWatermark - part.frontier)
      }
      expect(lag).toBe(parts.reduce((sum, part) => sum + part.lag, 0))
    }
  }
  // A replay in between may make a lease stale.
  const ackSome = async () => {
    const leases = await group.fetch({ limit: 20 })
    if (leases.length > 0) await group.many('ack', { leases })
  }
  const reading = [reader(), reader()]
  for (let round = 0; round < 10; round += 1) {
    await Promise.all([
      stream.append({ partition: round % 2 }),
      group.replay({ fromSequence: 5 * round }),
      group.replay({ query: { where: { number: round } } }),
      ackSome(),
    ])
  }
  done = true
  await Promise.all(reading)
  await drain(group)
  expect((await group.lag()).lag).toBe(0)
})
