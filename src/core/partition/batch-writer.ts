import { stamped } from '../event.ts'
import type { BatchHead, NewBatch, StoredKey } from './store.ts'

/**
 * Rows are closed at this length: reading 100 events out of rows of 64 KiB took 36 to 60 us, out of 1 MiB ten times
 * that. A longer event has a row of its own.
 */
export const ROW_CHARACTERS = 65_536

interface OpenRow {
  readonly first: number
  readonly atMs: number
  readonly texts: string[]
  readonly keys: StoredKey[]
  characters: number
  minTimeMs: number
  maxTimeMs: number
}

/** Packs the lines of one or more requests into rows of the log, behind its current end. */
export class BatchWriter {
  readonly rows: NewBatch[] = []
  #row: OpenRow | null = null
  #runMaxMs: number
  /** The last sequence given out. */
  last: number

  constructor(head: BatchHead | null) {
    this.last = head?.last ?? 0
    this.#runMaxMs = head?.runMaxMs ?? Number.MIN_SAFE_INTEGER
  }

  /** Adds one event; `timeMs` is its own timestamp, null for the request's now `atMs`. */
  add(line: string, timeMs: number | null, atMs: number): void {
    if (this.#row !== null && this.#row.characters + line.length > ROW_CHARACTERS) this.#close()
    this.#row ??= this.#open(atMs)
    const row = this.#row
    const text = timeMs === null && row.atMs !== atMs ? stamped(line, atMs) : line
    row.texts.push(text)
    row.characters += text.length + 1
    row.minTimeMs = Math.min(row.minTimeMs, timeMs ?? atMs)
    row.maxTimeMs = Math.max(row.maxTimeMs, timeMs ?? atMs)
    this.last += 1
  }

  /** Remembers the key of a request in the row of its first event; call it right after adding that event. */
  addKey(key: StoredKey): void {
    this.#row!.keys.push(key)
  }

  /** Closes the last row. */
  finish(): readonly NewBatch[] {
    if (this.#row !== null) this.#close()
    return this.rows
  }

  #open(atMs: number): OpenRow {
    const bounds = { minTimeMs: Number.MAX_SAFE_INTEGER, maxTimeMs: Number.MIN_SAFE_INTEGER }
    return { first: this.last + 1, atMs, texts: [], keys: [], characters: 0, ...bounds }
  }

  #close(): void {
    const { first, atMs, texts, keys, minTimeMs, maxTimeMs } = this.#row!
    this.#runMaxMs = Math.max(this.#runMaxMs, maxTimeMs)
    const lines = texts.join('\n')
    this.rows.push({ first, last: this.last, atMs, minTimeMs, maxTimeMs, runMaxMs: this.#runMaxMs, keys, lines })
    this.#row = null
  }
}
