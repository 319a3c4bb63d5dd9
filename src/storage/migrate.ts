import { first, type Sql } from './sql.ts'

/** Whether the database holds anything yet. */
export const isEmpty = (sql: Sql): boolean =>
  first(sql, "select 1 from sqlite_master where name = 'migrations'") === null

/**
 * Brings a database up to date: runs the statements of each migration it has not seen, in order. Migrations are only
 * ever added to the end of their list, never edited. The caller holds the transaction.
 */
export function migrate(sql: Sql, migrations: readonly (readonly string[])[]): void {
  const isNew = isEmpty(sql)
  if (isNew) sql.run('create table migrations (version integer primary key)')
  const version = isNew ? 0 : first<{ version: number }>(sql, 'select max(version) as version from migrations')!.version
  if (version === migrations.length) return
  if (version > migrations.length) {
    throw new Error(
      `the tables are of version ${version}, and this release knows ${migrations.length}: deploy a later one`,
    )
  }
  for (const statement of migrations.slice(version).flat()) sql.run(statement)
  sql.run('insert into migrations (version) values (?)', migrations.length)
}
