import type { PartitionStore, Tries } from '../core/partition/store.ts'
import { openDeadLetters } from './dead-letters.ts'
import { openDoneTable } from './done.ts'
import { openGroups } from './groups.ts'
import { openLog } from './log.ts'
import { migrate } from './migrate.ts'
import { partitionMigrations } from './partition-schema.ts'
import { openReadyTable } from './ready.ts'
import { openRunTable } from './run-table.ts'
import { openSegments } from './segments.ts'
import type { Sql } from './sql.ts'
import { openTimedTable } from './timed.ts'

/** Opens the store of a partition, creating or migrating its tables. */
export function openPartitionStore(sql: Sql): PartitionStore {
  sql.transaction(() => migrate(sql, partitionMigrations))
  const { toRun: _, ...tries } = openRunTable<Tries>(sql, 'tries', ['attempts'])
  const { forget: forgetLog, ...log } = openLog(sql)
  const { forget: forgetGroups, ...groups } = openGroups(sql)
  return {
    log,
    segments: openSegments(sql),
    groups,
    timed: openTimedTable(sql),
    ready: openReadyTable(sql),
    done: openDoneTable(sql),
    tries,
    deadLetters: openDeadLetters(sql),
    transaction(work) {
      try {
        return sql.transaction(work)
      } catch (fault) {
        forgetLog()
        forgetGroups()
        throw fault
      }
    },
  }
}
