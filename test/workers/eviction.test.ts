import { evictDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import type { StreamPartition } from '../../durable-objects/stream-partition.ts'
import { partitionStub } from '../../durable-objects/stubs.ts'
import type { Address } from '../../src/core/partition/commands.ts'
import { addressOf, append, bindings, createGroup, createStream, fetchLeases, run, settle } from './objects.ts'

const evict = (address: Address) =>
  evictDurableObject(partitionStub(bindings, address) as unknown as DurableObjectStub<StreamPartition>)

describe('nothing in memory that is not rebuilt from storage', () => {
  it('S8.8 of 10 000 events with every second one acked, not one acked event returns after eviction', async () => {
    const stream = await createStream()
    const group = await createGroup(stream, 'g')
    const address = addressOf(stream)
    for (let batch = 0; batch < 10; batch++) await append(address, 1_000)
    const leases = (
      await Promise.all(Array.from({ length: 10 }, () => fetchLeases(address, group, 1_000, 3_600_000)))
    ).flat()
    const acked = leases.filter(({ sequence }) => sequence % 2 === 0)
    const open = leases.filter(({ sequence }) => sequence % 2 === 1)
    for (let at = 0; at < acked.length; at += 1_000) await settle(address, group, acked.slice(at, at + 1_000), 'ack')
    await evict(address)
    for (let at = 0; at < open.length; at += 1_000) await settle(address, group, open.slice(at, at + 1_000), 'nack')
    await evict(address)
    const again = (await Promise.all(Array.from({ length: 10 }, () => fetchLeases(address, group, 1_000)))).flat()
    expect(again).toHaveLength(5_000)
    expect(again.every(({ sequence, attempt }) => sequence % 2 === 1 && attempt === 2)).toBe(true)
    expect(await fetchLeases(address, group, 1)).toEqual([])
  })

  it('a lease taken before an eviction settles after it', async () => {
    const stream = await createStream()
    const group = await createGroup(stream, 'g')
    const address = addressOf(stream)
    await append(address, 3)
    const leases = await fetchLeases(address, group, 3)
    await evict(address)
    expect(await settle(address, group, leases, 'ack')).toEqual([true, true, true])
    expect(await run(address, { type: 'lag', group })).toEqual({ frontier: 3, highWatermark: 3, lag: 0 })
  })

  it('S2.7 an idempotency key is remembered over an eviction', async () => {
    const stream = await createStream()
    const address = addressOf(stream)
    const request = {
      lines: '{"type":null,"key":null,"payload":{},"metadata":{}}',
      count: 1,
      ids: [],
      times: [],
      terms: new Uint32Array(),
      atMs: Date.now(),
      idempotency: { key: 'k', fingerprint: 'f' },
      expectedSequence: null,
    }
    await run(address, { type: 'append', append: request })
    await evict(address)
    const repeat = await run(address, { type: 'append', append: request })
    expect(repeat.duplicates).toHaveLength(1)
    const other = { ...request, idempotency: { key: 'k', fingerprint: 'g' } }
    const { answer } = await partitionStub(bindings, address).run(address, { type: 'append', append: other }, null)
    expect(answer).toMatchObject({ status: 'refused', failure: { code: 'id_conflict' } })
  })
})
