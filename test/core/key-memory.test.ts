import { describe, expect, it } from 'vitest'
import { limits } from '../../src/core/limits.ts'
import { KeyMemory } from '../../src/core/partition/key-memory.ts'
import type { LogStore, StoredKey } from '../../src/core/partition/store.ts'
import { phash2 } from '../../src/core/phash2.ts'

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
  const found = new KeyMemory(limits.idempotencyKeys).find(log as unknown as LogStore, key, NOW_MS) !== null
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

/** A log whose rows hold one key each, and a memory that is told of each. */
function remembering(keys: readonly string[], atMs: number) {
  const stored = keys.map((key, index): StoredKey => ({ key, fingerprint: '', first: index + 1, atMs }))
  const log = {
    *keysBackwards() {},
    keysAt: (first: number) => stored.filter((one) => one.first === first),
  } as unknown as LogStore
  const memory = new KeyMemory(limits.idempotencyKeys)
  for (const one of stored) memory.add(log, one)
  return { log, memory }
}

/** Two keys that hash alike. */
function alike(): [string, string] {
  const seen = new Map<number, string>()
  for (let n = 0; ; n++) {
    const key = `key-${n}`
    const other = seen.get(phash2(key, 2 ** 30))
    if (other !== undefined) return [other, key]
    seen.set(phash2(key, 2 ** 30), key)
  }
}

describe('S2.7 idempotency keys in memory', () => {
  it('two keys that hash alike are told apart, and neither is forgotten for the other', () => {
    const keys = alike()
    const { log, memory } = remembering(keys, NOW_MS)
    expect(keys.map((key) => memory.find(log, key, NOW_MS)?.key)).toEqual(keys)
    expect(
      new KeyMemory(limits.idempotencyKeys).find(
        {
          ...log,
          *keysBackwards() {
            yield {
              atMs: NOW_MS,
              keys: keys.map((key, index) => ({ key, fingerprint: '', first: index + 1, atMs: NOW_MS })),
            }
          },
        } as unknown as LogStore,
        keys[0],
        NOW_MS,
      )?.key,
    ).toBe(keys[0])
  })

  it('a key that was used again after it had been forgotten stands for its second request', () => {
    const { log, memory } = remembering([], NOW_MS)
    const uses = [0, limits.idempotencyMs].map(
      (laterMs, index): StoredKey => ({ key: 'k', fingerprint: '', first: index + 1, atMs: NOW_MS + laterMs }),
    )
    const both = { ...log, keysAt: (first: number) => uses.filter((use) => use.first === first) } as unknown as LogStore
    for (const use of uses) memory.add(both, use)
    expect(memory.find(both, 'k', NOW_MS + limits.idempotencyMs)?.first).toBe(2)
  })

  it('as many keys as the limit fill it, and there is room again when they are old', () => {
    const log = { *keysBackwards() {} } as unknown as LogStore
    const memory = new KeyMemory(limits.idempotencyKeys)
    for (let n = 0; n < limits.idempotencyKeys; n++) {
      memory.add(log, { key: `k${n}`, fingerprint: '', first: n + 1, atMs: NOW_MS })
    }
    // Keys that hash alike count once: a few in a thousand.
    expect(memory.room(log, NOW_MS)).toBeLessThan(limits.idempotencyKeys / 500)
    expect(memory.room(log, NOW_MS + 2 * limits.idempotencyMs)).toBeGreaterThan(0.99 * limits.idempotencyKeys)
  })
})
