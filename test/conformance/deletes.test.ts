import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type Answer, call } from './client.ts'
import { timed } from './clock.ts'
import { endpoints, hasGroup, hasStream, pathOf } from './endpoints.ts'
import { drain, type Group, groupAt, sequences, verbs } from './group.ts'
import { expectProblem } from './problem.ts'
import { searchAll } from './search.ts'
import { createStream, numbered, type Stream, streamAt } from './stream.ts'

const remove = (target: Stream | Group, query = '?confirm=true'): Promise<Answer> => target.send('DELETE', query)

/** Deletes, and asserts that the answer is 204 without a body. */
async function removed(target: Stream | Group): Promise<void> {
  const answer = await remove(target)
  expect(answer.status, answer.where).toBe(204)
  expect(answer.text).toBe('')
}

/** Creates a stream once more under the name of one that was deleted. */
async function recreated(stream: Stream, partitionCount: number): Promise<Stream> {
  const answer = await call('POST', '/v1/streams', { ...stream.context, body: { name: stream.name, partitionCount } })
  expect(answer.status, answer.where).toBe(201)
  return streamAt(stream.name, stream.context)
}

async function recreatedGroup(group: Group, options: Record<string, unknown> = {}): Promise<Group> {
  const answer = await group.stream.send('POST', '/groups', { body: { name: group.name, ...options } })
  expect(answer.status, answer.where).toBe(201)
  return groupAt(group.stream, group.name)
}

test.each(['', '?confirm=false'])('S5.7 a delete with %j is confirm_required and deletes nothing', async (query) => {
  const stream = await createStream(2)
  const group = await stream.group()
  await stream.append()
  expectProblem(await remove(group, query), 'confirm_required')
  expectProblem(await remove(stream, query), 'confirm_required')
  expect(await group.fetch()).toHaveLength(1)
})

test.each([
  '?confirm=yes',
  '?confirm=',
  '?confirm=1',
  '?confirm=true&confirm=true',
  '?force=true',
  '?confirm=true&x=1',
])('S7 a delete with %j is invalid_request and deletes nothing', async (query) => {
  const stream = await createStream()
  const group = await stream.group()
  expectProblem(await remove(group, query), 'invalid_request')
  expectProblem(await remove(stream, query), 'invalid_request')
  expect((await group.lag()).lag).toBe(0)
})

test('S7 a delete of what is not there is stream_not_found or group_not_found, confirm asked for first', async () => {
  const stream = await createStream()
  const nobody = groupAt(stream, 'nobody')
  const nowhere = streamAt('nobody-made-this')
  expectProblem(await remove(nobody), 'group_not_found')
  expectProblem(await remove(nowhere), 'stream_not_found')
  expectProblem(await remove(groupAt(nowhere, 'nobody')), 'stream_not_found')
  for (const target of [nobody, nowhere, groupAt(nowhere, 'nobody')]) {
    expectProblem(await remove(target, ''), 'confirm_required')
  }
})

const ofStream = endpoints.filter(hasStream)

test('API Streams: after a delete every call answers stream_not_found', async () => {
  const stream = await createStream(3)
  const group = await stream.group()
  const event = await stream.append({ partition: 2 })
  const [lease] = await group.fetch()
  await removed(stream)
  for (const endpoint of ofStream) {
    const { body } = endpoint
    const answer = await call(endpoint.method, pathOf(endpoint, stream.name, group.name), body ? { body } : {})
    expectProblem(answer, 'stream_not_found')
  }
  for (const verb of verbs) {
    expectProblem(await group.settle(verb, { leaseId: lease!.leaseId }), 'stream_not_found')
  }
  expectProblem(await stream.send('GET', `/events/${event.id}`), 'stream_not_found')
  expectProblem(await remove(stream), 'stream_not_found')
  expectProblem(await remove(group), 'stream_not_found')
  const list = await call<{ streams: { name: string }[] }>('GET', '/v1/streams')
  expect(list.body.streams.map(({ name }) => name)).not.toContain(stream.name)
})

test('API Groups: after a delete every call on the group answers group_not_found, and others go on', async () => {
  const stream = await createStream(2)
  const [group, other] = [await stream.group(), await stream.group()]
  await stream.appendMany([0, 1].map((partition) => ({ partition })))
  const [lease] = await group.fetch()
  const held = await other.fetch()
  await removed(group)
  for (const endpoint of ofStream.filter(hasGroup)) {
    const { body } = endpoint
    const answer = await call(endpoint.method, pathOf(endpoint, stream.name, group.name), body ? { body } : {})
    expectProblem(answer, 'group_not_found')
  }
  for (const verb of verbs) {
    expectProblem(await group.settle(verb, { leaseId: lease!.leaseId }), 'group_not_found')
  }
  expectProblem(await remove(group), 'group_not_found')
  const list = await stream.send<{ groups: { name: string }[] }>('GET', '/groups')
  expect(list.body.groups.map(({ name }) => name)).toEqual([other.name])
  const found = await stream.send<{ groups: { group: string }[] }>('GET', `/events/${lease!.eventId}?groups=true`)
  expect(found.body.groups.map((one) => one.group)).toEqual([other.name])
  await other.many('ack', { leases: held })
  expect((await other.lag()).lag).toBe(0)
})

test('S8.16 a stream created again is empty: sequences from 1, ids that never were, no groups', async () => {
  const stream = await createStream(2)
  const before = await stream.appendMany([0, 1, 0, 1].map((partition) => ({ partition, payload: { old: true } })))
  const chosen = await stream.append({ id: 'chosen', partition: 0 })
  await stream.group()
  await removed(stream)
  const again = await recreated(stream, 2)
  expect(await searchAll(again)).toEqual([])
  expect((await again.send<{ groups: unknown[] }>('GET', '/groups')).body.groups).toEqual([])
  const after = await again.appendMany([0, 1, 0, 1].map((partition) => ({ partition })))
  expect(after.map(({ partition, sequence }) => [partition, sequence])).toEqual([
    [0, 1],
    [1, 1],
    [0, 2],
    [1, 2],
  ])
  const ids = new Set(before.map(({ id }) => id))
  expect(after.filter(({ id }) => ids.has(id))).toEqual([])
  for (const { id } of [...before, chosen]) expectProblem(await again.send('GET', `/events/${id}`), 'event_not_found')
  // A chosen id is free again, and an old generated one is only a text.
  expect((await again.append({ id: 'chosen', partition: 0, payload: { n: 2 } })).sequence).toBe(3)
  expect((await again.append({ id: before[0]!.id, partition: 0 })).sequence).toBe(4)
})

test('S8.16 a stream created again with another partition count routes by the new count at once', async () => {
  const keys = Array.from({ length: 40 }, (_, index) => `key ${index}`)
  let stream = await createStream(4)
  for (const partitionCount of [1, 16, 2, 7]) {
    await stream.appendMany(keys.map((key) => ({ key })))
    await removed(stream)
    stream = await recreated(stream, partitionCount)
    const events = await stream.appendMany(keys.map((key) => ({ key })))
    expect(Math.max(...events.map(({ partition }) => partition))).toBeLessThan(partitionCount)
    const twin = await createStream(partitionCount)
    const routed = await twin.appendMany(keys.map((key) => ({ key })))
    expect(events.map(({ partition }) => partition)).toEqual(routed.map(({ partition }) => partition))
    expectProblem(await stream.post({ partition: partitionCount }), 'invalid_partition')
    expect(Object.keys((await stream.info()).partitions)).toHaveLength(partitionCount)
  }
})

test('S8.16 leases, receipts and cursors of a deleted stream are nothing to the one created again', async () => {
  const stream = await createStream(2)
  await stream.appendMany([0, 1].flatMap((partition) => numbered(10, { partition })))
  const group = await stream.group()
  const old = await group.fetch({ limit: 20 })
  await group.many('reject', { leases: old.slice(0, 6) })
  const page = await group.send<{ nextCursor: string }>('GET', '/dead-letters?limit=2')
  const search = await stream.send<{ nextCursor: string }>('POST', '/query', { body: { limit: 3 } })
  await removed(stream)

  const again = await recreated(stream, 2)
  await again.appendMany([0, 1].flatMap((partition) => numbered(10, { partition })))
  const group2 = await recreatedGroup(group)
  const held = await group2.fetch({ limit: 20 })
  for (const lease of old) {
    for (const verb of verbs) expectProblem(await group2.settle(verb, { leaseId: lease.leaseId }), 'stale_lease')
  }
  const { results } = await group2.many('ack', { receipts: [...new Set(old.map(({ receipt }) => receipt))] })
  expect(results.map(({ code }) => code)).toEqual(results.map(() => 'stale_lease'))
  const after = encodeURIComponent(page.body.nextCursor)
  expectProblem(await group2.send('GET', `/dead-letters?after=${after}`), 'cursor_not_found')
  const body = { limit: 3, cursor: search.body.nextCursor }
  expectProblem(await again.send('POST', '/query', { body }), 'cursor_not_found')
  expect((await group2.redrive({ eventIds: old.map(({ eventId }) => eventId) })).redriven).toBe(0)
  expect((await group2.many('ack', { leases: held })).failed).toBe(0)
})

test('S8.16 a group created again starts over and meets nothing of its predecessor', async () => {
  const stream = await createStream(2)
  await stream.appendMany([0, 1].flatMap((partition) => numbered(6, { partition })))
  const group = await stream.group({ maxAttempts: 1 })
  const old = await group.fetch({ limit: 8 })
  await group.many('reject', { leases: old.slice(0, 3) })
  await group.many('ack', { leases: old.slice(3, 5) })
  const page = await group.send<{ nextCursor: string }>('GET', '/dead-letters?limit=2')
  await removed(group)

  const again = await recreatedGroup(group, { maxAttempts: 7 })
  expect(await again.info()).toMatchObject({ maxAttempts: 7, inFlight: 0, deadLetters: 0, lag: { lag: 12 } })
  const after = encodeURIComponent(page.body.nextCursor)
  expectProblem(await again.send('GET', `/dead-letters?after=${after}`), 'cursor_not_found')
  const held = await again.fetch({ limit: 20 })
  expect(held).toHaveLength(12)
  expect(held.every(({ attempt }) => attempt === 1)).toBe(true)
  for (const { leaseId, receipt } of old.slice(5)) {
    expectProblem(await again.settle('ack', { leaseId }), 'stale_lease')
    expectProblem(await again.settle('ack', { leaseId: held[0]!.leaseId, receipt }), 'receipt_mismatch')
  }
  expect((await again.many('ack', { leases: held })).failed).toBe(0)
})

test('S2.7 an idempotency key of a deleted stream is not remembered', async () => {
  const stream = await createStream()
  const headers = { 'Idempotency-Key': 'once' }
  await stream.post({ payload: { n: 1 } }, headers)
  await removed(stream)
  const again = await recreated(stream, 1)
  const answer = await again.post({ payload: { n: 2 } }, headers)
  expect(answer.status, answer.where).toBe(201)
})

// Waiting is real time: what ends it comes when the waiter is surely there, and long before its deadline.
const settleInMs = 300
const waitMs = 15_000
const wellBeforeMs = 10_000

/** Asserts that a waiting fetch ends with the code as soon as `work` is done. */
async function endsWith(group: Group, code: string, work: () => Promise<unknown>): Promise<void> {
  const started = performance.now()
  const waiting = group.send('POST', '/fetch', { body: { waitMs } })
  await sleep(settleInMs)
  await work()
  expectProblem(await waiting, code)
  expect(performance.now() - started).toBeLessThan(wellBeforeMs)
}

test.each([1, 8])(
  'S3.7 a fetch that waits on %d partitions ends at once when its stream goes',
  async (partitionCount) => {
    const stream = await createStream(partitionCount)
    await endsWith(await stream.group(), 'stream_not_found', () => removed(stream))
  },
)

test.each([1, 8])(
  'S3.7 a fetch that waits on %d partitions ends at once when its group goes',
  async (partitionCount) => {
    const stream = await createStream(partitionCount)
    const group = await stream.group()
    await endsWith(group, 'group_not_found', () => removed(group))
  },
)

test('S8.16 under concurrent appends, fetches and searches a delete ends all with a code, and nothing comes back', async () => {
  const stream = await createStream(4)
  const group = await stream.group()
  await stream.appendMany(numbered(8))
  const others = Array.from({ length: 30 }, (_, index) => {
    if (index % 3 === 0) return stream.post({ partition: index % 4 })
    if (index % 3 === 1) return group.send('POST', '/fetch', { body: { limit: 1 } })
    return stream.send('POST', '/query', { body: {} })
  })
  const [deleted, ...answers] = await Promise.all([remove(stream), ...others])
  expect(deleted!.status, deleted!.where).toBe(204)
  for (const answer of answers) {
    if (answer.status >= 300) expectProblem(answer, ['stream_not_found', 'backend_unavailable'])
  }
  expectProblem(await stream.send('GET', ''), 'stream_not_found')
  const again = await recreated(stream, 4)
  expect(await searchAll(again)).toEqual([])
  const back = await recreatedGroup(group)
  expect(sequences(await drain(back))).toEqual([])
})

test('API of concurrent deletes each is told 204 or that it is not there', async () => {
  const stream = await createStream(4)
  const group = await stream.group()
  for (const target of [group, stream]) {
    const answers = await Promise.all(Array.from({ length: 6 }, () => remove(target)))
    expect(answers.some(({ status }) => status === 204)).toBe(true)
    for (const answer of answers) {
      if (answer.status !== 204) expectProblem(answer, ['stream_not_found', 'group_not_found'])
    }
  }
})

timed('S5.7 deletes in test time are as complete, whatever the clock says', async (clock) => {
  const stream = await createStream(2, { clock })
  await stream.appendMany(numbered(3))
  const group = await stream.group({ leaseMs: 1_000 })
  await group.fetch()
  await removed(stream)
  clock.advance(-60_000)
  const again = await recreated(stream, 3)
  await again.append()
  const back = await recreatedGroup(group)
  expect((await back.fetch()).map(({ sequence, attempt }) => [sequence, attempt])).toEqual([[1, 1]])
})
