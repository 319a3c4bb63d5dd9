import { exports } from 'cloudflare:workers'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { afterEach, expect, it, vi } from 'vitest'
import { Rheo } from '../../src/client/index.ts'
import { addressOf, append, catalog, createGroup, createStream, fetchLeases, settle } from './objects.ts'

const names = [
  'append',
  'fetch',
  'ack',
  'retry',
  'renew',
  'release',
  'redelivery',
  'replay',
  'reset',
  'frontier',
  'call',
]
const listeners: [channel: string, listener: (message: unknown) => void][] = []

function listen(event: string, listener: (message: unknown) => void): void {
  listeners.push([`rheo.${event}`, listener])
  subscribe(`rheo.${event}`, listener)
}

afterEach(() => {
  for (const [channel, listener] of listeners.splice(0)) unsubscribe(channel, listener)
  vi.restoreAllMocks()
})

it('a subscriber sees what happens to a stream and its group, and nothing of what events hold', async () => {
  const server = (exports as unknown as { default: Fetcher }).default
  const rheo = new Rheo({ fetch: server.fetch.bind(server), tenant: 'watched' })
  const told: Record<string, unknown>[] = []
  for (const name of names) listen(name, (message) => told.push(message as Record<string, unknown>))
  const secret = 'only-for-the-consumer'
  const group = { stream: 'orders', group: 'billing' }
  await rheo.streams.create('orders')
  await rheo.groups.create('orders', 'billing')
  await rheo.appendMany('orders', [{ payload: { secret } }, { key: secret, metadata: { secret } }])
  const first = await rheo.fetch('orders', 'billing')
  await rheo.renew(first.leases[0]!)
  await rheo.nack(first.leases[0]!, { reason: secret })
  await rheo.release(first.leases[1]!)
  const second = await rheo.fetch('orders', 'billing')
  await rheo.ackMany(group, second.leases)
  await rheo.groups.replay('orders', 'billing', { fromSequence: 0 })
  await rheo.groups.reset('orders', 'billing', { confirm: true, start: 'latest' })

  const counts = told.filter(({ event }) => event !== 'call').map(({ event, count }) => [event, count ?? null])
  expect(counts).toEqual([
    ['append', 2],
    ['fetch', 2],
    ['renew', 1],
    ['retry', 1],
    ['release', 1],
    ['redelivery', 1],
    ['fetch', 2],
    ['frontier', null],
    ['ack', 2],
    ['frontier', null],
    ['replay', 2],
    ['frontier', null],
    ['reset', null],
  ])
  const moves = told.filter(({ event }) => event === 'frontier').map(({ from, to }) => [from, to])
  expect(moves).toEqual([
    [0, 2],
    [2, 0],
    [0, 2],
  ])
  expect(JSON.stringify(told)).not.toContain(secret)
})

it('a subscriber that throws fails no call', async () => {
  const complaints = vi.spyOn(console, 'error').mockImplementation(() => {})
  for (const name of ['frontier', 'append']) {
    listen(name, () => {
      throw new Error('a broken subscriber')
    })
  }
  const stream = await createStream()
  const group = await createGroup(stream, 'billing')
  const address = addressOf(stream)
  await append(address, 1)
  const leases = await fetchLeases(address, group, 1)
  expect(await settle(address, group, leases, 'ack')).toEqual([true])
  expect(complaints).toHaveBeenCalledOnce()
  expect((await catalog({ type: 'stream', stream: stream.name })).uid).toBe(stream.uid)
})
