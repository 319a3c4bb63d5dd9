import { expect, it } from 'vitest'
import type { StreamPartition } from '../../durable-objects/stream-partition.ts'
import { partitionStub } from '../../durable-objects/stubs.ts'
import { Waiters } from '../../durable-objects/waiters.ts'
import { limits } from '../../src/core/limits.ts'
import type { Address } from '../../src/core/partition/commands.ts'
import { addressOf, append, bindings, catalog, createGroup, createStream, fetchLeases, run, settle } from './objects.ts'

const wait = async (address: Address, group: string, waitMs = 20_000, signal?: AbortSignal): Promise<string> => {
  const stub = partitionStub(bindings, address) as unknown as DurableObjectStub<StreamPartition>
  const response = await stub.fetch('https://partition/wait', {
    method: 'POST',
    body: JSON.stringify({ address, group, waitMs, testNowMs: null }),
    ...(signal === undefined ? {} : { signal }),
  })
  return response.text()
}

async function waiting(options = {}) {
  const stream = await createStream()
  const group = await createGroup(stream, 'g', options)
  return { stream, address: addressOf(stream), group }
}

it('S3.6 a waiter is told at once when there is work already', async () => {
  const { address, group } = await waiting()
  await append(address, 1)
  expect(await wait(address, group)).toBe('work')
})

it('S3.6 an append wakes a waiter; waiting has leased nothing', async () => {
  const { address, group } = await waiting()
  const woken = wait(address, group)
  await append(address, 1)
  expect(await woken).toBe('work')
  expect(await run(address, { type: 'groupInfo', group })).toMatchObject({ inFlight: 0 })
})

it.each(['nack', 'release'] as const)('S3.6 a %s wakes a waiter', async (outcome) => {
  const { address, group } = await waiting()
  await append(address, 1)
  const leases = await fetchLeases(address, group, 1)
  const woken = wait(address, group)
  await settle(address, group, leases, outcome)
  expect(await woken).toBe('work')
})

it('S3.6 an ack that frees maxInFlight wakes a waiter', async () => {
  const { address, group } = await waiting({ maxInFlight: 1 })
  await append(address, 2)
  const leases = await fetchLeases(address, group, 1)
  const woken = wait(address, group)
  await settle(address, group, leases, 'ack')
  expect(await woken).toBe('work')
})

it('S3.6 the end of a pause wakes a waiter', async () => {
  const { stream, address, group } = await waiting({ paused: true })
  await append(address, 1)
  const woken = wait(address, group)
  await catalog({ type: 'patchGroup', stream: stream.name, group: 'g', patch: { paused: false } })
  expect(await woken).toBe('work')
})

it.each(['deleteGroup', 'deleteStream'] as const)(
  'S3.7 a %s wakes a waiter, whose fetch then learns of it',
  async (type) => {
    const { stream, address, group } = await waiting()
    const woken = wait(address, group)
    await catalog(type === 'deleteGroup' ? { type, stream: stream.name, group: 'g' } : { type, stream: stream.name })
    expect(await woken).toBe('work')
  },
)

it('S3.6 a waiter that nothing wakes is told that its time is over', async () => {
  const { address, group } = await waiting()
  expect(await wait(address, group, 20)).toBe('timeout')
})

it('a group that is not here is no reason to wait', async () => {
  const { address } = await waiting()
  expect(await wait(address, 'no-such-uid')).toBe('work')
})

it('beyond its bound of waiters a partition says that it is full, and a waiter that goes makes room', async () => {
  const waiters = new Waiters()
  const leave = new AbortController()
  const stay = new AbortController().signal
  const first = waiters.wait('g', 20_000, leave.signal)
  const others = Array.from({ length: limits.waitersPerPartition - 1 }, () => waiters.wait('g', 20_000, stay))
  expect(await waiters.wait('g', 20_000, stay)).toBe('full')
  leave.abort()
  expect(await first).toBe('timeout')
  const late = waiters.wait('g', 20_000, stay)
  waiters.wake('g')
  expect(new Set(await Promise.all([...others, late]))).toEqual(new Set(['work']))
})

it('a waiting fetch whose caller goes leaves the partition', async () => {
  const { address, group } = await waiting()
  const leave = new AbortController()
  const gone = wait(address, group, 20_000, leave.signal).catch(() => 'gone')
  leave.abort()
  expect(await gone).toBe('gone')
  await append(address, 1)
  expect(await wait(address, group)).toBe('work')
})

it('a waiter whose caller has gone before it came takes no place', async () => {
  const waiters = new Waiters()
  expect(await waiters.wait('g', 20_000, AbortSignal.abort())).toBe('timeout')
  expect(waiters.groups).toEqual([])
})
