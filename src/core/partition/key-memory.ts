import { limits } from '../limits.ts'
import type { LogStore, StoredKey } from './store.ts'

const GENERATION_MS = limits.idempotencyMs / 4
/** How many rows in succession must look too old before what lies behind them is believed to be too old as well. */
const OLD_ROWS = 4_096

interface Generation {
  readonly sinceMs: number
  readonly keys: Map<string, number>
}

/**
 * The idempotency keys of the last ten minutes: for each the first sequence it wrote; what else is known of it lies in
 * the row of that sequence. Rebuilt from the log when first asked, so eviction forgets nothing. Forgets by
 * generations, newest first, which costs nothing per key.
 */
export class KeyMemory {
  #generations: Generation[] | null = null

  /** What is stored under a key that is still remembered at `nowMs`. */
  find(log: LogStore, key: string, nowMs: number): StoredKey | null {
    for (const { keys } of this.#loaded(log, nowMs)) {
      const first = keys.get(key)
      if (first === undefined) continue
      const stored = log.keysAt(first).find((entry) => entry.key === key && entry.first === first)
      return stored !== undefined && stored.atMs + limits.idempotencyMs > nowMs ? stored : null
    }
    return null
  }

  /** Remembers a key that has been written to the log. */
  add(log: LogStore, { key, first, atMs }: StoredKey): void {
    const generations = this.#loaded(log, atMs)
    if (generations[0] === undefined || atMs - generations[0].sinceMs >= GENERATION_MS) {
      generations.unshift({ sinceMs: atMs, keys: new Map() })
    }
    generations[0]!.keys.set(key, first)
    // A generation can go once the next newer one began ten minutes ago: each of its keys is older than that.
    while (generations.length > 1 && generations.at(-2)!.sinceMs + limits.idempotencyMs < atMs) generations.pop()
  }

  /** Forgets all; the next question reads the log again. */
  clear(): void {
    this.#generations = null
  }

  #loaded(log: LogStore, nowMs: number): Generation[] {
    this.#generations ??= load(log, nowMs)
    return this.#generations
  }
}

function load(log: LogStore, nowMs: number): Generation[] {
  const keys = new Map<string, number>()
  let oldRows = 0
  for (const row of log.keysBackwards()) {
    oldRows = isOld(row, nowMs) ? oldRows + 1 : 0
    if (oldRows === OLD_ROWS) break
    for (const entry of row.keys.toReversed()) if (!keys.has(entry.key)) keys.set(entry.key, entry.first)
  }
  return [{ sinceMs: nowMs, keys }]
}

/**
 * Whether a row seems to be from a time of which no key is remembered. The time of a key is the partition's own. A row
 * without keys has only the clock of the Worker that sent it, which may be wrong by any amount, also against this
 * partition's: it is given twice the time, and proves nothing about those before it unless there are many like it.
 * Reading so many rows takes a few milliseconds, once after a start.
 */
function isOld({ atMs, keys }: { atMs: number; keys: readonly StoredKey[] }, nowMs: number): boolean {
  if (keys.length > 0) return keys.every((key) => key.atMs + limits.idempotencyMs <= nowMs)
  return atMs < nowMs - 2 * limits.idempotencyMs
}
