export type SqlValue = string | number | null | Uint8Array

/**
 * The little of SQLite that the stores need; a Durable Object (sql-durable.ts) and Node (sql-node.ts) both fulfil it.
 * Texts are constants: lists travel as one JSON parameter, read with `json_each`.
 */
export interface Sql {
  all<R>(text: string, ...parameters: SqlValue[]): R[]
  /** Reads rows as they are asked for; the caller writes nothing before it has done with them. */
  each<R>(text: string, ...parameters: SqlValue[]): Iterable<R>
  run(text: string, ...parameters: SqlValue[]): void
  /** Keeps all that `work` writes, or nothing when it throws. Not nested. */
  transaction<T>(work: () => T): T
}

/** The first row of an answer, or null. */
export const first = <R>(sql: Sql, text: string, ...parameters: SqlValue[]): R | null =>
  sql.all<R>(text, ...parameters)[0] ?? null
