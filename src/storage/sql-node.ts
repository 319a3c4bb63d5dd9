import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { Sql, SqlValue } from './sql.ts'

/** Opens a SQLite file, or `:memory:`, as a store's database. */
export function openNodeSql(path: string): Sql & { close(): void } {
  const database = new DatabaseSync(path)
  database.exec('pragma journal_mode = wal')
  const statements = new Map<string, StatementSync>()
  const prepared = (text: string): StatementSync => {
    const known = statements.get(text)
    if (known !== undefined) return known
    const statement = database.prepare(text)
    statements.set(text, statement)
    return statement
  }
  return {
    all: <R>(text: string, ...parameters: SqlValue[]) => prepared(text).all(...parameters) as R[],
    // A statement of its own: the same text may be read by two iterations at once.
    each: <R>(text: string, ...parameters: SqlValue[]) =>
      database.prepare(text).iterate(...parameters) as unknown as Iterable<R>,
    run: (text, ...parameters) => {
      prepared(text).run(...parameters)
    },
    transaction: (work) => {
      database.exec('begin immediate')
      try {
        const result = work()
        database.exec('commit')
        return result
      } catch (error) {
        database.exec('rollback')
        throw error
      }
    },
    close: () => database.close(),
  }
}
