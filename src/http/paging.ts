import { type Answer, done } from '../core/partition/commands.ts'
import { cursorNotFound, formatCursor, type Position, parseCursor } from './cursor.ts'
import { allOf } from './gather.ts'

/** What one partition has of a list after a position. */
export interface Part<T> {
  readonly items: readonly T[]
  readonly more: boolean
}

/** A page of a list over partitions, by partition and sequence. */
export interface Page<T> {
  readonly items: readonly (T & { readonly partition: number })[]
  readonly next: Position | null
}

/** The widest wave: what it brings is held in memory, and dropped where the page has no room for it. */
const MAX_WIDTH = 8

/** Asks a partition for at most `limit` items of about `maxBytes` after a sequence. */
type AskPart<T> = (partition: number, after: number, limit: number, maxBytes: number) => Promise<Answer<Part<T>>>

/**
 * Takes a page from partitions in ascending order, in waves of doubling width: a page that the first partition fills
 * costs one object, and a list that is empty everywhere costs few round trips. `weigh` counts the bytes of an item;
 * a page holds at most `maxBytes`, but always one item.
 */
export async function takePage<T extends { readonly sequence: number }>(
  partitions: readonly number[],
  after: Position | null,
  limit: number,
  maxBytes: number,
  weigh: (item: T) => number,
  askPart: AskPart<T>,
): Promise<Answer<Page<T>>> {
  const queue = after === null ? [...partitions] : partitions.filter((partition) => partition >= after.partition)
  const items: (T & { partition: number })[] = []
  let bytes = 0
  const end = (): Answer<Page<T>> => {
    const { partition, sequence } = items.at(-1)!
    return done({ items, next: { partition, sequence } })
  }
  for (let width = 1; queue.length > 0; width = Math.min(2 * width, MAX_WIDTH)) {
    if (items.length === limit || bytes >= maxBytes) return end()
    const wave = queue.splice(0, width)
    const open = limit - items.length
    const share = Math.floor((maxBytes - bytes) / wave.length)
    const asked = wave.map((partition) =>
      askPart(partition, partition === after?.partition ? after.sequence : 0, open, share),
    )
    const parts = allOf(await Promise.all(asked))
    if (parts.status !== 'done') return parts
    for (const [index, part] of parts.value.entries()) {
      for (const item of part.items) {
        bytes += weigh(item)
        if (items.length === limit || (items.length > 0 && bytes > maxBytes)) return end()
        items.push({ ...item, partition: wave[index]! })
      }
      // A partition that has more must not be passed over by those behind it.
      if (part.more && items.length > 0) return end()
    }
  }
  return done({ items, next: null })
}

/** The position that `after` names in a list; null for its beginning. */
export function startOfPage(
  list: string,
  group: string,
  after: string | undefined,
  partitions: readonly number[],
): Answer<Position | null> {
  if (after === undefined) return done(null)
  const position = parseCursor(list, group, after)
  if (!position.ok || !partitions.includes(position.value.partition)) {
    return { status: 'refused', failure: cursorNotFound.failure }
  }
  return done(position.value)
}

/** The cursor after a page. */
export const cursorOf = (list: string, group: string, next: Position | null): string | null =>
  next === null ? null : formatCursor(list, group, next)
