import type { StreamRecord } from '../core/catalog/commands.ts'
import type { CatalogStore, GroupRow } from '../core/catalog/store.ts'
import { catalogMigrations } from './catalog-schema.ts'
import { isEmpty, migrate } from './migrate.ts'
import { first, type Sql } from './sql.ts'

const STREAM = 'name, uid, partitionCount, createdAtMs'
const GROUP =
  'streamUid, name, uid, stream, createdAtMs, options, starts, requestedStart, requestedOptions, epochs, revision, syncedRevision'

type JsonColumn = 'options' | 'starts' | 'epochs' | 'requestedStart' | 'requestedOptions'
type Row = Omit<GroupRow, JsonColumn> & Record<JsonColumn, string>

const toGroup = (row: Row): GroupRow => ({
  ...row,
  options: JSON.parse(row.options),
  starts: JSON.parse(row.starts),
  epochs: JSON.parse(row.epochs),
  requestedStart: JSON.parse(row.requestedStart),
  requestedOptions: JSON.parse(row.requestedOptions),
})

/** Opens the store of a tenant's catalog, creating or migrating its tables. */
export function openCatalogStore(sql: Sql): CatalogStore {
  sql.transaction(() => migrate(sql, catalogMigrations))
  return {
    stream: (name) => first<StreamRecord>(sql, `select ${STREAM} from streams where name = ?1`, name),
    streams: (after, limit) =>
      sql.all<StreamRecord>(`select ${STREAM} from streams where name > ?1 order by name limit ?2`, after, limit),
    countStreams: () => first<{ count: number }>(sql, 'select count(*) as count from streams')!.count,
    addStream({ name, uid, partitionCount, createdAtMs }) {
      sql.run(`insert into streams (${STREAM}) values (?1, ?2, ?3, ?4)`, name, uid, partitionCount, createdAtMs)
    },
    group(streamUid, name) {
      const row = first<Row>(sql, `select ${GROUP} from groups where streamUid = ?1 and name = ?2`, streamUid, name)
      return row === null ? null : toGroup(row)
    },
    groups: (streamUid, after, limit) =>
      sql
        .all<Row>(
          `select ${GROUP} from groups
           where streamUid = ?1 and name > ?2 and syncedRevision > 0 order by name limit ?3`,
          streamUid,
          after,
          limit,
        )
        .map(toGroup),
    countGroups: (streamUid) =>
      first<{ count: number }>(sql, 'select count(*) as count from groups where streamUid = ?1', streamUid)!.count,
    addGroup(group) {
      sql.run(
        `insert into groups (${GROUP}) values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)`,
        group.streamUid,
        group.name,
        group.uid,
        group.stream,
        group.createdAtMs,
        JSON.stringify(group.options),
        JSON.stringify(group.starts),
        JSON.stringify(group.requestedStart),
        JSON.stringify(group.requestedOptions),
        JSON.stringify(group.epochs),
        group.revision,
        group.syncedRevision,
      )
    },
    changeGroup({ uid, options, starts, epochs, revision }) {
      sql.run(
        'update groups set options = ?2, starts = ?3, epochs = ?4, revision = ?5 where uid = ?1',
        uid,
        JSON.stringify(options),
        JSON.stringify(starts),
        JSON.stringify(epochs),
        revision,
      )
    },
    removeGroup(uid) {
      sql.run('delete from groups where uid = ?1', uid)
    },
    removeStream(uid) {
      sql.run('delete from groups where streamUid = ?1', uid)
      sql.run('delete from streams where uid = ?1', uid)
    },
    // A doomed stream is told from a doomed group by an empty group uid: a key has no nulls.
    addDoomed({ stream, group }) {
      sql.run(
        'insert into doomed (streamUid, groupUid, stream, groupName) values (?1, ?2, ?3, ?4)',
        stream.uid,
        group?.uid ?? '',
        JSON.stringify(stream),
        group?.name ?? '',
      )
    },
    removeDoomed({ stream, group }) {
      sql.run('delete from doomed where streamUid = ?1 and groupUid = ?2', stream.uid, group?.uid ?? '')
    },
    doomed: () =>
      sql
        .all<{ groupUid: string; stream: string; groupName: string }>('select groupUid, stream, groupName from doomed')
        .map(({ groupUid, stream, groupName }) => ({
          stream: JSON.parse(stream) as StreamRecord,
          group: groupUid === '' ? null : { uid: groupUid, name: groupName },
        })),
    markSynced(uid, revision) {
      sql.run('update groups set syncedRevision = max(syncedRevision, ?2) where uid = ?1', uid, revision)
    },
    unsynced: () => sql.all<Row>(`select ${GROUP} from groups where syncedRevision < revision`).map(toGroup),
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
