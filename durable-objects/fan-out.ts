import type { Cost, Reply } from '../src/core/backend.ts'
import type { StreamRecord } from '../src/core/catalog/commands.ts'
import type { Located } from '../src/core/catalog/machine.ts'
import type { Doomed } from '../src/core/catalog/store.ts'
import { type Failure, failed, failure, ok, type Result } from '../src/core/failure.ts'
import type { Start } from '../src/core/group.ts'
import type { Address, Command, CommandName, CommandOut } from '../src/core/partition/commands.ts'
import { allPartitions } from '../src/core/route.ts'

/** How a catalog reaches the partitions of its streams. */
export interface Partitions {
  run<N extends CommandName>(address: Address, command: Command<N>): Promise<Reply<CommandOut<N>>>
  purge(address: Address): Promise<void>
}

/** What calls to partitions have cost so far. */
export interface Spent {
  rowsRead: number
  rowsWritten: number
  objects: number
}

export const nothingSpent = (): Spent => ({ rowsRead: 0, rowsWritten: 0, objects: 0 })

export function spend(spent: Spent, { rowsRead, rowsWritten }: Cost): void {
  spent.rowsRead += rowsRead
  spent.rowsWritten += rowsWritten
}

/** Whose partitions are called, and what it has cost so far. */
export interface FanOut {
  readonly partitions: Partitions
  readonly tenant: string
  readonly spent: Spent
}

/** What became of one partition's call; `moved` when there is no such partition any more. */
type Settled<T> = { partition: number; value: T | null; failure: Failure | null; isMoved: boolean }

/** Runs a command on partitions at once; one that cannot be asked is told by its failure. */
async function onEach<N extends CommandName>(
  { partitions, tenant, spent }: FanOut,
  { name, uid }: StreamRecord,
  which: readonly number[],
  commandFor: (partition: number) => Command<N>,
): Promise<Settled<CommandOut<N>>[]> {
  const one = async (partition: number): Promise<Settled<CommandOut<N>>> => {
    spent.objects += 1
    try {
      const { answer, cost } = await partitions.run({ tenant, stream: name, uid, partition }, commandFor(partition))
      spend(spent, cost)
      const isMoved = answer.status === 'moved'
      if (answer.status === 'done') return { partition, value: answer.value, failure: null, isMoved }
      const failure = answer.status === 'refused' ? answer.failure : unavailable([partition])
      return { partition, value: null, failure, isMoved }
    } catch (fault) {
      console.error(`partition ${partition} of ${tenant}/${name} does not answer`, fault)
    }
    return { partition, value: null, failure: unavailable([partition]), isMoved: false }
  }
  return Promise.all(which.map(one))
}

/** Asks partitions where a group begins in each; the start that its creator asked for is resolved once (S3.9). */
export async function resolveStarts(
  fanOut: FanOut,
  stream: StreamRecord,
  which: readonly number[],
  start: Start,
): Promise<Result<number[]>> {
  if (start.kind === 'earliest') return ok(which.map(() => 0))
  const settled = await onEach(fanOut, stream, which, () => ({ type: 'resolveStart', start }))
  const withCode = (code: string) => settled.flatMap((one) => (one.failure?.code === code ? [one.partition] : []))
  const invalid = withCode('invalid_start')
  if (invalid.length > 0) {
    const detail = `the start lies beyond the last event of partition ${invalid.join(', ')}`
    return failed(failure('invalid_start', detail, { partitions: invalid }))
  }
  // Whatever else a partition says, where it starts is not known.
  const missing = settled.flatMap((one) => (one.value === null ? [one.partition] : []))
  return missing.length > 0 ? failed(unavailable(missing)) : ok(settled.map((one) => one.value!.start))
}

/** Brings a group to every partition; gives the partitions that do not have it now. Safe to repeat. */
export async function installGroup(fanOut: FanOut, { stream, group }: Located): Promise<number[]> {
  const { uid, name, revision, options, starts, epochs } = group
  const settled = await onEach(fanOut, stream, allPartitions(stream.partitionCount), (partition) => ({
    type: 'installGroup',
    install: { uid, name, revision, options, start: starts[partition]!, epoch: epochs[partition]! },
  }))
  return settled.flatMap((one) => (one.value === null ? [one.partition] : []))
}

/** Removes a group, or empties all partitions of a stream; gives the partitions where that has failed. Safe to repeat. */
export async function remove(fanOut: FanOut, { stream, group }: Doomed): Promise<number[]> {
  const { partitions, tenant, spent } = fanOut
  const all = allPartitions(stream.partitionCount)
  if (group !== null) {
    const settled = await onEach(fanOut, stream, all, () => ({ type: 'removeGroup', group: group.uid }))
    // A partition that has gone with its stream holds no group either.
    return settled.flatMap((one) => (one.value === null && !one.isMoved ? [one.partition] : []))
  }
  const purged = await Promise.allSettled(
    all.map((partition) => partitions.purge({ tenant, stream: stream.name, uid: stream.uid, partition })),
  )
  spent.objects += all.length
  return all.filter((partition) => {
    const one = purged[partition]!
    if (one.status === 'rejected')
      console.error(`partition ${partition} of ${tenant}/${stream.name} is not empty yet`, one.reason)
    return one.status === 'rejected'
  })
}

const unavailable = (partitions: number[]): Failure =>
  failure('backend_unavailable', `partition ${partitions.join(', ')} cannot be reached`, { partitions })
