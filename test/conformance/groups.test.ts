import { expect, test } from 'vitest'
import { groupAt } from './group.ts'
import { invalidNames } from './names.ts'
import { expectProblem } from './problem.ts'
import { randomName } from './random.ts'
import { createStream, numbered, streamAt } from './stream.ts'
import type { GroupOptions } from './wire.ts'

test('S3.2 a group of nothing but a name has the defaults', async () => {
  const stream = await createStream(3)
  const name = randomName('group')
  const answer = await stream.send('POST', '/groups', { body: { name } })
  expect(answer.status).toBe(201)
  expect(answer.body).toEqual({
    name,
    stream: stream.name,
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    maxAttempts: 5,
    leaseMs: 30_000,
    start: { '0': 0, '1': 0, '2': 0 },
    maxInFlight: null,
    backoff: null,
    paused: false,
  })
})

test('S3.2 a group keeps every option it was given', async () => {
  const stream = await createStream()
  const options = {
    name: randomName('group'),
    maxAttempts: 7,
    leaseMs: 1_234,
    maxInFlight: 9,
    backoff: { baseMs: 100, factor: 3, maxMs: 5_000 },
    paused: true,
  }
  const answer = await stream.send('POST', '/groups', { body: { ...options, start: 'earliest' } })
  expect(answer.status, answer.where).toBe(201)
  expect(answer.body).toMatchObject(options)
  expect(await groupAt(stream, options.name).info()).toMatchObject(options)
})

test('API Groups: a backoff of nothing but baseMs doubles, up to 12 hours', async () => {
  const group = await (await createStream()).group({ backoff: { baseMs: 1 } })
  expect((await group.info()).backoff).toEqual({ baseMs: 1, factor: 2, maxMs: 43_200_000 })
})

/** Options of a group with wrong values; those marked create are wrong in a patch, too, unless they are null. */
const wrongOptions: readonly (readonly [option: string, ...values: unknown[]])[] = [
  ['maxAttempts', 0, -1, 1.5, 1_001, '5', true, [5]],
  ['leaseMs', 0, -1, 1.5, '30000', {}],
  ['maxInFlight', 0, -1, 1.5, 100_001, '1', false],
  ['paused', 'yes', 0, 1, {}],
  ['backoff', 5, 'fast', [], {}, { factor: 2 }],
  ['backoff', { baseMs: 0 }, { baseMs: 3_600_001 }, { baseMs: 1.5 }, { baseMs: '1' }, { baseMs: null }],
  ['backoff', { baseMs: 1, factor: 0.5 }, { baseMs: 1, factor: 11 }, { baseMs: 1, factor: '2' }],
  ['backoff', { baseMs: 1, maxMs: -1 }, { baseMs: 1, maxMs: '9' }, { baseMs: 1, jitter: true }],
]

test.each(wrongOptions.flatMap(([option, ...values]) => values.map((value) => [option, value] as const)))(
  'S3.2 S8.12 %s of %j is invalid_request, in a create and in a patch, and changes nothing',
  async (option, value) => {
    const stream = await createStream()
    const name = randomName('group')
    const create = await stream.send('POST', '/groups', { body: { name, [option]: value } })
    expect(expectProblem(create, 'invalid_request').detail).toContain(option)
    expectProblem(await stream.send('GET', `/groups/${name}`), 'group_not_found')

    const group = await stream.group()
    const before = await group.info()
    const patch = await group.send('PATCH', '', { body: { paused: true, [option]: value } })
    expectProblem(patch, 'invalid_request')
    expect(await group.info()).toEqual(before)
  },
)

test.each(['maxAttempts', 'leaseMs', 'maxInFlight', 'backoff', 'paused', 'start', 'startAfter', 'startAt'])(
  'API null is not absent: a group with %s null is invalid_request',
  async (option) => {
    const stream = await createStream()
    const answer = await stream.send('POST', '/groups', { body: { name: randomName('group'), [option]: null } })
    expect(expectProblem(answer, 'invalid_request').detail).toContain(option)
  },
)

test.each([
  { maxAttempts: 1 },
  { maxAttempts: 1_000 },
  { maxInFlight: 1 },
  { maxInFlight: 100_000 },
  { backoff: { baseMs: 1, factor: 1, maxMs: 43_200_000 } },
  { backoff: { baseMs: 3_600_000, factor: 10, maxMs: 43_200_000 } },
  { leaseMs: 10 },
  { leaseMs: 43_200_000 },
])('S3.2 the bounds themselves are allowed: %j', async (options) => {
  const stream = await createStream()
  expect(await (await stream.group(options)).info()).toMatchObject(options)
  expect(await (await stream.group()).patch(options)).toMatchObject(options)
})

test.each(invalidNames)('API Names: a group name with %s is invalid_name', async (_, name) => {
  const stream = await createStream()
  expectProblem(await stream.send('POST', '/groups', { body: { name } }), 'invalid_name')
  expectProblem(await stream.send('GET', `/groups/${encodeURIComponent(name)}`), 'invalid_name')
})

test('S7 a group that is there already is already_exists, whatever its options, and stays as it is', async () => {
  const stream = await createStream(2)
  const group = await stream.group({ maxAttempts: 2 })
  const before = await group.info()
  for (const options of [{ maxAttempts: 2 }, { maxAttempts: 3 }, {}]) {
    expectProblem(await stream.send('POST', '/groups', { body: { name: group.name, ...options } }), 'already_exists')
  }
  expect(await group.info()).toEqual(before)
})

test('S3.9 of 10 concurrent creates none leaves the group on some partitions only', async () => {
  const stream = await createStream(8)
  await stream.appendMany(Array.from({ length: 8 }, (_, partition) => ({ partition })))
  const name = randomName('group')
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => stream.send('POST', '/groups', { body: { name } })),
  )
  expect(answers.some((answer) => answer.status === 201)).toBe(true)
  for (const answer of answers) if (answer.status !== 201) expectProblem(answer, 'already_exists')
  const leases = await groupAt(stream, name).fetch({ limit: 100 })
  expect(leases.map((lease) => lease.partition).sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
})

test('S7 a group nobody created is group_not_found, one of no stream stream_not_found', async () => {
  const stream = await createStream()
  expectProblem(await stream.send('GET', '/groups/nobody'), 'group_not_found')
  expectProblem(await streamAt('nobody-has-this').send('GET', '/groups/nobody'), 'stream_not_found')
  const create = await streamAt('nobody-has-this').send('POST', '/groups', { body: { name: 'billing' } })
  expectProblem(create, 'stream_not_found')
})

test('S1 a group belongs to its stream: the same name on another one is another group', async () => {
  const [stream, other] = [await createStream(), await createStream()]
  const group = await stream.group()
  expectProblem(await other.send('GET', `/groups/${group.name}`), 'group_not_found')
})

test('API Groups: the list pages through every group once', async () => {
  const stream = await createStream()
  expect((await stream.send('GET', '/groups')).body).toEqual({ groups: [], nextCursor: null })
  const created: GroupOptions[] = []
  for (const name of ['b', 'a.b', 'A', 'a-b', 'a', 'Z', '9']) {
    created.push((await stream.send<GroupOptions>('POST', '/groups', { body: { name, maxAttempts: 2 } })).body)
  }
  const listed: GroupOptions[] = []
  let query = '?limit=3'
  for (let page = 0; page < 10; page += 1) {
    const { body } = await stream.send<{ groups: GroupOptions[]; nextCursor: string | null }>('GET', `/groups${query}`)
    expect(body.groups.length).toBeLessThanOrEqual(3)
    listed.push(...body.groups)
    if (body.nextCursor === null) break
    query = `?limit=3&after=${encodeURIComponent(body.nextCursor)}`
  }
  const byName = (a: GroupOptions, b: GroupOptions) => (a.name < b.name ? -1 : 1)
  expect(listed.sort(byName)).toEqual(created.sort(byName))
})

test('API Groups: PATCH replaces the given fields, and null restores a default', async () => {
  const stream = await createStream(2)
  const group = await stream.group({ maxAttempts: 2, maxInFlight: 3, backoff: { baseMs: 5 }, leaseMs: 100 })
  const changed = await group.patch({ maxAttempts: 9, paused: true })
  expect(changed).toMatchObject({ name: group.name, maxAttempts: 9, paused: true, maxInFlight: 3, leaseMs: 100 })
  const restored = await group.patch({
    maxAttempts: null,
    maxInFlight: null,
    backoff: null,
    leaseMs: null,
    paused: null,
  })
  const defaults = { maxAttempts: 5, maxInFlight: null, backoff: null, leaseMs: 30_000, paused: false }
  expect(restored).toMatchObject(defaults)
  expect(await group.info()).toMatchObject({ ...defaults, start: { '0': 0, '1': 0 } })
})

test.each([
  { start: 'latest' },
  { startAfter: 0 },
  { name: 'other' },
  { stream: 'other' },
  { createdAt: '2026-01-01T00:00:00.000Z' },
])('API Groups: PATCH of %j is invalid_request', async (fields) => {
  const group = await (await createStream()).group()
  const answer = await group.send('PATCH', '', { body: fields })
  expect(expectProblem(answer, 'invalid_request').detail).toContain(Object.keys(fields)[0])
})

test('API Groups: the leaseMs of the group is the length of a lease that asks for none', async () => {
  const stream = await createStream()
  await stream.appendMany(numbered(2))
  const group = await stream.group({ leaseMs: 60_000 })
  const lengthOf = (lease?: { leasedAt: string; expiresAt: string }) =>
    Date.parse(lease!.expiresAt) - Date.parse(lease!.leasedAt)
  expect(lengthOf((await group.fetch({ limit: 1 }))[0])).toBe(60_000)
  await group.patch({ leaseMs: 90_000 })
  expect(lengthOf((await group.fetch({ limit: 1 }))[0])).toBe(90_000)
})

test('API Groups: one group shows its lag, its counts and its oldest unsettled event', async () => {
  const stream = await createStream(2)
  const [first] = await stream.appendMany([...numbered(5, { partition: 0 }), ...numbered(2, { partition: 1 })])
  const group = await stream.group()
  expect(await group.info()).toMatchObject({
    lag: {
      partitions: {
        '0': { frontier: 0, highWatermark: 5, lag: 5 },
        '1': { frontier: 0, highWatermark: 2, lag: 2 },
      },
      lag: 7,
    },
    inFlight: 0,
    delayed: 0,
    available: 0,
    deadLetters: 0,
    oldestUnsettled: { state: 'undelivered', ageMs: expect.any(Number) },
  })
  const leases = await group.fetch({ partition: 0, limit: 5 })
  await group.ok('nack', leases[1]!, { delayMs: 60_000 })
  await group.ok('nack', leases[2]!)
  await group.ok('reject', leases[3]!)
  await group.ok('ack', leases[4]!)
  const rest = await group.fetch({ partition: 1 })
  await group.many('ack', { leases: rest })
  const info = await group.info()
  expect(info).toMatchObject({ lag: { lag: 5 }, inFlight: 1, delayed: 1, available: 1, deadLetters: 1 })
  expect(info.oldestUnsettled).toMatchObject({ partition: 0, sequence: 1, eventId: first!.id, state: 'leased' })
  expect(info.oldestUnsettled!.timestamp).toBe(first!.timestamp)
})

test('API Groups: when everything is settled there is no oldest unsettled event', async () => {
  const stream = await createStream()
  const group = await stream.group()
  expect((await group.info()).oldestUnsettled).toBeNull()
  await stream.append()
  const [lease] = await group.fetch()
  await group.ok('ack', lease!)
  expect(await group.info()).toMatchObject({ oldestUnsettled: null, lag: { lag: 0 }, inFlight: 0 })
})

test('S3.1 groups are independent: an ack in one never touches another', async () => {
  const stream = await createStream()
  await stream.appendMany(numbered(3))
  const [one, other] = [await stream.group(), await stream.group()]
  const leases = await one.fetch()
  await one.many('ack', { leases })
  expect((await one.lag()).lag).toBe(0)
  expect((await other.lag()).lag).toBe(3)
  const others = await other.fetch()
  expect(others.map((lease) => [lease.sequence, lease.attempt])).toEqual([
    [1, 1],
    [2, 1],
    [3, 1],
  ])
  expect((await one.info()).inFlight).toBe(0)
})

test('S3.1 a lease of one group settles nothing in another, and is not harmed', async () => {
  const stream = await createStream()
  await stream.append()
  const [one, other] = [await stream.group(), await stream.group()]
  const [lease] = await one.fetch()
  await other.fetch()
  for (const verb of ['ack', 'nack', 'reject', 'renew', 'release'] as const) {
    expectProblem(await other.settle(verb, { leaseId: lease!.leaseId }), 'stale_lease')
  }
  expect((await other.info()).inFlight).toBe(1)
  await one.ok('ack', lease!)
})
