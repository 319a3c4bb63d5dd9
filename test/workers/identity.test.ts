import { runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import type { StreamPartition } from '../../durable-objects/stream-partition.ts'
import { catalogStub, partitionStub } from '../../durable-objects/stubs.ts'
import type { TenantCatalog } from '../../durable-objects/tenant-catalog.ts'
import type { Address } from '../../src/core/partition/commands.ts'
import { addressOf, append, bindings, createStream, run, tenant } from './objects.ts'

const tablesOf = (stub: unknown): Promise<unknown[]> =>
  runInDurableObject(stub as DurableObjectStub<StreamPartition | TenantCatalog>, (_, state) =>
    state.storage.sql.exec("select name from sqlite_master where name not like '\\_cf%' escape '\\'").toArray(),
  )

/** Addresses that differ from one in a single part each, and name streams that are there. */
async function neighbours(address: Address): Promise<Address[]> {
  const other = await createStream(2)
  return [
    { ...address, partition: 1 },
    { ...address, uid: other.uid },
    addressOf(other),
    { ...address, tenant: `${tenant}-2` },
    { ...address, tenant: tenant.toUpperCase() },
  ]
}

describe('every object checks who it is', () => {
  it('a partition that lives takes no call for another, be it read or write', async () => {
    const address = addressOf(await createStream(2))
    await append(address, 1)
    const stub = partitionStub(bindings, address)
    for (const meant of await neighbours(address)) {
      await expect(() => stub.run(meant, { type: 'status' }, null), JSON.stringify(meant)).rejects.toThrow(/another/)
      await expect(() => stub.purge(meant), JSON.stringify(meant)).rejects.toThrow(/another/)
    }
    expect(await run(address, { type: 'status' })).toMatchObject({ highWatermark: 1 })
  })

  it('a partition that is not born yet does not become another, though that is there', async () => {
    const stream = await createStream(2)
    const stub = partitionStub(bindings, addressOf(stream, 0))
    for (const meant of [addressOf(stream, 1), addressOf(await createStream(1))]) {
      await expect(() => stub.run(meant, { type: 'status' }, null)).rejects.toThrow(/another/)
    }
    expect(await tablesOf(stub)).toEqual([])
    expect(await run(addressOf(stream, 0), { type: 'status' })).toMatchObject({ highWatermark: 0 })
  })

  it('a catalog takes no call for another tenant, before its first stream and after', async () => {
    const owner = `t-${crypto.randomUUID()}`
    const stub = catalogStub(bindings, owner)
    const create = (who: string) =>
      stub.run(who, { type: 'createStream', name: 's', partitionCount: 1, maxStreams: 10 }, null)
    await expect(() => create(`${owner}-2`)).rejects.toThrow(/another/)
    expect(await tablesOf(stub)).toEqual([])
    expect((await create(owner)).answer.status).toBe('done')
    for (const who of [`${owner}-2`, owner.toUpperCase(), '']) {
      await expect(() => stub.run(who, { type: 'stream', stream: 's' }, null)).rejects.toThrow(/another/)
    }
  })

  it('a quota of streams holds when they are created all at once', async () => {
    const owner = `t-${crypto.randomUUID()}`
    const stub = catalogStub(bindings, owner)
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        stub.run(owner, { type: 'createStream', name: `s${index}`, partitionCount: 1, maxStreams: 3 }, null),
      ),
    )
    expect(answers.filter(({ answer }) => answer.status === 'done')).toHaveLength(3)
  })
})
