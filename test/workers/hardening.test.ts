import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it, vi } from 'vitest'
import { Alarm } from '../../durable-objects/alarm.ts'
import { partitionStub } from '../../durable-objects/stubs.ts'
import type { Address } from '../../src/core/partition/commands.ts'
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

/** Runs SQL in the storage of a partition. */
const spoil = (address: Address, statement: string) =>
  runInDurableObject(objectOf(address), (_, state) => {
    state.storage.sql.exec(statement)
  })

const ask = (address: Address, command: Parameters<typeof run>[1]) =>
  partitionStub(bindings, address).run(address, command, null)

describe('S4.3 the one alarm', () => {
  it('ends 1 000 leases of 20 groups, each with an expiry of its own, with nobody calling', {
    timeout: 60_000,
  }, async () => {
    const address = addressOf(await createStream())
    const stream = { name: address.stream, uid: address.uid, partitionCount: 1, createdAtMs: 0 }
    await append(address, 50)
    const groups = await Promise.all(
      Array.from({ length: 20 }, (_, number) => createGroup(stream, `g${number}`, { maxAttempts: 1 })),
    )
    const fetches = groups.flatMap((group, number) =>
      Array.from({ length: 50 }, (_, index) =>
        fetchLeases(address, group, 1, 1_500 + (((number * 50 + index) * 617) % 1_009)),
      ),
    )
    await Promise.all(fetches)
    await vi.waitUntil(async () => (await timedRows(objectOf(address))) === 0, { timeout: 20_000, interval: 50 })
    for (const group of groups) {
      const { answer, cost } = await ask(address, { type: 'groupInfo', group })
      expect(answer).toMatchObject({ value: { inFlight: 0, deadLetters: 50, lag: { lag: 0 } } })
      expect(cost.rowsWritten).toBe(0)
    }
  })

  it('changes nothing when it fires twice', async () => {
    const stream = await createStream()
    const address = addressOf(stream)
    const group = await createGroup(stream, 'g')
    await append(address, 4)
    await fetchLeases(address, group, 4, 50)
    await vi.waitUntil(async () => (await timedRows(objectOf(address))) === 0, { timeout: 5_000, interval: 20 })
    const before = await run(address, { type: 'holes', group, maxRanges: 10 })
    await runInDurableObject(objectOf(address), (instance) => instance.alarm())
    await runInDurableObject(objectOf(address), (instance) => instance.alarm())
    expect(await run(address, { type: 'holes', group, maxRanges: 10 })).toEqual(before)
    expect(await armedMs(address)).toBe(null)
  })

  it('ends what is due in every sound group, also when the rows of another are damaged', async () => {
    const stream = await createStream()
    const address = addressOf(stream)
    await append(address, 4)
    const [bad, good] = [await createGroup(stream, 'bad'), await createGroup(stream, 'good')]
    await fetchLeases(address, bad, 4, 300)
    await fetchLeases(address, good, 4, 300)
    await spoil(address, "update timed set state = 'lost' where groupId = 1")
    await evictDurableObject(objectOf(address))
    await vi.waitUntil(async () => (await timedRows(objectOf(address), good)) === 0, { timeout: 5_000, interval: 20 })
    const { answer, cost } = await ask(address, { type: 'groupInfo', group: good })
    expect(answer).toMatchObject({ value: { inFlight: 0, available: 4 } })
    expect(cost.rowsWritten).toBe(0)
    expect((await ask(address, { type: 'lag', group: bad })).answer).toMatchObject({
      status: 'refused',
      failure: { code: 'failed', detail: expect.stringContaining('bad is in quarantine: its lost run from 1 to 4') },
    })
    await append(address, 1)
    expect(await fetchLeases(address, good, 10)).toHaveLength(5)
  })

  it('is set again when it was lost: one that is a minute overdue will not come', () => {
    const set: number[] = []
    const alarm = new Alarm({ setAlarm: async (ms: number) => void set.push(ms) } as unknown as DurableObjectStorage)
    alarm.arm(1_000, 0)
    alarm.arm(2_000, 500)
    alarm.arm(2_000, 60_999)
    expect(set).toEqual([1_000])
    alarm.arm(2_000, 61_000)
    expect(set).toEqual([1_000, 2_000])
  })
})

describe('S9.2 test time', () => {
  const fetchAt = async (address: Address, group: string, nowMs: number | null, token: string) => {
    const fetch = { group, limit: 1, leaseMs: 60_000, consumerId: null, token: token.repeat(22), maxBytes: 1_000 }
    const { leases } = await run(address, { type: 'fetch', fetch }, nowMs)
    return Date.parse(JSON.parse(leases).leasedAt)
  }

  it('leaves no time behind that the machine’s clock would have to wait for, also over an eviction', async () => {
    const stream = await createStream()
    const address = addressOf(stream)
    const group = await createGroup(stream, 'g')
    await append(address, 4)
    const farMs = Date.UTC(2050, 0, 1)
    expect(await fetchAt(address, group, farMs, 'A')).toBe(farMs)
    expect(Math.abs((await fetchAt(address, group, null, 'B')) - Date.now())).toBeLessThan(5_000)
    await evictDurableObject(objectOf(address))
    expect(Math.abs((await fetchAt(address, group, null, 'C')) - Date.now())).toBeLessThan(5_000)
    await evictDurableObject(objectOf(address))
    expect(await fetchAt(address, group, farMs - 1_000, 'D')).toBe(farMs - 1_000)
  })

  it('never: over an eviction the clock does not go back behind the leases that are held', async () => {
    const stream = await createStream()
    const address = addressOf(stream)
    const group = await createGroup(stream, 'g')
    await append(address, 2)
    const leases = await fetchLeases(address, group, 1, 3_600_000)
    // As if the clock had stood ten minutes later when the lease was granted.
    await spoil(address, 'update timed set dueMs = dueMs + 600000, leasedAtMs = leasedAtMs + 600000')
    await evictDurableObject(objectOf(address))
    expect((await fetchAt(address, group, null, 'E')) - Date.now()).toBeGreaterThan(590_000)
    expect(await settle(address, group, leases, 'ack')).toEqual([true])
  })
})
