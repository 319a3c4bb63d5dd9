import type { Ready, ReadyTable } from '../core/partition/store.ts'
import { openRunTable } from './run-table.ts'
import { first, type Sql } from './sql.ts'

/** Deliveries that are open again. */
export function openReadyTable(sql: Sql): ReadyTable {
  const { toRun: _, ...runs } = openRunTable<Ready>(sql, 'ready', ['reason'])
  return {
    ...runs,
    has: (group) => first(sql, 'select 1 from ready where groupId = ?1 limit 1', group) !== null,
    count: (group) =>
      first<{ count: number }>(
        sql,
        'select coalesce(sum(last - first + 1), 0) as count from ready where groupId = ?1',
        group,
      )!.count,
  }
}
