import { expect, test } from 'vitest'
import { call } from './client.ts'
import {
  type Endpoint,
  endpoints,
  endpointsWithBody,
  endpointsWithoutBody,
  hasGroup,
  hasStream,
  pathOf,
} from './endpoints.ts'
import { expectProblem } from './problem.ts'
import { createStream } from './stream.ts'

const shared = await createStream(2)
const sharedGroup = await shared.group()

/** The endpoint's call on the stream and the group of this file. */
const goodPath = (endpoint: Endpoint) => pathOf(endpoint, shared.name, sharedGroup.name)
const title = (endpoint: Endpoint) => `${endpoint.method} ${endpoint.path}`
const cases = (list: readonly Endpoint[]) => list.map((endpoint) => [title(endpoint), endpoint] as const)

test.each(cases(endpointsWithBody))(
  'API unknown fields are invalid_request that names them: %s',
  async (_, endpoint) => {
    for (const field of ['foo', 'limits', 'Name', '__proto__', 'constructor', 'toString', 'hasOwnProperty', '']) {
      const raw = `${JSON.stringify(endpoint.body).slice(0, -1)},${JSON.stringify(field)}:1}`
      const problem = expectProblem(await call(endpoint.method, goodPath(endpoint), { raw }), 'invalid_request')
      expect(problem.detail).toContain(field)
    }
  },
)

test.each(cases(endpoints))(
  'API an unknown query parameter is invalid_request that names it: %s',
  async (_, endpoint) => {
    for (const parameter of ['foo', 'Limit', '__proto__', 'constructor']) {
      const answer = await call(endpoint.method, `${goodPath(endpoint)}?${parameter}=1`, { body: endpoint.body })
      expect(expectProblem(answer, 'invalid_request').detail).toContain(parameter)
    }
  },
)

const badJson = [
  '',
  ' ',
  '{',
  '{"a":1',
  "{'a':1}",
  '{a:1}',
  '{"a":1,}',
  '{"a":01}',
  '{"a":NaN}',
  '{"a":Infinity}',
  '{"a":undefined}',
  '{"a":1}{"b":2}',
  '{"a":"\n"}',
  '{"a":"\\x"}',
  'nonsense',
  '// {}',
]

test.each(cases(endpointsWithBody))('S7 a body that is no JSON is invalid_request: %s', async (_, endpoint) => {
  for (const raw of badJson) {
    expectProblem(await call(endpoint.method, goodPath(endpoint), { raw }), 'invalid_request', JSON.stringify(raw))
  }
})

test.each(cases(endpointsWithBody))('S7 a body that is no object is invalid_request: %s', async (_, endpoint) => {
  for (const raw of ['null', 'true', '5', '"text"', '[]', '[{}]']) {
    const answer = await call(endpoint.method, goodPath(endpoint), { raw })
    expectProblem(answer, ['invalid_request', 'invalid_name'], raw)
  }
})

test.each(cases(endpointsWithBody))('S7 a body nested without end is invalid_request: %s', async (_, endpoint) => {
  for (const raw of [
    `{"foo":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
    '{"foo":'.repeat(50_000),
    '['.repeat(200_000),
  ]) {
    expectProblem(await call(endpoint.method, goodPath(endpoint), { raw }), 'invalid_request')
  }
})

test.each(cases(endpointsWithBody))('API a content type not named is 415 invalid_request: %s', async (_, endpoint) => {
  for (const contentType of [
    'text/plain',
    'application/xml',
    'application/x-www-form-urlencoded',
    'application/jsonp',
  ]) {
    const answer = await call(endpoint.method, goodPath(endpoint), { body: endpoint.body, contentType })
    expectProblem(answer, 'invalid_request')
    expect(answer.status, answer.where).toBe(415)
  }
})

test('API the content type may have parameters and any case', async () => {
  for (const contentType of ['application/json; charset=utf-8', 'Application/JSON', 'application/json;charset=UTF-8']) {
    const answer = await shared.send('POST', '/events', { body: {}, contentType })
    expect(answer.status, answer.where).toBe(201)
  }
})

test.each(cases(endpoints.filter(hasStream)))(
  'S7 names come before shape and before the stream: %s',
  async (_, endpoint) => {
    const options = endpoint.body === undefined ? {} : { body: { foo: 1 } }
    const query = endpoint.body === undefined ? '?foo=1' : ''
    const badStream = pathOf(endpoint, '-bad', 'billing')
    expectProblem(await call(endpoint.method, badStream + query, options), 'invalid_name')
    if (endpoint.body !== undefined) expectProblem(await call(endpoint.method, badStream, { raw: '{' }), 'invalid_name')
    if (!hasGroup(endpoint)) return
    const badGroup = pathOf(endpoint, 'nobody-has-this', '-bad')
    expectProblem(await call(endpoint.method, badGroup + query, options), 'invalid_name')
  },
)

test('S7 a name in a body comes before the rest of its shape', async () => {
  expectProblem(await call('POST', '/v1/streams', { body: { name: '-bad', foo: 1 } }), 'invalid_name')
  expectProblem(await shared.send('POST', '/groups', { body: { name: '-bad', foo: 1 } }), 'invalid_name')
  const elsewhere = '/v1/streams/nobody-has-this/groups'
  expectProblem(await call('POST', elsewhere, { body: { name: '-bad' } }), 'invalid_name')
})

test.each(cases(endpoints.filter(hasStream)))('S7 shape comes before the stream: %s', async (_, endpoint) => {
  const path = pathOf(endpoint, 'nobody-has-this', 'nobody')
  const options = endpoint.body === undefined ? {} : { body: { ...endpoint.body, foo: 1 } }
  const query = endpoint.body === undefined ? '?foo=1' : ''
  expectProblem(await call(endpoint.method, path + query, options), 'invalid_request')
})

test.each(cases(endpoints.filter(hasStream)))(
  'S7 the stream comes before the group, always: %s',
  async (_, endpoint) => {
    const answer = await call(endpoint.method, pathOf(endpoint, 'nobody-has-this', 'nobody'), { body: endpoint.body })
    expectProblem(answer, 'stream_not_found')
  },
)

test.each(cases(endpoints.filter(hasGroup)))(
  'S7 a group that is not there is group_not_found: %s',
  async (_, endpoint) => {
    const answer = await call(endpoint.method, pathOf(endpoint, shared.name, 'nobody'), { body: endpoint.body })
    expectProblem(answer, 'group_not_found')
  },
)

test('S7 the group comes before what needs the stream', async () => {
  const nobody = `${shared.path}/groups/nobody`
  expectProblem(await call('POST', `${nobody}/fetch`, { body: { partition: 99 } }), 'group_not_found')
  expectProblem(await call('GET', `${nobody}/holes?partition=99`), 'group_not_found')
  const elsewhere = '/v1/streams/nobody-has-this'
  expectProblem(await call('POST', `${elsewhere}/events`, { body: { partition: 99 } }), 'stream_not_found')
  expectProblem(await call('GET', `${elsewhere}/events?partition=99`), 'stream_not_found')
  expectProblem(await call('POST', `${elsewhere}/groups`, { body: { name: 'g', startAfter: 99 } }), 'stream_not_found')
})

const listings = endpointsWithoutBody.filter((endpoint) => /(streams|groups|leases|dead-letters)$/.test(endpoint.path))

test.each(cases(listings))('API Limits: a page has 1 to 1 000 entries: %s', async (_, endpoint) => {
  for (const limit of ['0', '1001', '-1', '1.5', 'x', '']) {
    const answer = await call('GET', `${goodPath(endpoint)}?limit=${encodeURIComponent(limit)}`)
    expect(expectProblem(answer, 'invalid_request', `limit ${limit}`).detail).toContain('limit')
  }
  for (const limit of [1, 1_000]) {
    const answer = await call('GET', `${goodPath(endpoint)}?limit=${limit}`)
    expect(answer.status, answer.where).toBe(200)
  }
})

test('S7 the same failing call fails the same way, and changes nothing', async () => {
  const before = await shared.info()
  for (let repeat = 0; repeat < 3; repeat += 1) {
    expectProblem(await shared.post({ events: [{}, { partition: 99 }] }), 'invalid_partition')
    expectProblem(await sharedGroup.settle('ack', { leaseId: 'nobody' }), 'stale_lease')
  }
  expect(await shared.info()).toEqual(before)
})
