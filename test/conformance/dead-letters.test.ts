import { expect, test } from 'vitest'
import { timed } from './clock.ts'
import { sequences } from './group.ts'
import { expectProblem } from './problem.ts'
import { createStream, numbered } from './stream.ts'
import type { DeadLetter } from './wire.ts'

timed('S5.8 a dead letter is the delivery with reason, cause, attempt, consumer, time and event', async (clock) => {
  const stream = await createStream(2, { clock })
  const event = await stream.append({ partition: 1, type: 't', payload: { n: 1 } })
  const group = await stream.group()
  const [lease] = await group.fetch({ consumerId: 'worker' })
  clock.advance(2_000)
  await group.ok('reject', lease!, { reason: 'cannot parse' })
  expect(await group.deadLetters()).toEqual([
    {
      partition: 1,
      sequence: 1,
      eventId: event.id,
      reason: 'cannot parse',
      cause: 'rejected',
      attempt: 1,
      consumerId: 'worker',
      deadLetteredAt: clock.now(),
      event,
    },
  ])
})

test('S4.5 a nack with attempt >= maxAttempts dead-letters with cause max_attempts, and its answer says so', async () => {
  const stream = await createStream()
  await stream.append()
  const group = await stream.group({ maxAttempts: 3 })
  const states: (string | undefined)[] = []
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    const [lease] = await group.fetch()
    states.push((await group.ok('nack', lease!, { reason: `try ${attempt}` })).state)
  }
  expect(states).toEqual(['available', 'available', 'rejected'])
  expect(await group.deadLetters()).toMatchObject([{ cause: 'max_attempts', attempt: 3, reason: 'try 3' }])
  expect(await group.fetched()).toEqual({ leases: [], reason: 'caught_up' })
})

test('S4.5 with maxAttempts reached neither delayMs nor backoff keeps a delivery alive', async () => {
  const stream = await createStream()
  await stream.appendMany(numbered(2))
  const group = await stream.group({ maxAttempts: 1, backoff: { baseMs: 1_000 } })
  const [one, other] = await group.fetch()
  expect((await group.ok('nack', one!, { delayMs: 60_000 })).state).toBe('rejected')
  expect((await group.ok('nack', other!)).state).toBe('rejected')
})

timed(
  'S4.4 an expiry with attempt >= maxAttempts dead-letters with cause lease_expired, at the time it expired',
  async (clock) => {
    const stream = await createStream(1, { clock })
    await stream.append()
    const group = await stream.group({ maxAttempts: 1 })
    const [lease] = await group.fetch({ consumerId: 'worker', leaseMs: 1_000 })
    clock.advance(86_400_000)
    expect(await group.deadLetters()).toMatchObject([
      { sequence: 1, cause: 'lease_expired', attempt: 1, consumerId: 'worker', deadLetteredAt: lease!.expiresAt },
    ])
  },
)

timed('S8.5 a worker that crashes on one event does not get it back for ever', async (clock) => {
  const stream = await createStream(1, { clock })
  await stream.appendMany(numbered(2))
  const group = await stream.group({ maxAttempts: 3 })
  const attempts: number[] = []
  for (let crash = 0; crash < 10; crash += 1) {
    const [poison, healthy] = await group.fetch({ leaseMs: 1_000 })
    if (poison?.sequence === 1) attempts.push(poison.attempt)
    if (healthy !== undefined) await group.ok('ack', healthy)
    clock.advance(1_000)
  }
  expect(attempts).toEqual([1, 2, 3])
  expect(await group.deadLetters()).toMatchObject([{ sequence: 1, cause: 'lease_expired', attempt: 3 }])
  expect((await group.lag()).lag).toBe(0)
})

test('S4.5 the maxAttempts of that moment counts, lowered or raised', async () => {
  const stream = await createStream()
  await stream.appendMany(numbered(2))
  const group = await stream.group({ maxAttempts: 5 })
  const [one, other] = await group.fetch()
  await group.patch({ maxAttempts: 1 })
  expect((await group.ok('nack', one!)).state).toBe('rejected')
  await group.patch({ maxAttempts: 2 })
  expect((await group.ok('nack', other!)).state).toBe('available')
})

timed('S4.5 the maxAttempts at expiry counts, too', async (clock) => {
  const stream = await createStream(1, { clock })
  await stream.append()
  const group = await stream.group({ maxAttempts: 5 })
  await group.fetch({ leaseMs: 1_000 })
  clock.advance(500)
  await group.patch({ maxAttempts: 1 })
  clock.advance(500)
  expect(await group.deadLetters()).toHaveLength(1)
})

test('S4.5 a fetch never dead-letters: what is open stays open when maxAttempts is lowered below its attempts', async () => {
  const stream = await createStream()
  await stream.append()
  const group = await stream.group({ maxAttempts: 5 })
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    const [lease] = await group.fetch()
    await group.ok('nack', lease!)
  }
  await group.patch({ maxAttempts: 1 })
  expect(await group.info()).toMatchObject({ available: 1, deadLetters: 0 })
  const [lease] = await group.fetch()
  expect(lease).toMatchObject({ sequence: 1, attempt: 4 })
  await group.ok('ack', lease!)
  expect(await group.deadLetters()).toEqual([])
})

test('S4.7 a release never dead-letters, whatever the attempts', async () => {
  const stream = await createStream()
  await stream.append()
  const group = await stream.group({ maxAttempts: 1 })
  const [lease] = await group.fetch()
  expect((await group.ok('release', lease!)).state).toBe('available')
  expect((await group.fetch())[0]).toMatchObject({ sequence: 1, attempt: 1 })
})

test('S3.1 a dead letter of one group is none of another', async () => {
  const stream = await createStream()
  await stream.append()
  const [one, other] = [await stream.group(), await stream.group()]
  const [lease] = await one.fetch()
  await one.ok('reject', lease!)
  expect(await one.deadLetters()).toHaveLength(1)
  expect(await other.deadLetters()).toEqual([])
  expect(sequences(await other.fetch())).toEqual([1])
})

test('S5.8 dead letters are listed by partition and sequence, and paged without loss', async () => {
  const stream = await createStream(3)
  await stream.appendMany(Array.from({ length: 18 }, (_, index) => ({ partition: index % 3 })))
  const group = await stream.group()
  const leases = await group.fetch({ limit: 18 })
  const rejected = leases.filter((lease) => lease.sequence % 3 !== 0)
  await group.many('reject', { leases: [...rejected].reverse() })
  const expected = [0, 1, 2].flatMap((partition) => [1, 2, 4, 5].map((sequence) => `${partition}:${sequence}`))
  const place = (letter: DeadLetter) => `${letter.partition}:${letter.sequence}`
  expect((await group.deadLetters()).map(place)).toEqual(expected)
  expect((await group.deadLetters('?partition=1')).map(place)).toEqual(['1:1', '1:2', '1:4', '1:5'])

  const listed: DeadLetter[] = []
  let query = '?limit=5'
  for (let page = 0; page < 10; page += 1) {
    const { body } = await group.send<{ deadLetters: DeadLetter[]; nextCursor: string | null }>(
      'GET',
      `/dead-letters${query}`,
    )
    expect(body.deadLetters.length).toBeLessThanOrEqual(5)
    listed.push(...body.deadLetters)
    if (body.nextCursor === null) break
    query = `?limit=5&after=${encodeURIComponent(body.nextCursor)}`
  }
  expect(listed.map(place)).toEqual(expected)
})

test('S5.8 an after that was never valid is cursor_not_found', async () => {
  const stream = await createStream()
  await stream.append()
  const group = await stream.group()
  const [lease] = await group.fetch()
  await group.ok('reject', lease!)
  for (const after of ['nonsense', '😀', '-1', 'x'.repeat(300)]) {
    const answer = await group.send('GET', `/dead-letters?after=${encodeURIComponent(after)}`)
    expectProblem(answer, 'cursor_not_found')
  }
})

test.each(['limit=0', 'limit=1001', 'limit=x', 'foo=1'])(
  'API Groups: dead letters with %s are invalid_request',
  async (query) => {
    const group = await (await createStream()).group()
    const answer = await group.send('GET', `/dead-letters?${query}`)
    expect(expectProblem(answer, 'invalid_request').detail).toContain(query.split('=')[0])
  },
)

test('S7 dead letters of a partition that is not there are invalid_partition', async () => {
  const group = await (await createStream(2)).group()
  expectProblem(await group.send('GET', '/dead-letters?partition=2'), 'invalid_partition')
})
