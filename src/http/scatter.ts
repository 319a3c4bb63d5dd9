import { type Code, type Failure, ok, type Result } from '../core/failure.ts'
import { type Address, type Answer, done, moved, refused } from '../core/partition/commands.ts'
import { addressOf } from './ask.ts'
import type { Call, Names } from './call.ts'
import { onGroup } from './directory.ts'
import { indicesByPartition } from './indices.ts'
import { isGone } from './worst.ts'

/** The result of an item whose partition failed. */
export interface Outage {
  readonly ok: false
  readonly code: Code
  readonly failure: Failure
}

const outageOf = (failure: Failure): Outage => ({ ok: false, code: failure.code, failure })

/** What is done with the items of one partition; the results stand in their order. */
type Send<I, R> = (address: Address, group: string, items: readonly I[]) => Promise<Answer<{ results: readonly R[] }>>

/**
 * Sends each item to its partition, all partitions at once, and gathers the results in the order of the items. An item
 * that names no partition of the stream goes to partition 0, where it is told like any other that it is unknown. Where
 * a partition fails its items say so, and the others stand.
 */
export async function scatter<I, R>(
  call: Call,
  names: Names,
  items: readonly I[],
  partitionOf: (item: I) => number | undefined,
  send: Send<I, R>,
): Promise<Result<(R | Outage)[]>> {
  const results: (R | Outage)[] = new Array(items.length)
  let open = items.map((_, index) => index)
  const sent = await onGroup(call, names, async ({ stream, group }) => {
    const byPartition = indicesByPartition(open, (index) => {
      const partition = partitionOf(items[index]!) ?? 0
      return partition < stream.partitionCount ? partition : 0
    })
    open = []
    let gone: Failure | null = null
    const sendTo = async (partition: number, indices: readonly number[]): Promise<void> => {
      const sent = indices.map((index) => items[index]!)
      const answer = await send(addressOf(call, stream, partition), group, sent)
      if (answer.status === 'moved') open.push(...indices)
      else if (answer.status === 'refused' && isGone(answer.failure)) gone = answer.failure
      else {
        for (const [at, index] of indices.entries()) {
          results[index] = answer.status === 'done' ? answer.value.results[at]! : outageOf(answer.failure)
        }
      }
    }
    await Promise.all([...byPartition].map(([partition, indices]) => sendTo(partition, indices)))
    if (gone !== null) return refused(gone)
    return open.length > 0 ? moved : done(null)
  })
  if (sent.ok) return ok(results)
  // What is settled stays settled, so the answer says so, unless the group has gone and took it along.
  if (open.length === items.length || isGone(sent.failure)) return sent
  for (const index of open) results[index] = outageOf(sent.failure)
  return ok(results)
}
