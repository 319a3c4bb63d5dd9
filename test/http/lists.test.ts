import { beforeEach, describe, expect, it, vi } from 'vitest'
import { type Answer, done } from '../../src/core/partition/commands.ts'
import { FakeBackend, objectError, type Received } from './fake-backend.ts'
import { type Send, sendTo } from './send.ts'

const group = '/v1/streams/orders/groups/billing'
let backend: FakeBackend
let send: Send

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  backend = new FakeBackend()
  backend.addStream('orders', 16)
  backend.addGroup('orders', 'billing')
  backend.addGroup('orders', 'audit')
  send = sendTo(backend)
})

/** Serves dead letters, `counts[partition]` in each partition, whose events weigh so much. */
function serveLetters(counts: readonly number[], eventLength = 2): void {
  backend.answer = ({ partition, command }: Received): Answer<unknown> => {
    if (command.type !== 'deadLetters') throw new Error(`nobody expected ${command.type}`)
    const { after, limit, maxBytes } = command
    const fits = Math.max(1, Math.floor(maxBytes / eventLength))
    const left = Math.max(0, (counts[partition] ?? 0) - after)
    const count = Math.min(left, limit, fits)
    const deadLetters = Array.from({ length: count }, (_, index) => ({
      sequence: after + index + 1,
      eventId: 'e',
      reason: null,
      cause: 'rejected',
      attempt: 1,
      consumerId: null,
      deadLetteredAtMs: 0,
      event: `"${'x'.repeat(eventLength - 2)}"`,
    }))
    return done({ deadLetters, more: left > count })
  }
}

/** Reads a list page by page to its end. */
async function pages(query: string): Promise<[number, number][][]> {
  const found: [number, number][][] = []
  for (let after = ''; ; ) {
    const { body } = await send('GET', `${group}/dead-letters?${query}${after}`)
    found.push(body.deadLetters.map((one: { partition: number; sequence: number }) => [one.partition, one.sequence]))
    if (body.nextCursor === null) return found
    after = `&after=${body.nextCursor}`
  }
}

const counts = [3, 0, 5, 0, 0, 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 7]
const all = counts.flatMap((count, partition) =>
  Array.from({ length: count }, (_, index) => [partition, index + 1] as [number, number]),
)

describe('a list over partitions', () => {
  it('S5.8 shows every item once, by partition and sequence, in pages of any size', async () => {
    serveLetters(counts)
    for (const limit of [1, 2, 3, 7, 18, 1_000]) {
      const found = await pages(`limit=${limit}`)
      expect(found.flat(), `${limit}`).toEqual(all)
      expect(Math.max(...found.map((page) => page.length))).toBeLessThanOrEqual(limit)
    }
  })

  it('costs one object when the first partition fills the page', async () => {
    serveLetters([100, 100])
    await send('GET', `${group}/dead-letters?limit=100`)
    expect(backend.received).toHaveLength(1)
  })

  it('API Limits: a page holds about 8 MiB of events and at least one, and loses none', async () => {
    serveLetters(counts, 3 * 1_048_576)
    const found = await pages('limit=1000')
    expect(found.flat()).toEqual(all)
    expect(Math.max(...found.map((page) => page.length))).toBe(2)
  })

  it('of one partition stays in it', async () => {
    serveLetters(counts)
    expect((await pages('limit=2&partition=2')).flat()).toEqual([1, 2, 3, 4, 5].map((sequence) => [2, sequence]))
  })

  it('S7 never answers for fewer partitions than asked', async () => {
    serveLetters(counts)
    const { answer } = backend
    backend.answer = (received) => {
      if (received.partition === 15) throw objectError()
      return answer(received)
    }
    expect((await send('GET', `${group}/dead-letters`)).body).toMatchObject({
      code: 'backend_unavailable',
      partitions: [15],
    })
  })

  it('cursor_not_found: a cursor that is damaged, of another list, group or partition, or none', async () => {
    serveLetters(counts)
    const { body } = await send('GET', `${group}/dead-letters?limit=1`)
    const cursor: string = body.nextCursor
    const other = '/v1/streams/orders/groups/audit'
    for (const path of [
      `${group}/dead-letters?after=${cursor}x`,
      `${group}/dead-letters?after=${cursor.slice(0, -1)}`,
      `${group}/dead-letters?after=`,
      `${group}/dead-letters?after=1`,
      `${group}/dead-letters?after=${encodeURIComponent('é=')}`,
      `${group}/dead-letters?partition=3&after=${cursor}`,
      `${group}/leases?after=${cursor}`,
      `${other}/dead-letters?after=${cursor}`,
    ]) {
      const answer = await send('GET', path)
      expect([answer.status, answer.body.code, answer.body.field], path).toEqual([400, 'cursor_not_found', 'after'])
    }
  })
})

describe('a list by name', () => {
  it('goes on after the last name of its page', async () => {
    const record = { uid: 'u', partitionCount: 1, createdAtMs: 0 }
    backend.catalogAnswer = () =>
      done({
        streams: [
          { ...record, name: 'a' },
          { ...record, name: 'b' },
        ],
        more: true,
      })
    expect((await send('GET', '/v1/streams?limit=2&after=0')).body.nextCursor).toBe('b')
    expect(backend.asked).toEqual([{ type: 'streams', after: '0', limit: 2 }])
    backend.catalogAnswer = () => done({ streams: [{ ...record, name: 'c' }], more: false })
    expect((await send('GET', '/v1/streams')).body).toEqual({
      streams: [{ name: 'c', partitionCount: 1, createdAt: '1970-01-01T00:00:00.000Z' }],
      nextCursor: null,
    })
  })

  it('takes no cursor that cannot be a name', async () => {
    for (const path of ['/v1/streams?after=-', '/v1/streams?after=', '/v1/streams/orders/groups?after=a/b']) {
      expect((await send('GET', path)).body.code, path).toBe('cursor_not_found')
    }
  })
})

describe('query parameters', () => {
  it.each([
    ['/v1/streams?limit=0', 'limit'],
    ['/v1/streams?limit=1001', 'limit'],
    ['/v1/streams?limit=1.0', 'limit'],
    ['/v1/streams?limit=', 'limit'],
    ['/v1/streams?limit=1&limit=1', 'limit'],
    ['/v1/streams?foo=1', 'foo'],
    ['/v1/streams?__proto__=1', '__proto__'],
    ['/v1/streams?constructor=1', 'constructor'],
    ['/v1/health?x=1', 'x'],
    [`${group}/leases?consumerId=`, 'consumerId'],
    [`${group}/holes?partition=x`, 'partition'],
    ['/v1/streams/orders/events?after=-1', 'after'],
  ])('%s is invalid_request naming %s', async (path, field) => {
    expect((await send('GET', path)).body).toMatchObject({ code: 'invalid_request', field })
  })

  it('a call with a body takes none', async () => {
    const answer = await send('POST', `${group}/fetch?limit=1`, { body: {} })
    expect(answer.body).toMatchObject({ code: 'invalid_request', field: 'limit' })
  })
})
