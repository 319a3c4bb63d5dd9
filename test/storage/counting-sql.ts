import type { Sql } from '../../src/storage/sql.ts'

/** A database that counts the rows its reader was given and the rows it has changed. */
export class CountingSql implements Sql {
  readonly #sql: Sql
  rowsRead = 0

  constructor(sql: Sql) {
    this.#sql = sql
  }

  /** Rows inserted, updated and deleted since the database was opened. */
  get rowsWritten(): number {
    return this.#sql.all<{ count: number }>('select total_changes() as count')[0]!.count
  }

  all<R>(...call: Parameters<Sql['all']>): R[] {
    const rows = this.#sql.all<R>(...call)
    this.rowsRead += rows.length
    return rows
  }

  *each<R>(...call: Parameters<Sql['each']>): Generator<R> {
    for (const row of this.#sql.each<R>(...call)) {
      this.rowsRead += 1
      yield row
    }
  }

  run(...call: Parameters<Sql['run']>): void {
    this.#sql.run(...call)
  }

  transaction<T>(work: () => T): T {
    return this.#sql.transaction(work)
  }
}
