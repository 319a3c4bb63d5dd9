import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { Env } from '../../durable-objects/env.ts'
import type { StreamPartition } from '../../durable-objects/stream-partition.ts'
import { catalogStub, partitionStub } from '../../durable-objects/stubs.ts'
import type { CatalogCommand, CatalogCommandName, CatalogOut, StreamRecord } from '../../src/core/catalog/commands.ts'
import { defaultGroupOptions, type GroupOptions, type Start } from '../../src/core/group.ts'
import { limits } from '../../src/core/limits.ts'
import type { Address, Command, CommandName, CommandOut, Outcome } from '../../src/core/partition/commands.ts'

export const bindings = env as unknown as Env

export const tenant = `t-${crypto.randomUUID()}`

/** A partition's object, as the tools of the test runtime take it. */
export const objectOf = (address: Address) =>
  partitionStub(bindings, address) as unknown as DurableObjectStub<StreamPartition>

/** When the alarm of a partition is set for; null when it is not. */
export const armedMs = (address: Address) =>
  runInDurableObject(objectOf(address), (_, state) => state.storage.getAlarm())

/** A new stream of the test's tenant. */
export async function createStream(partitionCount = 1, name = `s-${crypto.randomUUID()}`): Promise<StreamRecord> {
  return catalog({ type: 'createStream', name, partitionCount, maxStreams: limits.streamsPerTenant })
}

/** Runs a catalog command that must succeed. */
export async function catalog<N extends CatalogCommandName>(command: CatalogCommand<N>): Promise<CatalogOut<N>> {
  const { answer } = await catalogStub(bindings, tenant).run(tenant, command, null)
  if (answer.status !== 'done') throw new Error(JSON.stringify(answer))
  return answer.value
}

/** Creates a group and gives its uid. */
export async function createGroup(
  stream: StreamRecord,
  name: string,
  options: Partial<GroupOptions> = {},
  start: Start = { kind: 'earliest' },
): Promise<string> {
  const group = await catalog({
    type: 'createGroup',
    stream: stream.name,
    name,
    options: { ...defaultGroupOptions, ...options },
    start,
    maxGroups: limits.groupsPerStream,
  })
  return group.uid
}

export const addressOf = (stream: StreamRecord, partition = 0): Address => ({
  tenant,
  stream: stream.name,
  uid: stream.uid,
  partition,
})

/** Runs a partition command that must succeed; `testNowMs` puts the partition into test time. */
export async function run<N extends CommandName>(
  address: Address,
  command: Command<N>,
  testNowMs: number | null = null,
): Promise<CommandOut<N>> {
  const { answer } = await partitionStub(bindings, address).run(address, command, testNowMs)
  if (answer.status !== 'done') throw new Error(JSON.stringify(answer))
  return answer.value
}

/** Appends `count` events to a partition. */
export async function append(address: Address, count: number): Promise<void> {
  const lines = Array.from({ length: count }, (_, index) => line({ n: index })).join('\n')
  await run(address, {
    type: 'append',
    append: {
      lines,
      count,
      ids: [],
      times: [],
      terms: new Uint32Array(),
      atMs: Date.now(),
      idempotency: null,
      expectedSequence: null,
    },
  })
}

const line = (payload: object): string => `{"type":null,"key":null,"payload":${JSON.stringify(payload)},"metadata":{}}`

export interface Lease {
  readonly leaseId: string
  readonly receipt: string
  readonly sequence: number
  readonly attempt: number
}

/** Fetches from a partition. */
export async function fetchLeases(
  address: Address,
  group: string,
  limit: number,
  leaseMs: number | null = null,
): Promise<Lease[]> {
  const fetched = await run(address, {
    type: 'fetch',
    fetch: { group, limit, leaseMs, consumerId: 'worker', token: newToken(), maxBytes: 8_000_000 },
  })
  return JSON.parse(`[${fetched.leases}]`) as Lease[]
}

/** Settles leases with one outcome; true for each that was settled. */
export async function settle(
  address: Address,
  group: string,
  leases: readonly Lease[],
  outcome: Outcome,
): Promise<boolean[]> {
  const items = leases.map(({ leaseId }) => ({
    leaseId,
    receipt: null,
    outcome,
    reason: null,
    delayMs: null,
    leaseMs: null,
  }))
  const { results } = await run(address, { type: 'settle', group, items })
  return results.map(({ ok }) => ok)
}

const newToken = (): string => crypto.randomUUID().replaceAll('-', '').slice(0, 22)

/** How many leases and delays are in a partition's storage, looked at past the object: nothing is due by it. */
export const timedRows = (stub: DurableObjectStub<StreamPartition>, group = '*'): Promise<number> =>
  runInDurableObject(stub, (_, state) => {
    const text = `select count(*) as count from timed where ?1 = '*' or groupId = (select id from groups where uid = ?1)`
    return Number(state.storage.sql.exec(text, group).one().count)
  })
