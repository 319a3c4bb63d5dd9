import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { startLocal } from '../../scripts/local.ts'
import { secretsIn } from '../http/secrets-in.ts'
import { floodAcross } from './across.ts'
import { type FloodOptions, type FloodReport, flood } from './flood.ts'
import { floodNonsense } from './nonsense.ts'

/* The short form of `npm run flood`. FLOOD_REQUESTS sets how many requests of each kind; a failure names its seed. */

const options: FloodOptions = {
  requests: Number(process.env.FLOOD_REQUESTS ?? 2_000),
  seed: Number(process.env.FLOOD_SEED ?? Math.floor(Math.random() * 2 ** 31)),
  lanes: 8,
}
const vars = { RHEO_TEST_CLOCK: '1' }
const where = `FLOOD_SEED=${options.seed}`

/** All that a run must have come to, or it has proved little. */
function expectAnswered({ answered, sent }: FloodReport, kinds: readonly string[]): void {
  expect(sent, where).toBe(options.requests)
  expect([...answered.keys()], where).toEqual(expect.arrayContaining([...kinds]))
}

it('S7 requests, valid and hostile, get no 5xx and no silence over HTTP, and write nothing where they are refused', async () => {
  const server = await startLocal({ directSockets: true, vars, onLog: () => {} })
  try {
    const report = await floodNonsense(server.url, options)
    expect(report.faults, where).toEqual([])
    expectAnswered(report, ['200', '201', '204', 'invalid_request', 'invalid_name', 'stale_lease', 'event_not_found'])
  } finally {
    await server.stop()
  }
})

it('S1 whoever knows all answers a tenant ever got, but not its token, reads, settles and writes nothing of it', async () => {
  const secret = randomBytes(32).toString('base64url')
  const logged: string[] = []
  const token = { ...vars, RHEO_AUTH: 'token', RHEO_JWT_SECRET: secret }
  const server = await startLocal({ directSockets: true, vars: token, onLog: (_, message) => logged.push(message) })
  try {
    const report = await floodAcross(server.url, secret, options)
    expect(report.faults, where).toEqual([])
    expectAnswered(report, [
      ...['neighbor stale_lease', 'neighbor event_not_found', 'neighbor cursor_not_found', 'neighbor 200'],
      ...['forger unauthenticated', 'namer forbidden', 'guest forbidden'],
    ])
    expect(secretsIn(logged.join('\n'), secret), 'the log of the server').toEqual([])
  } finally {
    await server.stop()
  }
})

it('a flood tells the faults that its judge finds, and a server that does not answer', async () => {
  const { constant } = await import('fast-check')
  const judged = await flood({ requests: 3, seed: 1, lanes: 1 }, constant(0), async () => {
    return { answered: '500', fault: 'a fault' }
  })
  expect(judged).toMatchObject({ sent: 3, faults: ['a fault', 'a fault', 'a fault'] })
  const silent = await floodNonsense('http://127.0.0.1:9', { ...options, requests: 1 }).catch(String)
  expect(silent).toMatch(/ECONNREFUSED/)
})
