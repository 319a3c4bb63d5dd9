import type { Segment, SegmentStore } from '../core/partition/store.ts'
import { first, type Sql } from './sql.ts'

const BOUNDS = 'first, last, minTimeMs, maxTimeMs'

type Row = Omit<Segment, 'filter'> & { filter: ArrayBuffer | null }

/** Filters and time bounds over stretches of the log. */
export function openSegments(sql: Sql): SegmentStore {
  function* rows(text: string, ...parameters: number[]): Generator<Segment> {
    for (const { filter, ...bounds } of sql.each<Row>(text, ...parameters)) {
      yield { ...bounds, filter: filter === null ? null : new Uint8Array(filter) }
    }
  }
  const columns = (withFilters: boolean) => `${BOUNDS}, ${withFilters ? 'filter' : 'null as filter'}`
  return {
    last: () => first<{ last: number }>(sql, 'select last from segments order by last desc limit 1')?.last ?? 0,
    add(segment, filter) {
      sql.run(
        `insert into segments (last, first, minTimeMs, maxTimeMs, filter)
         select ?2, ?1, min(minTimeMs), max(maxTimeMs), ?3 from batches where last >= ?1 and last <= ?2`,
        segment.first,
        segment.last,
        filter,
      )
    },
    forwards: (range, withFilters) =>
      rows(`select ${columns(withFilters)} from segments where last >= ?1 order by last`, range.first),
    backwards: (range, withFilters) =>
      rows(
        `select ${columns(withFilters)} from segments
         where last >= ?1 and last <= coalesce(
           (select last from segments where last >= ?2 order by last limit 1), 9007199254740991)
         order by last desc`,
        range.first,
        range.last,
      ),
  }
}
