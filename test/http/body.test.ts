import { beforeEach, describe, expect, it, vi } from 'vitest'
import { done } from '../../src/core/partition/commands.ts'
import { BodyRoom } from '../../src/http/body-room.ts'
import { FakeBackend } from './fake-backend.ts'
import { type Send, sendTo } from './send.ts'

const path = '/v1/streams/orders/events'
const MIB = 1_048_576
let backend: FakeBackend
let send: Send

beforeEach(() => {
  backend = new FakeBackend()
  backend.addStream('orders', 1)
  backend.answer = () => done({ first: 1, duplicates: [] })
  send = sendTo(backend)
})

/** A chunked body of `{}` and so many MiB of spaces, and how many of them were taken. */
function chunks(count: number): { raw: ReadableStream<Uint8Array>; taken: () => number } {
  const spaces = new Uint8Array(MIB).fill(0x20)
  let taken = 0
  const raw = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (taken === 0) controller.enqueue(new TextEncoder().encode('{}'))
      taken += 1
      if (taken > count) controller.close()
      else controller.enqueue(spaces)
    },
  })
  return { raw, taken: () => taken }
}

describe('API Limits: a body', () => {
  it('of 16 MiB in chunks is read, one byte more is payload_too_large', async () => {
    expect((await send('POST', path, { raw: `{}${' '.repeat(16 * MIB - 2)}` })).status).toBe(201)
    const { raw } = chunks(16)
    const answer = await send('POST', path, { raw })
    expect([answer.status, answer.body.code, answer.body.limit]).toEqual([413, 'payload_too_large', 16 * MIB])
    expect(backend.received).toHaveLength(1)
  })

  it('without an end is refused while it is read', async () => {
    const { raw, taken } = chunks(Number.POSITIVE_INFINITY)
    expect((await send('POST', path, { raw })).status).toBe(413)
    expect(taken()).toBeLessThan(40)
  })
})

describe('room for large bodies', () => {
  const body = (bytes: number): string => `{}${' '.repeat(bytes - 2)}`
  /** Appends that arrive at their partition and are answered when it is told to. */
  function hold(): { release: () => void; arrived: (count: number) => Promise<void> } {
    const released = Promise.withResolvers<void>()
    backend.answer = async () => {
      await released.promise
      return done({ first: 1, duplicates: [] })
    }
    const arrived = (count: number) => vi.waitFor(() => expect(backend.received).toHaveLength(count))
    return { release: released.resolve, arrived }
  }

  it.each([
    ['a known length', (raw: string) => ({ raw, headers: { 'Content-Length': `${raw.length}` } })],
    ['chunks', (raw: string) => ({ raw: new Blob([raw]).stream() })],
  ])('is for two of the greatest, of %s: a third is overloaded until one is answered', async (_, options) => {
    const { release, arrived } = hold()
    const two = [body(16 * MIB), body(16 * MIB)].map((raw) => send('POST', path, options(raw)))
    await arrived(2)
    const third = await send('POST', path, options(body(MIB)))
    expect([third.status, third.body.code, third.headers.get('Retry-After')]).toEqual([503, 'overloaded', '1'])
    expect(backend.received).toHaveLength(2)
    const small = send('POST', path, options(body(65_536)))
    await arrived(3)
    release()
    expect((await Promise.all([...two, small])).map(({ status }) => status)).toEqual([201, 201, 201])
    expect((await send('POST', path, options(body(16 * MIB)))).status).toBe(201)
  })

  it('is needed by appends alone: other calls have done with a body when it is read', async () => {
    backend.addGroup('orders', 'g')
    backend.answer = () => done({ count: 0, bytes: 0, receipt: null, leases: '', reason: 'caught_up' })
    const waits = Array.from({ length: 3 }, () => {
      const raw = `{"waitMs":20000}${' '.repeat(16 * MIB - 16)}`
      return send('POST', '/v1/streams/orders/groups/g/fetch', { raw })
    })
    await vi.waitFor(() => expect(backend.waiting).toHaveLength(3))
    backend.answer = () => done({ first: 1, duplicates: [] })
    expect((await send('POST', path, { raw: body(16 * MIB) })).status).toBe(201)
    backend.answer = () => done({ count: 0, bytes: 0, receipt: null, leases: '', reason: 'caught_up' })
    for (const waiting of backend.waiting) waiting.wake('timeout')
    expect((await Promise.all(waits)).map(({ status }) => status)).toEqual([200, 200, 200])
  })

  it('comes back by itself after a minute from a request that the platform has ended', () => {
    const room = new BodyRoom()
    expect(room.take(16 * MIB, 0)).not.toBeNull()
    expect(room.take(16 * MIB, 0)).not.toBeNull()
    expect(room.take(MIB, 59_999)).toBeNull()
    expect(room.take(MIB, 60_000)).not.toBeNull()
  })

  it('is given back by requests that were refused', async () => {
    for (let times = 0; times < 4; times++) {
      const answer = await send('POST', path, { raw: body(16 * MIB).replace('}', ' ') })
      expect(answer.body.code).toBe('invalid_request')
    }
    expect((await send('POST', path, { raw: body(16 * MIB) })).status).toBe(201)
  })
})

describe('a body that is not UTF-8', () => {
  const options = (raw: Uint8Array) => ({ raw, headers: { 'Content-Length': `${raw.length}` } })

  it('is invalid_request, and leaves nothing behind for the next one', async () => {
    for (const bytes of [[0xf0, 0x9f], [0xff], [0x22, 0xe2, 0x82]]) {
      const answer = await send('POST', path, options(Uint8Array.from(bytes)))
      expect([answer.status, answer.body.field]).toEqual([400, 'body'])
      expect((await send('POST', path, options(new TextEncoder().encode('{"type":"é"}')))).status).toBe(201)
    }
  })
})

describe('API Failures: a content type', () => {
  it.each(['text/plain', 'application/json; charset=latin1', 'application/cloudevents', 'application/jsonp', ''])(
    'that is none of those named is invalid_request with 415: %s',
    async (type) => {
      const answer = await send('POST', path, { raw: '{}', headers: { 'Content-Type': type } })
      expect([answer.status, answer.body.code, answer.body.field]).toEqual([415, 'invalid_request', 'Content-Type'])
    },
  )

  it.each(['application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"', 'application/json; profile=x'])(
    'may say its charset: %s',
    async (type) => {
      expect((await send('POST', path, { raw: '{}', headers: { 'Content-Type': type } })).status).toBe(201)
    },
  )

  it('of NDJSON is for events only', async () => {
    const headers = { 'Content-Type': 'application/x-ndjson' }
    expect((await send('POST', '/v1/streams', { raw: '{}', headers })).status).toBe(415)
  })
})

describe('S7 a body', () => {
  it.each(['', '{', '{}{}', 'undefined', '{"a":NaN}'])(
    'that is no JSON is invalid_request naming body: %j',
    async (raw) => {
      const answer = await send('POST', path, { raw })
      expect([answer.status, answer.body.field]).toEqual([400, 'body'])
    },
  )

  it('that is no UTF-8 is invalid_request naming body, also when a character is cut at its end', async () => {
    for (const bytes of [
      [0x22, 0xff, 0x22],
      [0x7b, 0x7d, 0xe2, 0x82],
    ]) {
      const answer = await send('POST', path, { raw: new Uint8Array(bytes) })
      expect([answer.status, answer.body.field]).toEqual([400, 'body'])
    }
  })

  it('may have its characters cut by chunks', async () => {
    const bytes = new TextEncoder().encode('{"type":"€😀"}')
    const raw = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(new Uint8Array([byte]))
        controller.close()
      },
    })
    expect((await send('POST', path, { raw })).body.event.type).toBe('€😀')
  })
})
