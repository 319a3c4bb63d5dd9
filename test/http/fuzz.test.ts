import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { problems } from '../../src/http/problem.ts'
import { query, request, segment } from './hostile-request.ts'
import { LocalBackend } from './local-backend.ts'
import { type Send, type SendOptions, type Sent, sendTo } from './send.ts'

/** How many requests each property sends; set it higher to look longer. */
const numRuns = Number(process.env.RHEO_FUZZ_RUNS ?? 3_000)

let backend: LocalBackend
let send: Send
let faults: unknown[][]

beforeEach(async () => {
  // The clock stands still, so that nothing expires: whatever is written, a request has written.
  vi.useFakeTimers({ toFake: ['Date'] })
  faults = []
  vi.spyOn(console, 'error').mockImplementation((...fault) => void faults.push(fault))
  backend = new LocalBackend()
  send = sendTo(backend, { RHEO_AUTH: 'open', RHEO_TEST_CLOCK: '1' })
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** Sees to it that there is something to hit: requests may delete it, and all that came after would be told so. */
async function prepare(): Promise<void> {
  const { status } = await send('POST', '/v1/streams/orders/groups', { body: { name: 'billing' } })
  if (status !== 404) return
  await send('POST', '/v1/streams', { body: { name: 'orders', partitionCount: 3 } })
  await send('POST', '/v1/streams/orders/groups', { body: { name: 'billing' } })
  const events = ['a', 'b', 'c', 'd', 'e', 'f'].map((key) => ({ key, id: `id-${key}` }))
  await send('POST', '/v1/streams/orders/events', { body: { events } })
}

/** Sends a request and asserts what holds for every answer, and that nothing was written by what was refused. */
async function expectSound(method: string, path: string, options: SendOptions = {}): Promise<Sent> {
  await prepare()
  const before = backend.rowsWritten
  const answer = await send(method, path, options)
  const { status, body, headers } = answer
  const where = `${status} ${answer.text.slice(0, 300)} ${String(faults.at(-1)?.[1])}`
  expect(status, where).not.toBe(500)
  expect(headers.get('Rheo-Request-Id'), where).toMatch(/^[0-9a-f-]{36}$/)
  expect(headers.get('Cache-Control'), where).toBe('no-store')
  expect(headers.get('X-Content-Type-Options'), where).toBe('nosniff')
  if (status < 400 || method === 'HEAD') return answer
  expect(headers.get('Content-Type'), where).toBe('application/problem+json')
  expect(Object.keys(problems), where).toContain(body.code)
  expect([problems[body.code as keyof typeof problems][0], 415], where).toContain(status)
  expect(body, where).toMatchObject({ status, type: `/docs/errors#${body.code}`, detail: expect.stringMatching(/./) })
  // What several partitions answered differently may be in in part, and says so.
  if (body.results === undefined) expect(backend.rowsWritten - before, where).toBe(0)
  return answer
}

describe('a request, whatever it holds', () => {
  it('never makes an answer of 500, is refused with a code of the closed set, and then writes nothing', async () => {
    const answered = new Map<string, number>()
    await fc.assert(
      fc.asyncProperty(request, async ({ method, path, options }) => {
        const { status, body } = await expectSound(method, path, options)
        const key = `${body?.code ?? status}`
        answered.set(key, (answered.get(key) ?? 0) + 1)
      }),
      { numRuns },
    )
    // A fuzz that is refused at the door proves little: it must come to every kind of answer.
    const often = ['200', '201', '204', 'invalid_name', 'invalid_request', 'stream_not_found', 'stale_lease']
    for (const key of often) expect(answered.get(key) ?? 0, key).toBeGreaterThan(0)
  })

  it('of any path at all is answered soundly', async () => {
    const path = fc.array(fc.oneof(segment, fc.constantFrom('v1', 'streams', 'groups', 'events', '')), { maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('GET', 'DELETE', 'POST'), path, query, async (method, segments, query) => {
        const answer = await expectSound(method, `/${segments.join('/')}${query}`)
        expect(answer.status).not.toBe(500)
      }),
      { numRuns: Math.ceil(numRuns / 3) },
    )
  })
})
