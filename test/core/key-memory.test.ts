import { describe, expect, it } from 'vitest'
import { KeyMemory } from '../../src/core/partition/key-memory.ts'
import type { LogStore, StoredKey } from '../../src/core/partition/store.ts'

const NOW_MS = Date.UTC(2026, 2, 15, 12)
const HOUR_MS = 3_600_000

interface Row {
  readonly atMs: number
  readonly keys: readonly StoredKey[]
}

/** A row that its sender's clock puts so far back; its key, if it has one, is put there by the partition's clock. */
const row = (agoMs: number, key: string | null = null, keyAgoMs = agoMs): Row => ({
  atMs: NOW_MS - agoMs,
  keys: key === null ? [] : [{ key, fingerprint: '', first: 1, atMs: NOW_MS - keyAgoMs }],
})

/** Looks for a key right after an eviction in rows that are given newest first. */
function findIn(rows: readonly Row[], key: string): { found: boolean; rowsRead: number } {
  let rowsRead = 0
  const log = {
    *keysBackwards() {
      for (const one of rows) {
        rowsRead += 1
        yield one
      }
    },
    keysAt: () => rows.flatMap(({ keys }) => keys),
  }
  const found = new KeyMemory().find(log as unknown as LogStore, key, NOW_MS) !== null
  return { found, rowsRead }
}

describe('S2.7 idempotency keys after an eviction', () => {
  it('a key is found behind rows whose producers have a wrong clock', () => {
    const wrong = Array.from({ length: 4_095 }, () => row(HOUR_MS))
    expect(findIn([...wrong, row(1_000, 'k')], 'k').found).toBe(true)
  })

  it('a key is found in a row whose producer has a wrong clock', () => {
    expect(findIn([row(HOUR_MS, 'k', 1_000)], 'k').found).toBe(true)
  })

  it('a row with an old key is an old row, however young its producer takes it to be', () => {
    const old = Array.from({ length: 5_000 }, () => row(0, 'other', HOUR_MS))
    expect(findIn(old, 'k')).toEqual({ found: false, rowsRead: 4_096 })
  })

  it('of a log that has been quiet for long 4 096 rows are read', () => {
    const old = Array.from({ length: 10_000 }, () => row(HOUR_MS))
    expect(findIn(old, 'k')).toEqual({ found: false, rowsRead: 4_096 })
  })
})
