import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { expect, it, vi } from 'vitest'
import { partitionStub } from '../../durable-objects/stubs.ts'
import {
  addressOf,
  append,
  armedMs,
  bindings,
  createGroup,
  createStream,
  fetchLeases,
  objectOf,
  run,
  settle,
  timedRows,
} from './objects.ts'

async function leasedPartition(leaseMs: number, maxAttempts = 5) {
  const stream = await createStream()
  const group = await createGroup(stream, 'g', { maxAttempts })
  const address = addressOf(stream)
  await append(address, 4)
  const leases = await fetchLeases(address, group, 4, leaseMs)
  return { address, group, leases, stub: objectOf(address), armedMs: () => armedMs(address) }
}

it('S4.3 a lease arms the alarm at its expiry', async () => {
  const { armedMs } = await leasedPartition(60_000)
  const due = (await armedMs())!
  expect(Math.abs(due - (Date.now() + 60_000))).toBeLessThan(2_000)
})

it('S4.3 the alarm alone reopens an expired lease; the read after it writes no row', async () => {
  const { address, group, stub } = await leasedPartition(150)
  await vi.waitUntil(async () => (await timedRows(stub)) === 0, { timeout: 5_000, interval: 20 })
  const { answer, cost } = await partitionStub(bindings, address).run(address, { type: 'groupInfo', group }, null)
  expect(answer).toMatchObject({ status: 'done', value: { inFlight: 0, available: 4 } })
  expect(cost.rowsWritten).toBe(0)
})

it('S4.4 the alarm alone dead-letters a lease that has used up its attempts, and the frontier moves', async () => {
  const { address, group, stub } = await leasedPartition(150, 1)
  await vi.waitUntil(async () => (await timedRows(stub)) === 0, { timeout: 5_000, interval: 20 })
  const { answer, cost } = await partitionStub(bindings, address).run(address, { type: 'lag', group }, null)
  expect(answer).toMatchObject({ value: { frontier: 4, highWatermark: 4, lag: 0 } })
  expect(cost.rowsWritten).toBe(0)
})

it('S4.3 an expiry with no traffic wakes a waiting fetch', async () => {
  const { address, group, stub } = await leasedPartition(200)
  const response = await stub.fetch('https://partition/wait', {
    method: 'POST',
    body: JSON.stringify({ address, group, waitMs: 10_000, testNowMs: null }),
  })
  expect(await response.text()).toBe('work')
})

it('S4.3 an alarm that fires early changes nothing and is armed again', async () => {
  const { address, group, stub, armedMs, leases } = await leasedPartition(60_000)
  const due = await armedMs()
  expect(await runDurableObjectAlarm(stub)).toBe(true)
  expect(await armedMs()).toBe(due)
  expect(await run(address, { type: 'groupInfo', group })).toMatchObject({ inFlight: 4 })
  expect(await settle(address, group, leases, 'ack')).toEqual([true, true, true, true])
})

it('S4.3 an alarm that finds nothing left to wait for is gone', async () => {
  const { address, group, stub, armedMs, leases } = await leasedPartition(60_000)
  await settle(address, group, leases, 'ack')
  expect(await runDurableObjectAlarm(stub)).toBe(true)
  expect(await armedMs()).toBe(null)
})

it('S8.15 an alarm that was lost is armed again from stored state on start', async () => {
  const { address, group, stub, armedMs } = await leasedPartition(60_000)
  const due = await armedMs()
  await runInDurableObject(stub, (_, state) => state.storage.deleteAlarm())
  await evictDurableObject(stub)
  await run(address, { type: 'lag', group })
  expect(await armedMs()).toBe(due)
})

it('S8.15 an alarm in which expiry throws is set again, and expiry happens in the end', async () => {
  const { address, group, stub, armedMs } = await leasedPartition(50)
  await runInDurableObject(stub, async (_, state) => {
    state.storage.sql.exec('alter table ready rename to hidden')
  })
  await vi.waitUntil(async () => ((await armedMs()) ?? 0) > Date.now() + 1_000, { timeout: 5_000, interval: 20 })
  await runInDurableObject(stub, async (_, state) => {
    state.storage.sql.exec('alter table hidden rename to ready')
  })
  expect(await runDurableObjectAlarm(stub)).toBe(true)
  expect(await run(address, { type: 'groupInfo', group })).toMatchObject({ inFlight: 0, available: 4 })
})

it('S9.2 in test time no alarm is armed, and leaving it arms the alarm from stored state', async () => {
  const stream = await createStream()
  const group = await createGroup(stream, 'g')
  const address = addressOf(stream)
  await append(address, 1)
  const nowMs = Date.now()
  await run(
    address,
    {
      type: 'fetch',
      fetch: { group, limit: 1, leaseMs: 60_000, consumerId: null, token: 'A'.repeat(22), maxBytes: 1_000 },
    },
    nowMs,
  )
  expect(await armedMs(address)).toBe(null)
  await evictDurableObject(objectOf(address))
  expect(await armedMs(address)).toBe(null)
  await run(address, { type: 'lag', group })
  expect(await armedMs(address)).toBe(nowMs + 60_000)
})
