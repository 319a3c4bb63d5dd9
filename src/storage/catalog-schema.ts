import { clockTable } from './test-time.ts'

/**
 * The tables of a tenant's catalog. A row is its record as JSON; beside it stand only the columns that rows are found
 * by. Catalogs are written rarely and read by name.
 */
export const catalogMigrations: readonly (readonly string[])[] = [
  [
    ...clockTable,
    'create table owner (tenant text not null)',
    'create table streams (name text primary key, uid text not null, record text not null) without rowid',
    `create table groups (
      streamUid text not null,
      name text not null,
      uid text not null unique,
      revision integer not null,
      syncedRevision integer not null,
      record text not null,
      primary key (streamUid, name)
    ) without rowid`,
    'create index unsyncedGroups on groups (uid) where syncedRevision < revision',
    'create table doomed (uid text primary key, record text not null) without rowid',
  ],
]
