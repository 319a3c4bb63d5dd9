import type { Cost } from '../core/backend.ts'
import type { Sql, SqlValue } from './sql.ts'

/** The part of a Durable Object's storage that the stores use. */
export interface DurableStorage {
  readonly sql: {
    exec(
      text: string,
      ...parameters: SqlValue[]
    ): Iterable<unknown> & { readonly rowsRead: number; readonly rowsWritten: number }
  }
  transactionSync<T>(work: () => T): T
}

/** A Durable Object's SQLite, with a running count of the rows it read and wrote. */
export function openDurableSql(storage: DurableStorage): Sql & { cost(): Cost } {
  let rowsRead = 0
  let rowsWritten = 0
  function* each<R>(text: string, ...parameters: SqlValue[]): Generator<R> {
    const cursor = storage.sql.exec(text, ...parameters)
    try {
      yield* cursor as Iterable<R>
    } finally {
      rowsRead += cursor.rowsRead
      rowsWritten += cursor.rowsWritten
    }
  }
  return {
    all: <R>(text: string, ...parameters: SqlValue[]) => [...each<R>(text, ...parameters)],
    each,
    run: (text, ...parameters) => {
      for (const _ of each(text, ...parameters)) throw new Error('run() is for statements without an answer')
    },
    transaction: (work) => storage.transactionSync(work),
    cost: () => ({ rowsRead, rowsWritten }),
  }
}
