import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { GroupNotFoundError, PartitionFullError, StaleLeaseError, StreamNotFoundError } from '../../src/client/index.ts'
import { type Local, type LocalOptions, startLocal } from '../../src/testing/index.ts'

const running: Local[] = []
const folders: string[] = []

async function start(options: LocalOptions = {}): Promise<Local> {
  const local = await startLocal(options)
  running.push(local)
  return local
}

function newFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'rheo-testing-'))
  folders.push(folder)
  return folder
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((local) => local.stop()))
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

const noon = '2026-03-15T12:00:00.000Z'
const pauseMs = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

test('a stream of three partitions is appended to, fetched and acked', async () => {
  const rheo = (await start()).rheo()
  await rheo.streams.create('orders', { partitionCount: 3 })
  await rheo.groups.create('orders', 'billing')
  await rheo.appendMany(
    'orders',
    Array.from({ length: 30 }, (_, n) => ({ key: n, payload: { n } })),
  )
  const { leases } = await rheo.fetch('orders', 'billing', { limit: 100 })
  expect(leases).toHaveLength(30)
  await rheo.ackMany({ stream: 'orders', group: 'billing' }, leases)
  expect((await rheo.groups.lag('orders', 'billing')).lag).toBe(0)
})

test('a partition takes no event that would make it larger than its bound', async () => {
  const rheo = (await start({ vars: { RHEO_PARTITION_MAX_BYTES: '300000' } })).rheo()
  await rheo.streams.create('orders')
  const append = (length: number) => rheo.append('orders', { payload: { text: 'x'.repeat(length) } })
  await append(100_000)
  await expect(append(300_000)).rejects.toBeInstanceOf(PartitionFullError)
  await append(100)
})

test('failures are the error classes of the client', async () => {
  const rheo = (await start()).rheo()
  await expect(rheo.append('none', {})).rejects.toBeInstanceOf(StreamNotFoundError)
  await rheo.streams.create('orders')
  await expect(rheo.fetch('orders', 'none')).rejects.toBeInstanceOf(GroupNotFoundError)
})

test('a lease ends when the clock is moved past it, and the old one is stale', async () => {
  const local = await start({ now: noon })
  const rheo = local.rheo()
  await rheo.streams.create('orders')
  await rheo.groups.create('orders', 'billing', { leaseMs: 30_000 })
  const event = await rheo.append('orders', {})
  expect(event.timestamp).toBe(noon)
  const first = await rheo.fetch('orders', 'billing')
  local.clock.advance(29_999)
  expect((await rheo.fetch('orders', 'billing')).reason).toBe('all_leased')
  local.clock.advance(1)
  const second = await rheo.fetch('orders', 'billing')
  expect(second.leases[0]).toMatchObject({ attempt: 2, leasedAt: '2026-03-15T12:00:30.000Z' })
  await expect(rheo.ack(first.leases[0]!)).rejects.toBeInstanceOf(StaleLeaseError)
})

test('a fetch that waits sees the work that comes with time', async () => {
  const local = await start({ now: noon })
  const rheo = local.rheo()
  await rheo.streams.create('orders')
  await rheo.groups.create('orders', 'billing')
  await rheo.append('orders', {})
  const { leases } = await rheo.fetch('orders', 'billing')
  await rheo.nack(leases[0]!, { delayMs: 60_000 })
  const waiting = rheo.fetch('orders', 'billing', { waitMs: 10_000 })
  await pauseMs(20)
  local.clock.advance(30_000)
  await pauseMs(20)
  local.clock.advance(30_000)
  expect((await waiting).leases[0]?.attempt).toBe(2)
})

test('a fetch that waits ends at its deadline, whether or not the clock is moved', async () => {
  const local = await start({ now: noon })
  const rheo = local.rheo()
  await rheo.streams.create('orders')
  await rheo.groups.create('orders', 'billing')
  const startMs = performance.now()
  const waiting = rheo.fetch('orders', 'billing', { waitMs: 200 })
  await pauseMs(100)
  local.clock.set('2026-03-16T00:00:00.000Z')
  expect(await waiting).toEqual({ leases: [], reason: 'caught_up' })
  expect(performance.now() - startMs).toBeGreaterThan(190)
})

test('the clock is the machine’s until it is set', async () => {
  const local = await start()
  expect(Math.abs(local.clock.now().getTime() - Date.now())).toBeLessThan(1_000)
  const rheo = local.rheo()
  await rheo.streams.create('orders')
  const before = await rheo.append('orders', {})
  local.clock.advance(86_400_000)
  const after = await rheo.append('orders', {})
  const hours = (Date.parse(after.timestamp) - Date.parse(before.timestamp)) / 3_600_000
  expect(hours).toBeCloseTo(24, 1)
  expect(() => local.clock.set('noon')).toThrow('noon is no time')
})

test('without a set clock leases expire by themselves', async () => {
  const rheo = (await start()).rheo()
  await rheo.streams.create('orders')
  await rheo.groups.create('orders', 'billing', { leaseMs: 50 })
  await rheo.append('orders', {})
  await rheo.fetch('orders', 'billing')
  const { leases } = await rheo.fetch('orders', 'billing', { waitMs: 5_000 })
  expect(leases[0]?.attempt).toBe(2)
})

test('what is kept in a folder is there for the next start', async () => {
  const persistTo = newFolder()
  const first = await start({ persistTo })
  const rheo = first.rheo({ tenant: 'acme' })
  await rheo.streams.create('orders', { partitionCount: 2 })
  await rheo.groups.create('orders', 'billing')
  await rheo.appendMany('orders', [{ payload: { n: 1 } }, { payload: { n: 2 } }, { partition: 1 }])
  const { leases } = await rheo.fetch('orders', 'billing', { limit: 1, partitions: [0] })
  await rheo.ack(leases[0]!)
  expect((await rheo.capabilities()).guarantees.durable).toBe(true)
  await first.stop()
  const again = (await start({ persistTo })).rheo({ tenant: 'acme' })
  expect((await again.groups.lag('orders', 'billing')).partitions).toMatchObject({ 0: { lag: 1 }, 1: { lag: 1 } })
  expect((await again.fetch('orders', 'billing')).leases.map(({ event }) => event.payload)).toContainEqual({ n: 2 })
})

test('an alarm that was stored fires after the next start, with nobody calling', async () => {
  const persistTo = newFolder()
  const first = await start({ persistTo })
  const rheo = first.rheo()
  await rheo.streams.create('orders')
  await rheo.groups.create('orders', 'billing', { leaseMs: 100, maxAttempts: 1 })
  await rheo.append('orders', {})
  await rheo.fetch('orders', 'billing')
  await first.stop()
  const second = await start({ persistTo })
  await pauseMs(300)
  // A read that finds an expiry not yet applied would have to write it.
  const answer = await second.fetch('/v1/streams/orders/groups/billing/dead-letters')
  expect(answer.headers.get('rheo-cost')).toContain('rows-written=0,')
  expect(await answer.json()).toMatchObject({ deadLetters: [{ cause: 'lease_expired' }] })
})

test('stop cuts waiting fetches short, and nothing is answered after it', async () => {
  const local = await start()
  const rheo = local.rheo({ retry: false })
  await rheo.streams.create('orders')
  await rheo.groups.create('orders', 'billing')
  const waiting = rheo.fetch('orders', 'billing', { waitMs: 20_000 })
  const cut = expect(waiting).rejects.toThrow('the local service is stopped')
  await pauseMs(20)
  await Promise.all([local.stop(), local.stop()])
  await cut
  await expect(rheo.streams.list()).rejects.toThrow('the local service is stopped')
})

test('a caller that goes is let go, and its lease is not kept', async () => {
  const rheo = (await start()).rheo()
  await rheo.streams.create('orders')
  await rheo.groups.create('orders', 'billing')
  const leaving = new AbortController()
  const waiting = rheo.fetch('orders', 'billing', { waitMs: 20_000, signal: leaving.signal })
  const gone = expect(waiting).rejects.toThrow('gone')
  await pauseMs(20)
  leaving.abort(new Error('gone'))
  await gone
  await rheo.append('orders', {})
  expect((await rheo.fetch('orders', 'billing')).leases[0]?.attempt).toBe(1)
})

test('services in one process share nothing', async () => {
  const [one, two] = [await start(), await start()]
  await one.rheo().streams.create('orders')
  expect((await two.rheo().streams.list()).streams).toEqual([])
  expect(one.url).not.toBe(two.url)
})

test('variables are those of a deployment', async () => {
  const local = await start({ vars: { RHEO_AUTH: 'token', RHEO_JWT_SECRET: 'x'.repeat(32) } })
  expect((await local.fetch('/v1/streams')).status).toBe(401)
  expect((await local.fetch('/v1/health')).status).toBe(200)
})

test('a Node without SQLite is told what it lacks', async () => {
  vi.doMock('node:sqlite', () => {
    throw new Error('No such built-in module')
  })
  vi.resetModules()
  const { startLocal: startWithout } = await import('../../src/testing/index.ts')
  await expect(startWithout()).rejects.toThrow(
    /needs node:sqlite, which comes with Node 22\.13 and later; this is Node/,
  )
  vi.doUnmock('node:sqlite')
})

test('a stream can be deleted whatever was asked of it before', async () => {
  const local = await startLocal()
  const rheo = local.rheo()
  await rheo.streams.create('orders')
  await rheo.groups.create('orders', 'billing')
  await rheo.appendMany('orders', [{ type: 'a' }, { type: 'b' }, { type: 'b' }])
  const { leases } = await rheo.fetch('orders', 'billing', { limit: 3 })
  await rheo.reject(leases[0]!)
  // Each of them reads less than there is.
  await rheo.read('orders', { partition: 0, limit: 1 })
  await rheo.query('orders', { limit: 1 })
  await rheo.groups.get('orders', 'billing')
  await rheo.groups.holes('orders', 'billing')
  await rheo.groups.leases('orders', 'billing', { limit: 1 })
  await rheo.deadLetters.list('orders', 'billing', { limit: 1 })
  await rheo.groups.replay('orders', 'billing', { query: { where: { type: 'b' }, limit: 1 }, dryRun: true })
  await rheo.streams.delete('orders', { confirm: true })
  expect((await rheo.streams.list()).streams).toEqual([])
  await local.stop()
})
