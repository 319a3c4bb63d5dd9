import { expect, test } from 'vitest'
import { timed } from './clock.ts'
import { fetchAll } from './group.ts'
import { expectProblem } from './problem.ts'
import { randomSeed, shuffled } from './random.ts'
import { createStream, numbered } from './stream.ts'
import type { GroupLag } from './wire.ts'

for (const verb of ['ack', 'reject'] as const) {
  test(`S4.9 acks 1, 3, 4 of 4: frontier 1, lag 3; ${verb} of 2: frontier 4 in one step`, async () => {
    const stream = await createStream()
    const events = await stream.appendMany(numbered(4))
    const group = await stream.group()
    const leases = await group.fetch({ consumerId: 'worker-2' })
    for (const index of [0, 2, 3]) await group.ok('ack', leases[index]!)
    expect(await group.lag()).toEqual({
      stream: stream.name,
      group: group.name,
      partitions: { '0': { frontier: 1, highWatermark: 4, lag: 3 } },
      lag: 3,
    })
    expect(await group.holes()).toEqual({
      frontier: 1,
      highWatermark: 4,
      blockedBy: {
        sequence: 2,
        eventId: events[1]!.id,
        state: 'leased',
        attempt: 1,
        consumerId: 'worker-2',
        expiresAt: leases[1]!.expiresAt,
        dueAt: null,
        reason: null,
      },
      holes: [{ first: 2, last: 2, state: 'leased', attempt: 1 }],
      more: false,
    })
    await group.ok(verb, leases[1]!)
    expect(await group.lag()).toMatchObject({ partitions: { '0': { frontier: 4, highWatermark: 4, lag: 0 } }, lag: 0 })
    expect(await group.holes()).toEqual({ frontier: 4, highWatermark: 4, blockedBy: null, holes: [], more: false })
  })
}

test('S4.9 in any order of acks the frontier is the highest below which everything is terminal', async () => {
  const count = 40
  const seed = randomSeed()
  const stream = await createStream()
  await stream.appendMany(numbered(count))
  const group = await stream.group()
  const leases = await group.fetch({ limit: count })
  const settled = new Set<number>()
  for (const [index, lease] of shuffled(leases, seed).entries()) {
    await group.ok(index % 5 === 4 ? 'reject' : 'ack', lease)
    settled.add(lease.sequence)
    let frontier = 0
    while (settled.has(frontier + 1)) frontier += 1
    const { partitions } = await group.lag()
    expect(partitions['0'], `seed ${seed}, step ${index}`).toEqual({
      frontier,
      highWatermark: count,
      lag: count - frontier,
    })
  }
})

test('S4.9 the frontier never passes a hole: nack, delay and release hold it, and it does not go back', async () => {
  const stream = await createStream()
  await stream.appendMany(numbered(4))
  const group = await stream.group()
  const [one, two, three, four] = await group.fetch()
  await group.ok('ack', one!)
  await group.ok('nack', two!, { delayMs: 60_000 })
  await group.ok('release', three!)
  await group.ok('ack', four!)
  expect(await group.frontier()).toBe(1)
  const [again] = await group.fetch()
  expect(again!.sequence).toBe(3)
  await group.ok('ack', again!)
  expect(await group.frontier()).toBe(1)
})

timed('S4.4 an expiry that dead-letters fills its hole: the frontier moves with no call in between', async (clock) => {
  const stream = await createStream(1, { clock })
  await stream.appendMany(numbered(3))
  const group = await stream.group({ maxAttempts: 1 })
  const leases = await group.fetch({ leaseMs: 1_000 })
  await group.ok('ack', leases[1]!)
  await group.ok('ack', leases[2]!)
  clock.advance(999)
  expect(await group.frontier()).toBe(0)
  clock.advance(1)
  expect(await group.frontier()).toBe(3)
})

test('S4.10 lag is per partition, and the lag of a group is the sum', async () => {
  const stream = await createStream(4)
  await stream.appendMany([...numbered(3, { partition: 0 }), ...numbered(2, { partition: 2 })])
  const group = await stream.group()
  const leases = await group.fetch({ partition: 0 })
  await group.ok('ack', leases[0]!)
  expect(await group.lag()).toEqual({
    stream: stream.name,
    group: group.name,
    partitions: {
      '0': { frontier: 1, highWatermark: 3, lag: 2 },
      '1': { frontier: 0, highWatermark: 0, lag: 0 },
      '2': { frontier: 0, highWatermark: 2, lag: 2 },
      '3': { frontier: 0, highWatermark: 0, lag: 0 },
    },
    lag: 4,
  })
})

test('S8.10 under concurrent appends and acks lag is never negative, never null, never from two moments', async () => {
  const stream = await createStream(2)
  const group = await stream.group()
  const seen: GroupLag[] = []
  let running = true
  const watch = async () => {
    while (running) seen.push(await group.lag())
  }
  const produce = async () => {
    for (let round = 0; round < 25; round += 1) {
      await stream.appendMany(Array.from({ length: 8 }, (_, index) => ({ partition: index % 2 })))
    }
  }
  const consume = async () => {
    let settled = 0
    while (settled < 200) {
      const leases = await group.fetch({ limit: 16 })
      settled += leases.length
      if (leases.length > 0) await group.many('ack', { leases: leases.map(({ leaseId }) => ({ leaseId })) })
    }
  }
  const watching = [watch(), watch()]
  await Promise.all([produce(), consume()])
  running = false
  await Promise.all(watching)

  expect(seen.length).toBeGreaterThan(2)
  for (const { partitions, lag } of seen) {
    const list = Object.values(partitions)
    for (const { frontier, highWatermark, lag: own } of list) {
      expect(frontier).toBeLessThanOrEqual(highWatermark)
      expect(own).toBe(highWatermark - frontier)
    }
    expect(lag).toBe(list.reduce((sum, partition) => sum + partition.lag, 0))
  }
  expect((await group.lag()).lag).toBe(0)
})

test('S8.8 acked work is never delivered again: every second of 2 000 stays acked', async () => {
  const stream = await createStream()
  for (let batch = 0; batch < 2; batch += 1) await stream.appendMany(numbered(1_000))
  const group = await stream.group()
  const leases = await fetchAll(group, 2_000)
  expect(leases).toHaveLength(2_000)
  for (const [verb, odd] of [
    ['ack', 1],
    ['release', 0],
  ] as const) {
    const chosen = leases.filter((lease) => lease.sequence % 2 === odd).map(({ leaseId }) => ({ leaseId }))
    expect(await group.many(verb, { leases: chosen })).toMatchObject({ settled: 1_000, failed: 0 })
  }
  expect(await group.frontier()).toBe(1)
  const again = await fetchAll(group, 2_000)
  expect(again.map((lease) => lease.sequence)).toEqual(Array.from({ length: 1_000 }, (_, index) => 2 * index + 2))
})

test('S7 the lag of what is not there is stream_not_found, then group_not_found', async () => {
  const stream = await createStream()
  expectProblem(await stream.send('GET', '/groups/nobody/lag'), 'group_not_found')
})
