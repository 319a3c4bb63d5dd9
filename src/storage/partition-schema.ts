import { clockTable } from './test-time.ts'

/**
 * The tables of a partition. Runs are keyed by their last sequence: `last >= s order by last limit 1` is the run that
 * holds s. `without rowid` makes an insert into a composite key one row written instead of two.
 */
export const partitionMigrations: readonly (readonly string[])[] = [
  [
    `create table identity (
      tenant text not null,
      stream text not null,
      uid text not null,
      partition integer not null
    )`,
    ...clockTable,
    // The long text comes last, so that reading the other columns never touches its overflow pages.
    `create table batches (
      last integer primary key,
      first integer not null,
      atMs integer not null,
      minTimeMs integer not null,
      maxTimeMs integer not null,
      runMaxMs integer not null,
      bytes integer not null,
      totalBytes integer not null,
      keys text,
      lines text not null
    )`,
    `create table segments (
      last integer primary key,
      first integer not null,
      minTimeMs integer not null,
      maxTimeMs integer not null,
      filter blob not null
    )`,
    'create table eventIds (id text primary key, sequence integer not null) without rowid',
    `create table groups (
      id integer primary key,
      uid text not null unique,
      name text not null,
      revision integer not null,
      epoch integer not null,
      cursor integer not null,
      options text not null
    )`,
    `create table timed (
      groupId integer not null,
      last integer not null,
      first integer not null,
      state text not null,
      dueMs integer not null,
      token text,
      consumerId text,
      leasedAtMs integer,
      leaseMs integer,
      reason text,
      primary key (groupId, last)
    ) without rowid`,
    `create table ready (
      groupId integer not null,
      last integer not null,
      first integer not null,
      reason text,
      primary key (groupId, last)
    ) without rowid`,
    `create table done (
      groupId integer not null,
      last integer not null,
      first integer not null,
      state text not null,
      primary key (groupId, last)
    ) without rowid`,
    `create table tries (
      groupId integer not null,
      last integer not null,
      first integer not null,
      attempts integer not null,
      primary key (groupId, last)
    ) without rowid`,
    `create table deadLetters (
      groupId integer not null,
      sequence integer not null,
      reason text,
      cause text not null,
      attempt integer not null,
      consumerId text,
      atMs integer not null,
      primary key (groupId, sequence)
    ) without rowid`,
  ],
]
