/** What is known of a row, and since when. */
export interface Row<T> {
  readonly value: T
  readonly takenAt: number
}

/** Runs work on each item, so many at a time; the first failure ends it. */
export async function inTurns<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items]
  const worker = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker))
}

/** The keys that are read next: all that never were, else so many of those read longest ago. */
export function nextKeys<T>(keys: readonly string[], rows: ReadonlyMap<string, Row<T>>, count: number): string[] {
  const unread = keys.filter((key) => !rows.has(key))
  if (unread.length > 0) return unread
  return keys.toSorted((a, b) => rows.get(a)!.takenAt - rows.get(b)!.takenAt).slice(0, count)
}

/** The age of the oldest row that is shown, in milliseconds; null while some row was never read. */
export function oldestAge<T>(keys: readonly string[], rows: ReadonlyMap<string, Row<T>>, now: number): number | null {
  if (keys.some((key) => !rows.has(key))) return null
  return Math.max(0, ...keys.map((key) => now - rows.get(key)!.takenAt))
}
