import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { expect, it } from 'vitest'
import type { StreamPartition } from '../../durable-objects/stream-partition.ts'
import { catalogStub, partitionStub } from '../../durable-objects/stubs.ts'
import type { TenantCatalog } from '../../durable-objects/tenant-catalog.ts'
import type { StreamRecord } from '../../src/core/catalog/commands.ts'
import { defaultGroupOptions, type Start } from '../../src/core/group.ts'
import { limits } from '../../src/core/limits.ts'
import { addressOf, append, bindings, createGroup, createStream, fetchLeases, run, tenant } from './objects.ts'

const create = (stream: StreamRecord, name: string, start: Start = { kind: 'earliest' }, maxAttempts = 5) =>
  catalogStub(bindings, tenant).run(
    tenant,
    {
      type: 'createGroup',
      stream: stream.name,
      name,
      options: { ...defaultGroupOptions, maxAttempts },
      start,
      maxGroups: limits.groupsPerStream,
    },
    null,
  )

const find = async (stream: StreamRecord, group: string) =>
  (await catalogStub(bindings, tenant).run(tenant, { type: 'group', stream: stream.name, group }, null)).answer

const catalogObject = () => catalogStub(bindings, tenant) as unknown as DurableObjectStub<TenantCatalog>
const partitionObject = (stream: StreamRecord, partition: number) =>
  partitionStub(bindings, addressOf(stream, partition)) as unknown as DurableObjectStub<StreamPartition>

/** Makes a partition refuse groups until the returned function is called. */
async function breakPartition(stream: StreamRecord, partition: number): Promise<() => Promise<void>> {
  await run(addressOf(stream, partition), { type: 'status' })
  const rename = (from: string, to: string) =>
    runInDurableObject(partitionObject(stream, partition), (_, state) => {
      state.storage.sql.exec(`alter table ${from} rename to ${to}`)
    })
  await rename('groups', 'hidden')
  return () => rename('hidden', 'groups')
}

it('S3.9 a create cut short is ambiguous and not visible anywhere, and the catalog finishes it itself', async () => {
  const stream = await createStream(4)
  const mend = await breakPartition(stream, 2)
  expect((await create(stream, 'g')).answer).toMatchObject({
    status: 'refused',
    failure: { code: 'ambiguous', partitions: [2] },
  })
  expect(await find(stream, 'g')).toMatchObject({ status: 'refused', failure: { code: 'group_not_found' } })
  await mend()
  expect(await runDurableObjectAlarm(catalogObject())).toBe(true)
  expect(await find(stream, 'g')).toMatchObject({ status: 'done' })
  expect((await create(stream, 'g')).answer).toMatchObject({ failure: { code: 'already_exists' } })
})

it('S3.9 repeating a create cut short finishes it, also after the catalog was evicted', async () => {
  const stream = await createStream(4)
  await append(addressOf(stream, 1), 7)
  const mend = await breakPartition(stream, 0)
  expect((await create(stream, 'g', { kind: 'latest' })).answer).toMatchObject({
    failure: { code: 'ambiguous' },
  })
  await mend()
  // `latest` was resolved by the first call: what has come since is not skipped.
  await append(addressOf(stream, 1), 1)
  await evictDurableObject(catalogObject())
  const { answer } = await create(stream, 'g', { kind: 'latest' })
  expect(answer).toMatchObject({ status: 'done', value: { starts: [0, 7, 0, 0] } })
  const group = answer.status === 'done' ? answer.value.uid : ''
  expect(await fetchLeases(addressOf(stream, 1), group, 10)).toMatchObject([{ sequence: 8 }])
})

it('S3.9 a create with other options than the one cut short is already_exists', async () => {
  const stream = await createStream(2)
  const mend = await breakPartition(stream, 1)
  await create(stream, 'g')
  expect((await create(stream, 'g', { kind: 'earliest' }, 9)).answer).toMatchObject({
    failure: { code: 'already_exists' },
  })
  await mend()
})

it('S3.9 creating a group checks every partition first: invalid_start writes nothing', async () => {
  const stream = await createStream(3)
  await append(addressOf(stream, 0), 5)
  const { answer } = await create(stream, 'g', { kind: 'after', sequence: 5 })
  expect(answer).toMatchObject({ status: 'refused', failure: { code: 'invalid_start', partitions: [1, 2] } })
  const rows = await runInDurableObject(partitionObject(stream, 0), (_, state) =>
    state.storage.sql.exec('select * from groups').toArray(),
  )
  expect(rows).toEqual([])
  expect((await create(stream, 'g')).answer).toMatchObject({ status: 'done' })
})

it('S3.9 of identical creates at one time, one is 201 and the others already_exists', async () => {
  const stream = await createStream(4)
  const answers = await Promise.all(Array.from({ length: 8 }, () => create(stream, 'g')))
  expect(answers.filter(({ answer }) => answer.status === 'done')).toHaveLength(1)
  expect(
    answers.filter(({ answer }) => answer.status === 'refused' && answer.failure.code === 'already_exists'),
  ).toHaveLength(7)
})

it('a patch cut short is ambiguous, and finished by the catalog itself', async () => {
  const stream = await createStream(2)
  const group = await createGroup(stream, 'g')
  await append(addressOf(stream, 1), 1)
  const mend = await breakPartition(stream, 1)
  const patch = { type: 'patchGroup', stream: stream.name, group: 'g', patch: { paused: true } } as const
  expect((await catalogStub(bindings, tenant).run(tenant, patch, null)).answer).toMatchObject({
    failure: { code: 'ambiguous', partitions: [1] },
  })
  await mend()
  expect(await runDurableObjectAlarm(catalogObject())).toBe(true)
  expect(await fetchLeases(addressOf(stream, 1), group, 1)).toEqual([])
  expect(await find(stream, 'g')).toMatchObject({ value: { group: { options: { paused: true } } } })
})

it('S8.16 a call to a partition of a stream that is not there writes nothing', async () => {
  const stream = await createStream(2)
  for (const stale of [
    { ...addressOf(stream), uid: '0000000000000000' },
    { ...addressOf(stream), stream: 'never-made' },
    addressOf(stream, 2),
  ]) {
    const stub = partitionStub(bindings, stale)
    expect((await stub.run(stale, { type: 'status' }, null)).answer).toEqual({ status: 'moved' })
    const object = stub as unknown as DurableObjectStub<StreamPartition>
    const tables = await runInDurableObject(object, (_, state) =>
      state.storage.sql.exec("select name from sqlite_master where name not like '\\_cf%' escape '\\'").toArray(),
    )
    expect(tables).toEqual([])
  }
})

it('a tenant that has made no stream costs no storage, whoever asks', async () => {
  const nobody = `nobody-${crypto.randomUUID()}`
  const stub = catalogStub(bindings, nobody)
  expect((await stub.run(nobody, { type: 'streams', after: '', limit: 10 }, null)).answer).toEqual({
    status: 'done',
    value: { streams: [], more: false },
  })
  const object = stub as unknown as DurableObjectStub<TenantCatalog>
  const tables = await runInDurableObject(object, (_, state) =>
    state.storage.sql.exec("select name from sqlite_master where name not like '\\_cf%' escape '\\'").toArray(),
  )
  expect(tables).toEqual([])
})
