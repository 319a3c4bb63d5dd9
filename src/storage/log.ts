import { ROW_CHARACTERS } from '../core/partition/batch-writer.ts'
import type { Batch, BatchHead, LogStore, StoredKey } from '../core/partition/store.ts'
import { jsonLists } from './json-lists.ts'
import { first, type Sql } from './sql.ts'

const BATCH = 'first, last, atMs, minTimeMs, maxTimeMs, runMaxMs, bytes, totalBytes, lines'

type KeyTuple = readonly [key: string, fingerprint: string, first: number, atMs: number]

const toKeys = (text: string | null): readonly StoredKey[] =>
  text === null
    ? []
    : (JSON.parse(text) as KeyTuple[]).map(([key, fingerprint, first, atMs]) => ({ key, fingerprint, first, atMs }))

const toText = (keys: readonly StoredKey[]): string | null =>
  keys.length === 0
    ? null
    : JSON.stringify(keys.map(({ key, fingerprint, first, atMs }): KeyTuple => [key, fingerprint, first, atMs]))

/** The log: rows of batches, and the ids that producers chose. */
export function openLog(sql: Sql): LogStore & { forget(): void } {
  let head: BatchHead | null | undefined
  /** The row that was read last: whoever reads on by little steps comes back to it. Not one that a long event has alone. */
  let known: Batch | undefined
  return {
    head() {
      head ??= first<BatchHead>(sql, 'select last, runMaxMs from batches order by last desc limit 1')
      return head
    },
    forget() {
      head = undefined
      known = undefined
    },
    bytes: () =>
      first<{ totalBytes: number }>(sql, 'select totalBytes from batches order by last desc limit 1')?.totalBytes ?? 0,
    firstSequence: () =>
      first<{ first: number }>(sql, 'select first from batches order by last limit 1')?.first ?? null,
    *from(sequence) {
      let next = sequence
      if (known !== undefined && known.first <= next && next <= known.last) {
        next = known.last + 1
        yield known
      }
      const rows = sql.each<Batch>(`select ${BATCH} from batches where last >= ?1 order by last`, next)
      for (const row of rows) {
        if (row.lines.length <= ROW_CHARACTERS) known = row
        yield row
      }
    },
    backwards: (sequence) =>
      sql.each<Batch>(
        `select ${BATCH} from batches
         where last <= (select last from batches where last >= ?1 order by last limit 1) order by last desc`,
        sequence,
      ),
    timesFrom(sequence) {
      const times = first<{ minTimeMs: number | null; maxTimeMs: number }>(
        sql,
        'select min(minTimeMs) as minTimeMs, max(maxTimeMs) as maxTimeMs from batches where last >= ?1',
        sequence,
      )!
      return times.minTimeMs === null ? null : { minTimeMs: times.minTimeMs, maxTimeMs: times.maxTimeMs }
    },
    boundsAt: (sequence) =>
      first(sql, 'select first, last, runMaxMs from batches where last >= ?1 order by last limit 1', sequence),
    timesAt: (sequence) =>
      first(sql, 'select minTimeMs, maxTimeMs from batches where last >= ?1 order by last limit 1', sequence),
    append(batches) {
      for (const batch of batches) {
        sql.run(
          `insert into batches (last, first, atMs, minTimeMs, maxTimeMs, runMaxMs, bytes, totalBytes, keys, lines)
           select ?1, ?2, ?3, ?4, ?5, ?6, octet_length(?8),
             octet_length(?8) + coalesce((select totalBytes from batches order by last desc limit 1), 0), ?7, ?8`,
          batch.last,
          batch.first,
          batch.atMs,
          batch.minTimeMs,
          batch.maxTimeMs,
          batch.runMaxMs,
          toText(batch.keys),
          batch.lines,
        )
        head = { last: batch.last, runMaxMs: batch.runMaxMs }
      }
    },
    sequencesOf(ids) {
      const rows = jsonLists(ids).flatMap((list) =>
        sql.all<{ id: string; sequence: number }>(
          'select id, sequence from eventIds where id in (select value from json_each(?1))',
          list,
        ),
      )
      return new Map(rows.map(({ id, sequence }) => [id, sequence]))
    },
    addIds(ids) {
      for (const list of jsonLists(ids.map(({ id, sequence }) => [id, sequence]))) {
        sql.run('insert into eventIds (id, sequence) select value ->> 0, value ->> 1 from json_each(?1)', list)
      }
    },
    *keysBackwards() {
      const rows = sql.each<{ atMs: number; keys: string | null }>('select atMs, keys from batches order by last desc')
      for (const { atMs, keys } of rows) yield { atMs, keys: toKeys(keys) }
    },
    keysAt: (sequence) =>
      toKeys(
        first<{ keys: string | null }>(sql, 'select keys from batches where last >= ?1 order by last limit 1', sequence)
          ?.keys ?? null,
      ),
  }
}
