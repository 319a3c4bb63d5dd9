import type { Cost, Reply } from '../src/core/backend.ts'
import type { StreamRecord } from '../src/core/catalog/commands.ts'
import type { Located } from '../src/core/catalog/machine.ts'
import { type Failure, failed, failure, ok, type Result } from '../src/core/failure.ts'
import type { Start } from '../src/core/group.ts'
import type { Address, Command, CommandName, CommandOut } from '../src/core/partition/commands.ts'

/** Calls one partition of a stream. */
export type CallPartition = <N extends CommandName>(
  address: Address,
  command: Command<N>,
) => Promise<Reply<CommandOut<N>>>

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

type Settled<T> = { partition: number; value: T | null; failure: Failure | null }

/** Runs a command on every partition at once; a partition that cannot be asked is told by its failure. */
async function onAll<N extends CommandName>(
  call: CallPartition,
  tenant: string,
  stream: StreamRecord,
  spent: Spent,
  commandFor: (partition: number) => Command<N>,
): Promise<Settled<CommandOut<N>>[]> {
  const { name, uid, partitionCount } = stream
  const one = async (partition: number): Promise<Settled<CommandOut<N>>> => {
    spent.objects += 1
    try {
      const { answer, cost } = await call({ tenant, stream: name, uid, partition }, commandFor(partition))
      spend(spent, cost)
      if (answer.status === 'done') return { partition, value: answer.value, failure: null }
      if (answer.status === 'refused') return { partition, value: null, failure: answer.failure }
    } catch (fault) {
      console.error(`partition ${partition} of ${tenant}/${name} does not answer`, fault)
    }
    return { partition, value: null, failure: unavailable([partition]) }
  }
  return Promise.all(Array.from({ length: partitionCount }, (_, partition) => one(partition)))
}

/** Asks every partition where a group begins; the start that its creator asked for is resolved once (S3.9). */
export async function resolveStarts(
  call: CallPartition,
  tenant: string,
  stream: StreamRecord,
  spent: Spent,
  start: Start,
): Promise<Result<number[]>> {
  if (start.kind === 'earliest') return ok(Array.from({ length: stream.partitionCount }, () => 0))
  const settled = await onAll(call, tenant, stream, spent, () => ({ type: 'resolveStart', start }))
  const failures = settled.flatMap((one) => (one.failure === null ? [] : [one.failure]))
  const partitionsOf = (code: string) => settled.flatMap((one) => (one.failure?.code === code ? [one.partition] : []))
  const invalid = partitionsOf('invalid_start')
  if (invalid.length > 0) {
    const detail = `the start lies beyond the last event of partition ${invalid.join(', ')}`
    return failed(failure('invalid_start', detail, { partitions: invalid }))
  }
  if (failures.length > 0) return failed(unavailable(partitionsOf('backend_unavailable')))
  return ok(settled.map((one) => one.value!.start))
}

/** Brings a group to every partition; the partitions that do not have it now. Safe to repeat. */
export async function syncGroup(
  call: CallPartition,
  tenant: string,
  { stream, group }: Located,
  spent: Spent,
): Promise<number[]> {
  const { uid, name, revision, options, starts } = group
  const settled = await onAll(call, tenant, stream, spent, (partition) => ({
    type: 'installGroup',
    install: { uid, name, revision, options, start: starts[partition]! },
  }))
  return settled.flatMap((one) => (one.value === null ? [one.partition] : []))
}

const unavailable = (partitions: number[]): Failure =>
  failure('backend_unavailable', `partition ${partitions.join(', ')} cannot be reached`, { partitions })
