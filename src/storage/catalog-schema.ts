import { clockTable } from './test-time.ts'

/** The tables of a tenant's catalog. */
export const catalogMigrations: readonly (readonly string[])[] = [
  [
    ...clockTable,
    'create table owner (tenant text not null)',
    `create table streams (
      name text primary key,
      uid text not null,
      partitionCount integer not null,
      createdAtMs integer not null
    ) without rowid`,
    `create table groups (
      streamUid text not null,
      name text not null,
      uid text not null unique,
      stream text not null,
      createdAtMs integer not null,
      options text not null,
      starts text not null,
      requestedStart text not null,
      requestedOptions text not null,
      epochs text not null,
      revision integer not null,
      syncedRevision integer not null,
      primary key (streamUid, name)
    ) without rowid`,
    `create table doomed (
      streamUid text not null,
      groupUid text not null,
      stream text not null,
      groupName text not null,
      primary key (streamUid, groupUid)
    ) without rowid`,
    'create index unsyncedGroups on groups (uid) where syncedRevision < revision',
  ],
]
