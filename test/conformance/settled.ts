import { drain, type Group } from './group.ts'
import { createStream, numbered, type Stream } from './stream.ts'

/** A stream whose partitions hold so many events, and a group that has acked all of them. */
export async function settled(
  sizes: readonly number[],
  options: Record<string, unknown> = {},
): Promise<{ stream: Stream; group: Group }> {
  const stream = await createStream(sizes.length)
  for (const [partition, size] of sizes.entries()) {
    if (size > 0) await stream.appendMany(numbered(size, { partition }))
  }
  const group = await stream.group(options)
  await drain(group)
  return { stream, group }
}

/** The sequences from `first` to `last`. */
export const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)
