import { connect } from 'node:net'
import { describe, expect, test, vi } from 'vitest'
import { call } from './client.ts'
import { randomName } from './random.ts'
import { createStream } from './stream.ts'
import { tenant, token, url } from './target.ts'

/*
 * Requests as no client library would send them, byte by byte. Some are refused by the server in front of the Worker,
 * so that only the status is asked about: refused, and not for a fault of ours.
 */

const { hostname, port, protocol, host } = new URL(url)

/** Sends bytes, each chunk on its own, and gives all that comes back until the server closes. */
function exchange(...chunks: readonly (string | Uint8Array)[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port === '' ? 80 : port), noDelay: true })
    let received = ''
    socket.on('data', (data) => {
      received += data.toString('latin1')
    })
    socket.on('close', () => resolve(received))
    socket.on('error', reject)
    const send = (index: number): void => {
      if (index < chunks.length) socket.write(chunks[index]!, () => setImmediate(send, index + 1))
    }
    send(0)
  })
}

const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1])
const codeOf = (answer: string): string | undefined => /"code":"(\w+)"/.exec(answer)?.[1]

const get = (path: string, headers = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${headers}\r\n`
const post = (headers: string, path = '/v1/streams'): string =>
  `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\nContent-Type: application/json\r\n${headers}\r\n`

describe.skipIf(protocol !== 'http:')('bytes on the wire', () => {
  test.each(['a%00b', 'a%2Fb', '%ff%fe', '%C0%80', '%ED%A0%80', '%', '%zz', 'a%0d%0ab', 'x'.repeat(20_000)])(
    'S7 a path with the name %.20s is invalid_name',
    async (name) => {
      expect(codeOf(await exchange(get(`/v1/streams/${name}`)))).toMatch(/^(invalid_name|unauthenticated)$/)
    },
  )

  test.each([
    ['a path without end', get(`/v1/streams/${'a'.repeat(300_000)}`)],
    ['parameters without end', get(`/v1/streams?${'limit=1&'.repeat(40_000)}`)],
    ['a thousand parameters', get(`/v1/streams?${'limit=1&'.repeat(1_000)}`)],
    ['a tenant without end', get('/v1/streams', `Rheo-Tenant: ${'a'.repeat(30_000)}\r\n`)],
    ['two tenants', get('/v1/streams', 'Rheo-Tenant: a\r\nRheo-Tenant: b\r\n')],
    ['a NUL in a header', get('/v1/streams', 'X-Any: a\0b\r\n')],
    ['two lengths', `${post('Content-Length: 2\r\nContent-Length: 3\r\n')}{}`],
    ['a length that is none', `${post('Content-Length: two\r\n')}{}`],
    ['a chunk whose size is none', `${post('Transfer-Encoding: chunked\r\n')}zz\r\n{}\r\n0\r\n\r\n`],
    ['a chunk of more than there are numbers for', `${post('Transfer-Encoding: chunked\r\n')}ffffffffffffffff1\r\n{}`],
    ['a body that is not what its encoding says', `${post('Content-Encoding: gzip\r\nContent-Length: 2\r\n')}{}`],
    ['nothing HTTP knows', 'hello\r\n\r\n'],
  ])('%s is refused', async (_, request) => {
    const answer = await exchange(request)
    expect(statusOf(answer), answer.slice(0, 300)).toBeGreaterThanOrEqual(400)
    expect(statusOf(answer), answer.slice(0, 300)).toBeLessThan(500)
    expect((await call('GET', '/v1/health')).status).toBe(200)
  })

  test('API Limits: a body that comes byte by byte, in chunks, is read', async () => {
    const body = JSON.stringify({ name: randomName('slow') })
    const chunks = [...body].map((letter) => `1\r\n${letter}\r\n`)
    const answer = await exchange(post('Transfer-Encoding: chunked\r\n'), ...chunks, '0\r\n\r\n')
    expect([201, 401]).toContain(statusOf(answer))
  })

  /** Sends an append that is said to have so many bytes, and goes away when these have left. */
  function sendAndGo(path: string, length: number, bytes: string, go: 'close' | 'reset'): Promise<void> {
    return new Promise((resolve) => {
      const socket = connect({ host: hostname, port: Number(port === '' ? 80 : port) })
      socket.on('close', () => resolve())
      socket.on('error', () => {})
      const credentials = token === '' ? `Rheo-Tenant: ${tenant}` : `Authorization: Bearer ${token}`
      const head = post(`Content-Length: ${length}\r\n${credentials}\r\n`, `${path}/events`)
      socket.write(head + bytes, () => (go === 'reset' ? socket.resetAndDestroy() : socket.destroy()))
    })
  }

  test('a body that is cut off writes nothing', async () => {
    const stream = await createStream()
    const body = '{"payload":{"cut":true}}'
    await sendAndGo(stream.path, body.length + 1, body, 'close')
    expect(await stream.highWatermark()).toBe(0)
  })

  test.each(['close', 'reset'] as const)(
    'large bodies of clients that go away, cut off or whole, take no room from others: %s',
    async (go) => {
      const stream = await createStream()
      const large = `{"payload":{}}${' '.repeat(12_000_000)}`
      await Promise.all(Array.from({ length: 4 }, () => sendAndGo(stream.path, 16_000_000, large.slice(0, 100), go)))
      for (let n = 0; n < 4; n++) await sendAndGo(stream.path, large.length, large, go)
      const append = () => call('POST', `${stream.path}/events`, { raw: large })
      await vi.waitFor(async () => expect((await append()).status).toBe(201), { timeout: 10_000, interval: 200 })
    },
  )
})
