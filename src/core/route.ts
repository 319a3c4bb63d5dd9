import { failed, failure, ok, type Result } from './failure.ts'
import { phash2 } from './phash2.ts'

/** The partition of an event (S2.2): the one it names, else by its key, else 0. `path` leads the field in a failure. */
export function route(
  event: { readonly partition: number | null; readonly key: string | null },
  partitionCount: number,
  path: string,
): Result<number> {
  const { partition, key } = event
  if (partition === null) return ok(key === null || partitionCount === 1 ? 0 : phash2(key, partitionCount))
  if (partition >= 0 && partition < partitionCount) return ok(partition)
  return failed(
    failure('invalid_partition', `${path}partition: the stream has partitions 0 to ${partitionCount - 1}`, {
      partition,
      partitionCount,
    }),
  )
}

/** The numbers of all partitions of a stream. */
export const allPartitions = (partitionCount: number): number[] =>
  Array.from({ length: partitionCount }, (_, partition) => partition)
