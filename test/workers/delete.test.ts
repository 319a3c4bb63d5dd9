import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { expect, it } from 'vitest'
import type { StreamPartition } from '../../durable-objects/stream-partition.ts'
import { catalogStub, partitionStub } from '../../durable-objects/stubs.ts'
import type { TenantCatalog } from '../../durable-objects/tenant-catalog.ts'
import type { StreamRecord } from '../../src/core/catalog/commands.ts'
import { addressOf, append, bindings, catalog, createGroup, createStream, fetchLeases, run, tenant } from './objects.ts'

const objectOf = (stream: StreamRecord, partition = 0) =>
  partitionStub(bindings, addressOf(stream, partition)) as unknown as DurableObjectStub<StreamPartition>

const catalogObject = () => catalogStub(bindings, tenant) as unknown as DurableObjectStub<TenantCatalog>

/** What a partition's storage holds: its own tables, and whether an alarm is set. */
const contents = (stream: StreamRecord, partition = 0) =>
  runInDurableObject(objectOf(stream, partition), async (_, state) => ({
    tables: state.storage.sql
      .exec("select name from sqlite_master where name not like '\\_cf%' escape '\\' and name not like 'sqlite%'")
      .toArray(),
    alarm: await state.storage.getAlarm(),
  }))

const EMPTY = { tables: [], alarm: null }

const tryCatalog = async (command: Parameters<typeof catalog>[0]) =>
  (await catalogStub(bindings, tenant).run(tenant, command, null)).answer

async function used(partitionCount = 2) {
  const stream = await createStream(partitionCount)
  const group = await createGroup(stream, 'g')
  for (let partition = 0; partition < partitionCount; partition++) {
    await append(addressOf(stream, partition), 3)
    await fetchLeases(addressOf(stream, partition), group, 1)
  }
  return { stream, group }
}

it('a deleted stream leaves its partitions empty, alarm and all', async () => {
  const { stream } = await used()
  await catalog({ type: 'deleteStream', stream: stream.name })
  for (const partition of [0, 1]) expect(await contents(stream, partition)).toEqual(EMPTY)
})

it('S8.16 a stale call never brings an emptied partition to life, nor after eviction', async () => {
  const { stream, group } = await used(1)
  await catalog({ type: 'deleteStream', stream: stream.name })
  const stale = [
    { type: 'status' },
    { type: 'lag', group },
    { type: 'expire' },
    { type: 'removeGroup', group },
    { type: 'read', after: 0, limit: 1, maxBytes: 1_000 },
  ] as const
  for (const command of stale) {
    const { answer } = await partitionStub(bindings, addressOf(stream)).run(addressOf(stream), command, null)
    expect(answer).toEqual({ status: 'moved' })
  }
  await evictDurableObject(objectOf(stream))
  await expect(append(addressOf(stream), 1)).rejects.toThrow('moved')
  expect(await contents(stream)).toEqual(EMPTY)
})

it('S8.16 a re-created stream has another uid, other partitions, and nothing of its predecessor', async () => {
  const { stream, group } = await used()
  await catalog({ type: 'deleteStream', stream: stream.name })
  const again = await createStream(3, stream.name)
  expect(again.uid).not.toBe(stream.uid)
  expect(await run(addressOf(again), { type: 'status' })).toMatchObject({ highWatermark: 0, bytes: 0 })
  const { answer } = await partitionStub(bindings, addressOf(again)).run(addressOf(again), { type: 'lag', group }, null)
  expect(answer).toEqual({ status: 'moved' })
})

it('a deleted group is gone from callers at once, and its rows from every partition', async () => {
  const { stream, group } = await used()
  await catalog({ type: 'deleteGroup', stream: stream.name, group: 'g' })
  expect(await tryCatalog({ type: 'group', stream: stream.name, group: 'g' })).toMatchObject({
    failure: { code: 'group_not_found' },
  })
  for (const partition of [0, 1]) {
    const rows = await runInDurableObject(objectOf(stream, partition), (_, state) =>
      // What stays of the group is that it has gone, so that a late install does not bring it back.
      ['groups where cursor <> 0', 'timed', 'ready', 'done', 'tries', 'deadLetters'].flatMap((table) =>
        state.storage.sql.exec(`select * from ${table}`).toArray(),
      ),
    )
    expect(rows).toEqual([])
    const address = addressOf(stream, partition)
    const { answer } = await partitionStub(bindings, address).run(address, { type: 'lag', group }, null)
    expect(answer).toEqual({ status: 'moved' })
  }
})

it('a delete cut short is ambiguous, and repeating it finishes it', async () => {
  const { stream } = await used()
  const rename = (from: string, to: string) =>
    runInDurableObject(objectOf(stream, 1), (_, state) => {
      state.storage.sql.exec(`alter table ${from} rename to ${to}`)
    })
  await rename('groups', 'hidden')
  const command = { type: 'deleteGroup', stream: stream.name, group: 'g' } as const
  expect(await tryCatalog(command)).toMatchObject({ failure: { code: 'ambiguous', partitions: [1] } })
  expect(await tryCatalog({ type: 'group', stream: stream.name, group: 'g' })).toMatchObject({
    failure: { code: 'group_not_found' },
  })
  await rename('hidden', 'groups')
  expect(await tryCatalog(command)).toMatchObject({ status: 'done' })
  expect(await tryCatalog(command)).toMatchObject({ failure: { code: 'group_not_found' } })
})

it('a delete cut short is finished by the catalog itself', async () => {
  const { stream } = await used()
  const rename = (from: string, to: string) =>
    runInDurableObject(objectOf(stream, 1), (_, state) => {
      state.storage.sql.exec(`alter table ${from} rename to ${to}`)
    })
  await rename('groups', 'hidden')
  await tryCatalog({ type: 'deleteGroup', stream: stream.name, group: 'g' })
  await rename('hidden', 'groups')
  await evictDurableObject(catalogObject())
  expect(await runDurableObjectAlarm(catalogObject())).toBe(true)
  const rows = await runInDurableObject(objectOf(stream, 1), (_, state) =>
    state.storage.sql.exec('select * from groups where cursor <> 0').toArray(),
  )
  expect(rows).toEqual([])
  expect(await runInDurableObject(catalogObject(), (_, state) => state.storage.getAlarm())).toBe(null)
})

it('S8.16 a first call that asked the catalog before the delete does not bring the partition to life after it', async () => {
  const stream = await createStream()
  const address = addressOf(stream)
  const answer = await runInDurableObject(objectOf(stream), async (instance) => {
    const asked = instance.run(address, { type: 'status' }, null)
    await instance.purge(address)
    return (await asked).answer
  })
  expect(answer).toEqual({ status: 'moved' })
  expect(await contents(stream)).toEqual(EMPTY)
})

it('a group whose stream is deleted beside it leaves nothing for the catalog to finish', async () => {
  const { stream } = await used()
  await Promise.all([
    tryCatalog({ type: 'deleteGroup', stream: stream.name, group: 'g' }),
    tryCatalog({ type: 'deleteStream', stream: stream.name }),
  ])
  expect(await runInDurableObject(catalogObject(), (_, state) => state.storage.getAlarm())).toBe(null)
})
