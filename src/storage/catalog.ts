import type { StreamRecord } from '../core/catalog/commands.ts'
import type { CatalogStore, Doomed, GroupRow } from '../core/catalog/store.ts'
import { catalogMigrations } from './catalog-schema.ts'
import { isEmpty, migrate } from './migrate.ts'
import { first, type Sql, type SqlValue } from './sql.ts'

/** A doomed group is known by its uid, a doomed stream by its own. */
const doomedUid = ({ stream, group }: Doomed): string => group?.uid ?? stream.uid

/** Opens the store of a tenant's catalog, creating or migrating its tables. */
export function openCatalogStore(sql: Sql): CatalogStore {
  sql.transaction(() => migrate(sql, catalogMigrations))
  const records = <R>(text: string, ...parameters: SqlValue[]): R[] =>
    sql.all<{ record: string }>(text, ...parameters).map(({ record }) => JSON.parse(record) as R)
  // The revisions stand in columns, where they can be asked for and changed; the record leaves them out.
  const groups = (condition: string, ...parameters: SqlValue[]): GroupRow[] =>
    sql
      .all<{ revision: number; syncedRevision: number; record: string }>(
        `select revision, syncedRevision, record from groups where ${condition}`,
        ...parameters,
      )
      .map(({ record, ...revisions }) => ({ ...JSON.parse(record), ...revisions }))
  const count = (text: string, ...parameters: SqlValue[]): number =>
    first<{ count: number }>(sql, `select count(*) as count from ${text}`, ...parameters)!.count
  return {
    stream: (name) => records<StreamRecord>('select record from streams where name = ?1', name)[0] ?? null,
    streams: (after, limit) =>
      records('select record from streams where name > ?1 order by name limit ?2', after, limit),
    countStreams: () => count('streams'),
    addStream(stream) {
      const { name, uid } = stream
      sql.run('insert into streams (name, uid, record) values (?1, ?2, ?3)', name, uid, JSON.stringify(stream))
    },
    group: (streamUid, name) => groups('streamUid = ?1 and name = ?2', streamUid, name)[0] ?? null,
    groups: (streamUid, after, limit) =>
      groups('streamUid = ?1 and name > ?2 and syncedRevision > 0 order by name limit ?3', streamUid, after, limit),
    countGroups: (streamUid) => count('groups where streamUid = ?1', streamUid),
    addGroup({ revision, syncedRevision, ...record }) {
      sql.run(
        `insert into groups (streamUid, name, uid, revision, syncedRevision, record)
         values (?1, ?2, ?3, ?4, ?5, ?6)`,
        record.streamUid,
        record.name,
        record.uid,
        revision,
        syncedRevision,
        JSON.stringify(record),
      )
    },
    changeGroup({ revision, syncedRevision: _, ...record }) {
      const text = JSON.stringify(record)
      sql.run('update groups set revision = ?2, record = ?3 where uid = ?1', record.uid, revision, text)
    },
    markSynced(uid, revision) {
      sql.run('update groups set syncedRevision = max(syncedRevision, ?2) where uid = ?1', uid, revision)
    },
    removeGroup(uid) {
      sql.run('delete from groups where uid = ?1', uid)
    },
    removeStream(uid) {
      sql.run('delete from groups where streamUid = ?1', uid)
      sql.run('delete from streams where uid = ?1', uid)
    },
    addDoomed(doomed) {
      sql.run('insert into doomed (uid, record) values (?1, ?2)', doomedUid(doomed), JSON.stringify(doomed))
    },
    removeDoomed(doomed) {
      sql.run('delete from doomed where uid = ?1', doomedUid(doomed))
    },
    doomed: () => records('select record from doomed'),
    unsynced: () => groups('syncedRevision < revision'),
    transaction: (work) => sql.transaction(work),
  }
}

/** Whose catalog this is; null when nothing has been written yet. */
export const readOwner = (sql: Sql): string | null =>
  isEmpty(sql) ? null : (first<{ tenant: string }>(sql, 'select tenant from owner')?.tenant ?? null)

/** Says whose catalog this is, once, before its first stream. */
export function writeOwner(sql: Sql, tenant: string): void {
  sql.run('insert into owner (tenant) values (?1)', tenant)
}
