import { expect, test } from 'vitest'
import { timed } from './clock.ts'
import { createStream, numbered } from './stream.ts'

test('S3.7 caught_up: nothing is open and nothing held', async () => {
  const stream = await createStream(2)
  const group = await stream.group()
  expect(await group.fetched()).toEqual({ leases: [], reason: 'caught_up' })
  await stream.append()
  const leases = await group.fetch()
  await group.many('ack', { leases })
  expect(await group.fetched()).toEqual({ leases: [], reason: 'caught_up' })
})

test('S3.7 all_leased: nothing delayed, something leased', async () => {
  const stream = await createStream()
  await stream.append()
  const group = await stream.group()
  await group.fetch()
  expect(await group.fetched()).toEqual({ leases: [], reason: 'all_leased' })
})

timed('S3.7 all_delayed: no work and something delayed, also beside something leased', async (clock) => {
  const stream = await createStream(1, { clock })
  await stream.appendMany(numbered(2))
  const group = await stream.group()
  const [one, other] = await group.fetch()
  await group.ok('nack', one!, { delayMs: 1_000 })
  expect((await group.fetched()).reason).toBe('all_delayed')
  await group.ok('ack', other!)
  expect((await group.fetched()).reason).toBe('all_delayed')
  clock.advance(1_000)
  expect(await group.fetch()).toHaveLength(1)
  expect((await group.fetched()).reason).toBe('all_leased')
})

test('S3.7 in_flight_limit: there is work, and the cap holds it', async () => {
  const stream = await createStream()
  await stream.appendMany(numbered(3))
  const group = await stream.group({ maxInFlight: 2 })
  expect(await group.fetch({ limit: 10 })).toHaveLength(2)
  expect(await group.fetched()).toEqual({ leases: [], reason: 'in_flight_limit' })
})

test('S3.7 a cap that is reached with no work behind it is no in_flight_limit', async () => {
  const stream = await createStream()
  await stream.appendMany(numbered(2))
  const group = await stream.group({ maxInFlight: 2 })
  const [first] = await group.fetch()
  expect((await group.fetched()).reason).toBe('all_leased')
  await group.patch({ maxInFlight: 1 })
  await group.ok('nack', first!, { delayMs: 60_000 })
  expect((await group.fetched()).reason).toBe('all_delayed')
})

test('S3.7 in_flight_limit comes before all_delayed', async () => {
  const stream = await createStream()
  await stream.appendMany(numbered(3))
  const group = await stream.group({ maxInFlight: 1 })
  const [first] = await group.fetch()
  await group.ok('nack', first!, { delayMs: 60_000 })
  expect(await group.fetch()).toHaveLength(1)
  expect((await group.fetched()).reason).toBe('in_flight_limit')
})

test('S3.7 paused comes before everything, whatever there is', async () => {
  const stream = await createStream()
  const group = await stream.group({ maxInFlight: 1 })
  await group.patch({ paused: true })
  expect(await group.fetched()).toEqual({ leases: [], reason: 'paused' })
  await stream.appendMany(numbered(3))
  expect(await group.fetched()).toEqual({ leases: [], reason: 'paused' })
  await group.patch({ paused: false })
  const [lease] = await group.fetch()
  await group.patch({ paused: true })
  expect(await group.fetched()).toEqual({ leases: [], reason: 'paused' })
  await group.ok('nack', lease!, { delayMs: 60_000 })
  expect((await group.fetched()).reason).toBe('paused')
})

test('S3.7 the reason is the first that holds over the asked partitions', async () => {
  const stream = await createStream(4)
  await stream.appendMany([...numbered(2, { partition: 0 }), { partition: 1 }, { partition: 2 }])
  const group = await stream.group({ maxInFlight: 1 })
  const leases = await group.fetch()
  expect(leases).toHaveLength(3)
  const delayed = leases.find((lease) => lease.partition === 1)
  await group.ok('nack', delayed!, { delayMs: 60_000 })
  const reasonOf = async (body: Record<string, unknown>) => {
    const fetched = await group.fetched(body)
    expect(fetched.leases).toEqual([])
    return fetched.reason
  }
  expect(await reasonOf({ partition: 3 })).toBe('caught_up')
  expect(await reasonOf({ partitions: [2, 3] })).toBe('all_leased')
  expect(await reasonOf({ partitions: [1, 2, 3] })).toBe('all_delayed')
  expect(await reasonOf({})).toBe('in_flight_limit')
})

test('S3.8 maxInFlight bounds what is leased in each partition', async () => {
  const stream = await createStream(2)
  await stream.appendMany(Array.from({ length: 20 }, (_, index) => ({ partition: index % 2 })))
  const group = await stream.group({ maxInFlight: 3 })
  const leases = await group.fetch({ limit: 100 })
  expect(leases.map((lease) => `${lease.partition}:${lease.sequence}`).sort()).toEqual([
    '0:1',
    '0:2',
    '0:3',
    '1:1',
    '1:2',
    '1:3',
  ])
  await group.ok('ack', leases[0]!)
  await group.ok('nack', leases[1]!, { delayMs: 60_000 })
  expect(await group.fetch({ limit: 100 })).toHaveLength(2)
})

timed('S3.8 an expired lease does not count for maxInFlight', async (clock) => {
  const stream = await createStream(1, { clock })
  await stream.appendMany(numbered(5))
  const group = await stream.group({ maxInFlight: 2 })
  await group.fetch({ leaseMs: 1_000 })
  clock.advance(999)
  expect((await group.fetched()).reason).toBe('in_flight_limit')
  clock.advance(1)
  expect((await group.fetch()).map((lease) => [lease.sequence, lease.attempt])).toEqual([
    [1, 2],
    [2, 2],
  ])
})

test('S3.8 concurrent fetches never exceed maxInFlight', async () => {
  const stream = await createStream()
  await stream.appendMany(numbered(100))
  const group = await stream.group({ maxInFlight: 7 })
  const leases = await Promise.all(Array.from({ length: 10 }, () => group.fetch({ limit: 3 })))
  expect(leases.flat()).toHaveLength(7)
})
