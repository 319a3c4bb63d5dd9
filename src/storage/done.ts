import type { Done, DoneTable } from '../core/partition/store.ts'
import { openRunTable } from './run-table.ts'
import { first, type Sql } from './sql.ts'

/** Deliveries that are terminal without an ack: skipped and rejected ones. */
export function openDoneTable(sql: Sql): DoneTable {
  const { toRun: _, ...runs } = openRunTable<Done>(sql, 'done', ['state'])
  return {
    ...runs,
    count: (group, state) =>
      first<{ count: number }>(
        sql,
        'select coalesce(sum(last - first + 1), 0) as count from done where groupId = ?1 and state = ?2',
        group,
        state,
      )!.count,
  }
}
