import { describe, expect, it } from 'vitest'
import type { Context } from '../../src/core/partition/context.ts'
import { GroupMemory } from '../../src/core/partition/group-memory.ts'
import { put } from '../../src/core/partition/ledger.ts'
import type { PartitionStore } from '../../src/core/partition/store.ts'
import { openPartitionStore } from '../../src/storage/partition.ts'
import type { Sql, SqlValue } from '../../src/storage/sql.ts'
import { openNodeSql } from '../../src/storage/sql-node.ts'

const MAX_BYTES = 2_000_000

/** The platform's limit on a value, which neither node:sqlite nor a local workerd has. */
function limited(sql: Sql): Sql {
  const check = (values: readonly SqlValue[]): void => {
    for (const value of values) {
      const bytes =
        typeof value === 'string' ? Buffer.byteLength(value) : value instanceof Uint8Array ? value.length : 0
      if (bytes > MAX_BYTES) throw new Error(`a parameter has ${bytes} bytes`)
    }
  }
  return {
    all(text, ...values) {
      check(values)
      return sql.all(text, ...values)
    },
    each(text, ...values) {
      check(values)
      return sql.each(text, ...values)
    },
    run(text, ...values) {
      check(values)
      sql.run(text, ...values)
    },
    transaction: (work) => sql.transaction(work),
  }
}

const open = (): PartitionStore => openPartitionStore(limited(openNodeSql(':memory:')))

function openContext(): Context {
  const store = open()
  const address = { tenant: 't', stream: 's', uid: 'u', partition: 0 }
  return { store, address, nowMs: 0, memory: new GroupMemory(store) }
}

const GROUP = 1

describe('lists longer than a parameter may be', () => {
  it('200 000 scattered deliveries are opened, found, changed and closed', () => {
    const context = openContext()
    const { ready } = context.store
    const scattered = (reason: string | null, every: number) =>
      Array.from({ length: 200_000 }, (_, index) => ({ first: 3 * index + 1, last: 3 * index + 1, index }))
        .filter(({ index }) => index % every === 0)
        .map(({ first, last }) => ({ first, last, value: { reason } }))
    put(context, 'ready', GROUP, scattered(null, 1))
    expect(ready.count(GROUP)).toBe(200_000)
    put(context, 'ready', GROUP, scattered('again', 2))
    const runs = ready.around(GROUP, scattered(null, 1))
    expect(runs).toEqual([...ready.from(GROUP, 1)])
    expect(runs.filter(({ value }) => value.reason === 'again')).toHaveLength(100_000)
    put(
      context,
      'ready',
      GROUP,
      scattered(null, 1).map((piece) => ({ ...piece, value: null })),
    )
    expect(ready.count(GROUP)).toBe(0)
  })

  it('neighbouring ranges at the seams of lists become one run', () => {
    const context = openContext()
    const { ready } = context.store
    const each = Array.from({ length: 120_000 }, (_, index) => ({
      first: index + 1,
      last: index + 1,
      value: { reason: `${index % 2}` },
    }))
    put(context, 'ready', GROUP, each)
    const ranges = each.map(({ first, last }) => ({ first, last }))
    expect(ready.around(GROUP, ranges)).toEqual([...ready.from(GROUP, 1)])
    put(
      context,
      'ready',
      GROUP,
      each.map((piece) => ({ ...piece, value: { reason: null } })),
    )
    expect([...ready.from(GROUP, 1)]).toEqual([{ first: 1, last: 120_000, value: { reason: null } }])
  })

  it('the ids of many requests that share a commit are added and found', () => {
    const { log } = open()
    const ids = Array.from({ length: 20_000 }, (_, index) => ({ id: `${index}`.padEnd(120, 'é'), sequence: index + 1 }))
    log.addIds(ids)
    const found = log.sequencesOf([...ids.map(({ id }) => id), 'none'])
    expect(found).toEqual(new Map(ids.map(({ id, sequence }) => [id, sequence])))
  })

  it('a thousand dead letters with the longest reasons are added and removed', () => {
    const { deadLetters } = open()
    const letters = Array.from({ length: 1_000 }, (_, index) => ({
      sequence: index + 1,
      reason: '€'.repeat(1_000),
      cause: 'rejected' as const,
      attempt: 1,
      consumerId: null,
      atMs: 0,
    }))
    deadLetters.add(GROUP, letters)
    expect([...deadLetters.after(GROUP, 0)]).toEqual(letters)
    deadLetters.remove(
      GROUP,
      Array.from({ length: 150_000 }, (_, index) => ({ first: 2 * index + 1, last: 2 * index + 1 })),
    )
    expect([...deadLetters.after(GROUP, 0)].map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: 500 }, (_, index) => 2 * (index + 1)),
    )
  })
})
