import { expect, test } from 'vitest'
import { failureOf, isUnanswered } from '../../src/cli/failure.ts'
import { Rheo } from '../../src/client/index.ts'

const url = 'http://rheo.test'

/** What a call throws whose `fetch` does this. */
async function errorOf(fetch: () => Promise<Response>): Promise<unknown> {
  return new Rheo({ url, fetch, retry: false }).streams.list().catch((error: unknown) => error)
}

/** As Node's `fetch` fails: why stands in the cause. */
const failedFetch = (cause: unknown) => errorOf(() => Promise.reject(new TypeError('fetch failed', { cause })))

const coded = (code: string, message = code) => Object.assign(new Error(message), { code })

test.each([
  ['a refused connection', coded('ECONNREFUSED'), 'connection refused'],
  [
    'one refused at every address',
    Object.assign(new AggregateError([coded('ECONNREFUSED')], ''), { code: 'ECONNREFUSED' }),
    'connection refused',
  ],
  ['an unknown host', coded('ENOTFOUND'), 'there is no such host'],
  ['a bad certificate', coded('CERT_HAS_EXPIRED', 'certificate has expired'), 'certificate has expired'],
  ['something with no code', new Error('bad port'), 'bad port'],
])('a call without an answer says where to and why: %s', async (_, cause, reason) => {
  const error = await failedFetch(cause)
  expect(failureOf(error, url)).toEqual({ code: 'backend_unavailable', detail: `no answer from ${url}: ${reason}` })
  expect(isUnanswered(error)).toBe(true)
})

test('an answer that is none of this server is no answer either', async () => {
  const error = await errorOf(async () => new Response('<html>'))
  expect(failureOf(error, url).detail).toBe(`no answer from ${url}: 200 without JSON`)
})

test('a write that may have been done keeps its code', async () => {
  const fetch = () => Promise.reject(new TypeError('fetch failed', { cause: coded('ECONNRESET') }))
  const error = await new Rheo({ url, fetch, retry: false }).append('orders', {}).catch((error: unknown) => error)
  expect(failureOf(error, url)).toEqual({ code: 'ambiguous', detail: `no answer from ${url}: connection reset` })
})

test('what the server says is told as it says it, with its data', async () => {
  const problem = { code: 'backend_unavailable', detail: 'partition 1 is away', partitions: [1] }
  const error = await errorOf(async () => new Response(JSON.stringify(problem), { status: 503 }))
  expect(failureOf(error, url)).toEqual(problem)
  expect(isUnanswered(error)).toBe(false)
})
