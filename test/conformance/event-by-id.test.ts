import { expect, test } from 'vitest'
import type { Answer } from './client.ts'
import { timed } from './clock.ts'
import { expectProblem } from './problem.ts'
import { createStream, numbered, type Stream, streamAt } from './stream.ts'
import type { StreamEvent } from './wire.ts'

interface Found {
  event: StreamEvent
  groups?: Record<string, unknown>[]
}

const find = (stream: Stream, id: string, query = ''): Promise<Answer<Found>> =>
  stream.send<Found>('GET', `/events/${encodeURIComponent(id)}${query}`)

/** What became of an event in one group, without the group's name. */
async function deliveryOf(stream: Stream, id: string, group: string): Promise<Record<string, unknown>> {
  const { body } = await find(stream, id, '?groups=true')
  const { group: _, ...delivery } = body.groups!.find((one) => one.group === group)!
  return delivery
}

test('API Events: an event is found by its generated id, in whatever partition', async () => {
  const stream = await createStream(4)
  const events = await stream.appendMany([0, 1, 2, 3, 3].map((partition) => ({ partition, payload: { partition } })))
  for (const event of events) {
    expect((await find(stream, event.id)).body).toEqual({ event })
    expect((await find(stream, event.id, `?partition=${event.partition}`)).body).toEqual({ event })
    expectProblem(await find(stream, event.id, `?partition=${(event.partition + 1) % 4}`), 'event_not_found')
  }
})

test('API Events: an event is found by an id that its producer chose, whatever it is made of', async () => {
  const stream = await createStream(3)
  const ids = [
    'a',
    'order/17',
    'a b',
    'é😀',
    '%2F',
    '..x',
    '?x=1#y',
    '+',
    "' or 1=1 --",
    '__proto__',
    'x'.repeat(128),
    '"',
  ]
  const events = await stream.appendMany(ids.map((id, index) => ({ id, partition: index % 3 })))
  for (const event of events) expect((await find(stream, event.id)).body, event.id).toEqual({ event })
})

test('S2.5 the same id in another partition is another event, and the partition tells which is meant', async () => {
  const stream = await createStream(3)
  const [one, two] = await stream.appendMany([
    { id: 'same', partition: 1, payload: { in: 1 } },
    { id: 'same', partition: 2, payload: { in: 2 } },
  ])
  expect((await find(stream, 'same', '?partition=1')).body).toEqual({ event: one })
  expect((await find(stream, 'same', '?partition=2')).body).toEqual({ event: two })
  expectProblem(await find(stream, 'same', '?partition=0'), 'event_not_found')
  expect([one, two]).toContainEqual((await find(stream, 'same')).body.event)
})

test('S7 an id that no event has is event_not_found, forged and damaged ones too', async () => {
  const stream = await createStream(2)
  const other = await createStream(2)
  const [event] = await stream.appendMany([{ partition: 0 }, { partition: 0, id: 'chosen' }])
  const foreign = await other.append()
  const { id } = event!
  const damaged = [...id].flatMap((character, at) =>
    ['0', '9', 'a', 'Z', '.', '-'].filter((c) => c !== character).map((c) => id.slice(0, at) + c + id.slice(at + 1)),
  )
  for (const wrong of [
    ...damaged,
    `${id}0`,
    ` ${id}`,
    id.slice(1),
    foreign.id,
    'nothing',
    'chosen2',
    'x'.repeat(2_000),
  ]) {
    expectProblem(await find(stream, wrong), 'event_not_found', wrong)
  }
})

test('S2.6 the generated id of a place whose event has a chosen id finds nothing', async () => {
  const stream = await createStream()
  const [first] = await stream.appendMany([{}, { id: 'chosen' }])
  // Ids of one partition differ in the sequence alone, so that of 1 with another digit is that of 2.
  const at = first!.id.lastIndexOf('1')
  expectProblem(await find(stream, `${first!.id.slice(0, at)}2${first!.id.slice(at + 1)}`), 'event_not_found')
})

test('API Events: groups=true tells what became of it in each group, and only then', async () => {
  const stream = await createStream(2)
  const [event] = await stream.appendMany([{ partition: 1 }, { partition: 1 }])
  expect((await find(stream, event!.id, '?groups=true')).body).toEqual({ event, groups: [] })
  const groups = [await stream.group(), await stream.group({ start: 'latest' })]
  await groups[0]!.fetch({ limit: 1, consumerId: 'worker' })
  const { body } = await find(stream, event!.id, '?groups=true')
  expect(body.groups).toHaveLength(2)
  expect(body.groups!.map((one) => one.group)).toEqual(groups.map((group) => group.name).sort())
  expect(await deliveryOf(stream, event!.id, groups[1]!.name)).toEqual({ state: 'skipped', attempt: 0 })
  expect((await find(stream, event!.id, '?groups=false')).body).toEqual({ event })
})

timed('API Events: every state of a delivery, with what belongs to it', async (clock) => {
  const stream = await createStream(1, { clock })
  const events = await stream.appendMany(numbered(5))
  const group = await stream.group({ maxAttempts: 3 })
  const state = (index: number) => deliveryOf(stream, events[index]!.id, group.name)
  expect(await state(0)).toEqual({ state: 'undelivered', attempt: 0 })

  const leases = await group.fetch({ limit: 5, leaseMs: 1_000, consumerId: 'worker' })
  expect(await state(0)).toEqual({ state: 'leased', attempt: 1, consumerId: 'worker', expiresAt: clock.in(1_000) })
  await group.ok('ack', leases[0]!)
  await group.ok('nack', leases[1]!, { reason: 'later', delayMs: 5_000 })
  await group.ok('nack', leases[2]!, { reason: 'again' })
  await group.ok('reject', leases[3]!, { reason: 'broken' })
  expect(await state(0)).toEqual({ state: 'acked', attempt: 1 })
  expect(await state(1)).toEqual({ state: 'delayed', attempt: 1, dueAt: clock.in(5_000), reason: 'later' })
  expect(await state(2)).toEqual({ state: 'available', attempt: 1, reason: 'again' })
  const rejected = { state: 'rejected', attempt: 1, consumerId: 'worker', reason: 'broken', cause: 'rejected' }
  expect(await state(3)).toEqual(rejected)

  clock.advance(1_000)
  expect(await state(4)).toMatchObject({ state: 'available', attempt: 1 })
  clock.advance(4_000)
  expect(await state(1)).toMatchObject({ state: 'available', attempt: 1, reason: 'later' })
})

test.each(['groups=yes', 'groups=', 'groups=TRUE', 'foo=1', 'partition=x', 'partition=1.5', 'partition='])(
  'S7 %s is invalid_request',
  async (query) => {
    const stream = await createStream()
    const event = await stream.append()
    const { detail } = expectProblem(await find(stream, event.id, `?${query}`), 'invalid_request')
    expect(detail).toContain(query.split('=')[0])
  },
)

test('S7 a partition the stream does not have is invalid_partition, a stream nobody made stream_not_found', async () => {
  const stream = await createStream(2)
  const event = await stream.append()
  for (const partition of [2, -1, 256]) {
    expectProblem(await find(stream, event.id, `?partition=${partition}`), 'invalid_partition')
  }
  expectProblem(await find(streamAt('nobody-made-this'), event.id), 'stream_not_found')
})
