import type { Timed, TimedTable } from '../core/partition/store.ts'
import { openRunTable } from './run-table.ts'
import { first, type Sql, type SqlValue } from './sql.ts'

const COLUMNS = ['state', 'dueMs', 'token', 'consumerId', 'leasedAtMs', 'leaseMs', 'reason'] as const
const LIST = `first, last, ${COLUMNS.join(', ')}`

type Row = Record<string, SqlValue> & { groupId: number; first: number; last: number }

/** Leases and delays. */
export function openTimedTable(sql: Sql): TimedTable {
  const { toRun, ...runs } = openRunTable<Timed>(sql, 'timed', COLUMNS)
  return {
    ...runs,
    times: () =>
      sql.each(
        `select groupId as "group", first, last, dueMs, iif(state = 'leased', dueMs - leaseMs, null) as grantedMs
         from timed`,
      ),
    countLeased: (group) =>
      first<{ count: number }>(
        sql,
        "select coalesce(sum(last - first + 1), 0) as count from timed where groupId = ?1 and state = 'leased'",
        group,
      )!.count,
    has: (group, state) =>
      first(sql, 'select 1 from timed where groupId = ?1 and state = ?2 limit 1', group, state) !== null,
    counts: (group) =>
      first<{ leased: number; delayed: number }>(
        sql,
        `select coalesce(sum(last - first + 1) filter (where state = 'leased'), 0) as leased,
                coalesce(sum(last - first + 1) filter (where state = 'delayed'), 0) as delayed
         from timed where groupId = ?1`,
        group,
      )!,
    *leased(group, consumerId, from) {
      const rows = sql.each<Row>(
        `select ${LIST} from timed
         where groupId = ?1 and last >= ?2 and state = 'leased' and (?3 is null or consumerId = ?3)
         order by last`,
        group,
        from,
        consumerId,
      )
      for (const row of rows) yield toRun(row)
    },
  }
}
