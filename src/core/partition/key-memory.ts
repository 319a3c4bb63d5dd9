import { limits } from '../limits.ts'
import { phash2 } from '../phash2.ts'
import type { LogStore, StoredKey } from './store.ts'

const GENERATION_MS = limits.idempotencyMs / 4
/** How many rows in succession must look too old before what lies behind them is believed to be too old as well. */
const OLD_ROWS = 4_096
/** The engine keeps integers below this in place, so that a key takes some forty bytes of memory however long it is. */
const HASHES = 2 ** 30

const hash = (key: string): number => phash2(key, HASHES)

/** First sequences that keys wrote, by the hash of the key; where keys share one, newest first. */
type Firsts = Map<number, number | readonly number[]>

interface Generation {
  readonly sinceMs: number
  readonly firsts: Firsts
}

/**
 * The idempotency keys of the last ten minutes: for each the first sequence it wrote; what else is known of it, and the
 * key itself, lies in the row of that sequence. Rebuilt from the log when first asked, so eviction forgets nothing.
 * Forgets by generations, newest first, which costs nothing per key.
 */
export class KeyMemory {
  readonly #most: number
  #generations: Generation[] | null = null

  /** Takes so many keys at most. */
  constructor(most: number) {
    this.#most = most
  }

  /** What is stored under a key that is still remembered at `nowMs`. */
  find(log: LogStore, key: string, nowMs: number): StoredKey | null {
    for (const { firsts } of this.#loaded(log, nowMs)) {
      for (const first of [firsts.get(hash(key)) ?? []].flat()) {
        const stored = log.keysAt(first).find((entry) => entry.key === key && entry.first === first)
        if (stored !== undefined) return stored.atMs + limits.idempotencyMs > nowMs ? stored : null
      }
    }
    return null
  }

  /** How many more keys it takes at `nowMs`. */
  room(log: LogStore, nowMs: number): number {
    const generations = this.#loaded(log, nowMs)
    return this.#most - generations.reduce((sum, { firsts }) => sum + firsts.size, 0)
  }

  /** Remembers a key that has been written to the log. */
  add(log: LogStore, { key, first, atMs }: StoredKey): void {
    const { firsts } = this.#loaded(log, atMs)[0]!
    const others = firsts.get(hash(key))
    firsts.set(hash(key), others === undefined ? first : [first, others].flat())
  }

  /** Forgets all; the next question reads the log again. */
  clear(): void {
    this.#generations = null
  }

  #loaded(log: LogStore, nowMs: number): Generation[] {
    this.#generations ??= [load(log, nowMs)]
    const generations = this.#generations
    if (nowMs - generations[0]!.sinceMs >= GENERATION_MS) generations.unshift({ sinceMs: nowMs, firsts: new Map() })
    // Its last key came before it was a generation old.
    while (generations.at(-1)!.sinceMs + GENERATION_MS + limits.idempotencyMs < nowMs) generations.pop()
    return generations
  }
}

function load(log: LogStore, nowMs: number): Generation {
  const firsts: Firsts = new Map()
  let oldRows = 0
  for (const row of log.keysBackwards()) {
    oldRows = isOld(row, nowMs) ? oldRows + 1 : 0
    if (oldRows === OLD_ROWS) break
    for (const { key, first, atMs } of row.keys.toReversed()) {
      if (atMs + limits.idempotencyMs <= nowMs) continue
      const newer = firsts.get(hash(key))
      firsts.set(hash(key), newer === undefined ? first : [newer, first].flat())
    }
  }
  return { sinceMs: nowMs, firsts }
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
