import type { Cost } from '../core/backend.ts'
import type { Sql, SqlValue } from './sql.ts'

/** The part of a cursor that the stores use. */
export interface DurableCursor extends Iterable<unknown> {
  readonly rowsRead: number
  readonly rowsWritten: number
  toArray(): unknown[]
}

/** The part of a Durable Object's storage that the stores use. */
export interface DurableStorage {
  readonly sql: {
    exec(text: string, ...parameters: SqlValue[]): DurableCursor
  }
  transactionSync<T>(work: () => T): T
}

/** A Durable Object's SQLite, with a running count of the rows it read and wrote. */
export function openDurableSql(storage: DurableStorage): Sql & { cost(): Cost } {
  let rowsRead = 0
  let rowsWritten = 0
  const count = (cursor: DurableCursor): void => {
    rowsRead += cursor.rowsRead
    rowsWritten += cursor.rowsWritten
  }
  function* each<R>(text: string, ...parameters: SqlValue[]): Generator<R> {
    const cursor = storage.sql.exec(text, ...parameters)
    try {
      yield* cursor as Iterable<R>
    } finally {
      count(cursor)
    }
  }
  // All rows in one call of the runtime: to iterate takes one for each.
  function all<R>(text: string, ...parameters: SqlValue[]): R[] {
    const cursor = storage.sql.exec(text, ...parameters)
    try {
      return cursor.toArray() as R[]
    } finally {
      count(cursor)
    }
  }
  return {
    all,
    each,
    run: (text, ...parameters) => {
      if (all(text, ...parameters).length > 0) throw new Error('run() is for statements without an answer')
    },
    transaction: (work) => storage.transactionSync(work),
    cost: () => ({ rowsRead, rowsWritten }),
  }
}
