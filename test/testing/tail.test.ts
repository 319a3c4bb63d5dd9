import { afterEach, expect, test } from 'vitest'
import { type StreamEvent, tail } from '../../src/client/index.ts'
import { type Local, type LocalOptions, startLocal } from '../../src/testing/index.ts'

const running: Local[] = []
afterEach(() => Promise.all(running.splice(0).map((local) => local.stop())))

async function start(options?: LocalOptions): Promise<Local> {
  const local = await startLocal(options)
  running.push(local)
  return local
}

/** The next so many events of a tail. */
async function take(events: AsyncIterator<StreamEvent, void>, count: number): Promise<number[]> {
  const taken: number[] = []
  while (taken.length < count) taken.push((await events.next()).value!.sequence)
  return taken
}

test('a tail in this process gives what is appended, with no server and no socket', async () => {
  const rheo = (await start()).rheo()
  await rheo.streams.create('orders', { partitionCount: 3 })
  const events = tail(rheo, 'orders', { after: 0 })
  for (let n = 0; n < 5; n++) await rheo.append('orders', { partition: 2, payload: { n } })
  expect(await take(events, 5)).toEqual([1, 2, 3, 4, 5])
  const next = events.next()
  await rheo.append('orders', { partition: 2, payload: {} })
  expect((await next).value).toMatchObject({ sequence: 6 })
  const over = events.next()
  await rheo.streams.delete('orders', { confirm: true })
  expect(await over).toEqual({ done: true, value: undefined })
})

test('a tail goes on when the clock is set, and does not turn it back', async () => {
  const local = await start()
  const rheo = local.rheo()
  await rheo.streams.create('orders')
  await rheo.groups.create('orders', 'billing', { leaseMs: 30_000 })
  const events = tail(rheo, 'orders', { after: 0 })
  await rheo.append('orders', {})
  expect(await take(events, 1)).toEqual([1])
  local.clock.set('2020-03-15T12:00:00.000Z')
  await rheo.fetch('orders', 'billing')
  await rheo.append('orders', {})
  expect(await take(events, 1)).toEqual([2])
  // On the clock of the machine the lease would have expired years ago.
  expect(await rheo.groups.get('orders', 'billing')).toMatchObject({ inFlight: 1, available: 0 })
  local.clock.advance(30_000)
  await rheo.append('orders', {})
  expect(await take(events, 1)).toEqual([3])
  expect((await rheo.fetch('orders', 'billing', { limit: 1 })).leases).toMatchObject([{ sequence: 1, attempt: 2 }])
})

test('stop ends tails that are being read, and those that nobody reads', async () => {
  const local = await start()
  const rheo = local.rheo()
  await rheo.streams.create('orders')
  const read = await local.fetch('/v1/streams/orders/tail')
  await local.fetch('/v1/streams/orders/tail')
  const text = read.text()
  await local.stop()
  expect(await text).toMatch(/^retry: \d+\nid: \w+\.0\n\n$/)
})
