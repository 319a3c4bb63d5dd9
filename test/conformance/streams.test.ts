import { expect, test } from 'vitest'
import { call } from './client.ts'
import { invalidNames } from './names.ts'
import { expectProblem } from './problem.ts'
import { randomName } from './random.ts'
import { createStream, streamAt } from './stream.ts'
import { tenantsAreFree } from './target.ts'
import type { StreamInfo } from './wire.ts'

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

interface StreamPage {
  streams: StreamInfo[]
  nextCursor: string | null
}

/** Creates a stream and answers whatever comes. */
function create(body: unknown, tenant?: string) {
  return call<StreamInfo>('POST', '/v1/streams', { body, tenant })
}

test('API Streams: creating one answers 201 with name, partitionCount and createdAt', async () => {
  const name = randomName('stream')
  const answer = await create({ name, partitionCount: 4 })
  expect(answer.status).toBe(201)
  expect(answer.body).toEqual({ name, partitionCount: 4, createdAt: expect.stringMatching(rfc3339) })
})

test('API Streams: partitionCount is 1 unless given', async () => {
  const answer = await create({ name: randomName('stream') })
  expect(answer.status).toBe(201)
  expect(answer.body.partitionCount).toBe(1)
})

test.each([1, 256])('API Streams: partitionCount %d is allowed, and so many partitions there are', async (count) => {
  const stream = await createStream(count)
  const info = await stream.info()
  expect(Object.keys(info.partitions)).toHaveLength(count)
  expect(info.partitions[String(count - 1)]).toMatchObject({ highWatermark: 0 })
  expect((await stream.append({ partition: count - 1 })).partition).toBe(count - 1)
})

test.each([0, -1, 257, 1.5, 1e9])('S7 partitionCount %d is invalid_partition_count', async (partitionCount) => {
  const name = randomName('stream')
  expectProblem(await create({ name, partitionCount }), 'invalid_partition_count')
  expectProblem(await call('GET', `/v1/streams/${name}`), 'stream_not_found')
})

test.each(['"4"', 'null', 'true', '[4]', '{}', '1e400'])('API a partitionCount of %s is refused', async (value) => {
  const name = randomName('stream')
  const answer = await call('POST', '/v1/streams', { raw: `{"name":"${name}","partitionCount":${value}}` })
  expectProblem(answer, ['invalid_partition_count', 'invalid_request'])
  expectProblem(await call('GET', `/v1/streams/${name}`), 'stream_not_found')
})

test('S7 creating a stream twice is already_exists, and the first one stays as it is', async () => {
  const stream = await createStream(4)
  await stream.append({ partition: 3 })
  expectProblem(await create({ name: stream.name, partitionCount: 4 }), 'already_exists')
  expectProblem(await create({ name: stream.name, partitionCount: 2 }), 'already_exists')
  expect((await stream.info()).partitionCount).toBe(4)
  expect(await stream.highWatermark(3)).toBe(1)
})

test('S7 of 20 concurrent creates of one name one succeeds and the others are already_exists', async () => {
  const name = randomName('stream')
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => create({ name, partitionCount: index + 1 })),
  )
  const created = answers.filter((answer) => answer.status === 201)
  expect(created).toHaveLength(1)
  for (const answer of answers) if (answer.status !== 201) expectProblem(answer, 'already_exists')
  expect((await streamAt(name).info()).partitionCount).toBe(created[0]!.body.partitionCount)
})

test.each(invalidNames)('API Names: a stream name with %s is invalid_name', async (_, name) => {
  expectProblem(await create({ name }), 'invalid_name')
  expectProblem(await call('GET', `/v1/streams/${encodeURIComponent(name)}`), 'invalid_name')
})

test('API Names: an empty stream name is invalid_name', async () => {
  expectProblem(await create({ name: '' }), 'invalid_name')
})

test.each([{}, { name: 5 }, { name: null }, { name: ['a'] }])(
  'API a stream without a name is refused: %j',
  async (body) => {
    expectProblem(await create(body), ['invalid_name', 'invalid_request'])
  },
)

test('API Names: 1 to 128 letters, digits, dots, underscores and hyphens are a name', async () => {
  const longest = randomName('a').padEnd(128, '._-Z9')
  for (const name of [longest, randomName('Z.9_-'), randomName('0')]) {
    const answer = await create({ name })
    expect(answer.status, answer.where).toBe(201)
    expect((await streamAt(name).info()).name).toBe(name)
  }
})

test('API Names: case matters', async () => {
  const name = randomName('case')
  expect((await create({ name })).status).toBe(201)
  expectProblem(await call('GET', `/v1/streams/${name.toUpperCase()}`), 'stream_not_found')
  expect((await create({ name: name.toUpperCase() })).status).toBe(201)
  await streamAt(name).append()
  expect(await streamAt(name.toUpperCase()).highWatermark()).toBe(0)
})

test('S7 a stream nobody created is stream_not_found', async () => {
  expectProblem(await call('GET', `/v1/streams/${randomName('stream')}`), 'stream_not_found')
})

test('API Streams: one stream shows the first sequence, the high watermark and the bytes of each partition', async () => {
  const stream = await createStream(3)
  await stream.appendMany([{ partition: 1 }, { partition: 1 }, { partition: 2 }])
  const info = await stream.info()
  expect(info).toMatchObject({ name: stream.name, partitionCount: 3, createdAt: expect.stringMatching(rfc3339) })
  expect(Object.keys(info.partitions).sort()).toEqual(['0', '1', '2'])
  expect(info.partitions['0']).toMatchObject({ highWatermark: 0, bytes: expect.any(Number) })
  expect(info.partitions['1']).toEqual({ firstSequence: 1, highWatermark: 2, bytes: expect.any(Number) })
  expect(info.partitions['2']).toEqual({ firstSequence: 1, highWatermark: 1, bytes: expect.any(Number) })
  expect(info.partitions['1']!.bytes).toBeGreaterThan(0)
})

test('API Streams: the list is sorted by name, and its pages show each stream once', async ({ skip }) => {
  if (!tenantsAreFree) skip('needs a tenant without other streams')
  const tenant = randomName('tenant')
  expect((await call<StreamPage>('GET', '/v1/streams', { tenant })).body).toEqual({ streams: [], nextCursor: null })
  const names = ['b', 'a.b', 'A', 'a-b', 'a', 'Z', '9', 'a_b']
  for (const name of names) expect((await create({ name }, tenant)).status).toBe(201)

  const whole = await call<StreamPage>('GET', '/v1/streams', { tenant })
  const listed = whole.body.streams.map((stream) => stream.name)
  expect(listed).toEqual([...names].sort())
  expect(whole.body.nextCursor).toBeNull()
  expect(whole.body.streams[0]).toEqual({ name: '9', partitionCount: 1, createdAt: expect.stringMatching(rfc3339) })

  const paged: string[] = []
  let query = '?limit=3'
  for (let page = 0; page < 10; page += 1) {
    const { body } = await call<StreamPage>('GET', `/v1/streams${query}`, { tenant })
    expect(body.streams.length).toBeLessThanOrEqual(3)
    paged.push(...body.streams.map((stream) => stream.name))
    if (body.nextCursor === null) break
    query = `?limit=3&after=${encodeURIComponent(body.nextCursor)}`
  }
  expect(paged).toEqual(listed)
})

test('S1 nothing crosses between tenants: same names, other streams', async ({ skip }) => {
  if (!tenantsAreFree) skip('needs two tenants')
  const [one, other] = [randomName('tenant'), randomName('tenant')]
  const name = 'orders'
  for (const tenant of [one, other]) expect((await create({ name }, tenant)).status).toBe(201)
  await streamAt(name, { tenant: one }).append({ payload: { secret: true } })
  expect(await streamAt(name, { tenant: other }).read()).toEqual([])
  expectProblem(await call('GET', `/v1/streams/${name}`, { tenant: randomName('tenant') }), 'stream_not_found')
})

test('S8.16 names that join to the same text are different objects', async ({ skip }) => {
  if (!tenantsAreFree) skip('needs two tenants')
  const tenant = randomName('tenant')
  for (const joint of ['.', '-', '_', '.0.', '-0-']) {
    const left = streamAt(`b${joint}c`, { tenant: `${tenant}${joint}a` })
    const right = streamAt('c', { tenant: `${tenant}${joint}a${joint}b` })
    for (const stream of [left, right]) {
      expect((await create({ name: stream.name }, stream.context.tenant)).status).toBe(201)
    }
    await left.append({ payload: { from: 'left' } })
    expect(await right.read(), `joined by ${joint}`).toEqual([])
  }
})

test('S8.16 partition 1 of a stream and partition 11 of another never meet', async () => {
  const name = randomName('stream')
  for (const suffix of ['', '1', '-1', '.1']) {
    expect((await create({ name: name + suffix, partitionCount: 12 })).status).toBe(201)
  }
  await streamAt(name).append({ partition: 11 })
  for (const suffix of ['1', '-1', '.1']) {
    const info = await streamAt(name + suffix).info()
    const marks = Object.values(info.partitions).map((partition) => partition.highWatermark)
    expect(marks, suffix).toEqual(Array(12).fill(0))
  }
})

test('API Names: a tenant that is no name is invalid_name', async ({ skip }) => {
  if (!tenantsAreFree) skip('needs the tenant from its header')
  for (const tenant of ['-a', '.a', 'a b', 'a/b', 'a'.repeat(129)]) {
    expectProblem(await call('GET', '/v1/streams', { tenant }), 'invalid_name')
  }
})
