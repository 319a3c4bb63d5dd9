import { defaultGroupOptions, type GroupOptions } from '../core/group.ts'
import type { Group, GroupStore } from '../core/partition/store.ts'
import { readOptions, takeCensus } from './census.ts'
import { first, type Sql } from './sql.ts'

type Row = Omit<Group, 'options'> & { options: string }

const COLUMNS = 'id, uid, name, revision, epoch, cursor, options'
const OF_DELIVERIES = ['timed', 'ready', 'done', 'tries', 'deadLetters']

/** How many groups back a partition remembers those that are gone. */
const REMOVED_GROUPS = 1_000

const toGroup = (row: Row | null): Group | null =>
  row === null ? null : { ...row, options: readOptions(row.options) ?? NO_OPTIONS }

/** Stands for options that cannot be read: the group is damaged, which its census says before anything is done. */
const NO_OPTIONS: GroupOptions = { ...defaultGroupOptions, paused: true }

/** The groups of a partition. */
export function openGroups(sql: Sql): GroupStore & { forget(): void } {
  /** Groups as they stand, of those that were asked for. */
  const byUid = new Map<string, Group>()
  const byId = new Map<number, Group>()
  const remember = (group: Group | null): Group | null => {
    if (group === null) return null
    byUid.set(group.uid, group)
    byId.set(group.id, group)
    return group
  }
  const change = (id: number, changed: Partial<Group>): void => {
    const known = byId.get(id)
    if (known !== undefined) remember({ ...known, ...changed })
  }
  const forget = (): void => {
    byUid.clear()
    byId.clear()
  }
  return {
    byUid: (uid) =>
      byUid.get(uid) ??
      remember(toGroup(first<Row>(sql, `select ${COLUMNS} from groups where uid = ?1 and cursor <> 0`, uid))),
    byId: (id) =>
      byId.get(id) ??
      remember(toGroup(first<Row>(sql, `select ${COLUMNS} from groups where id = ?1 and cursor <> 0`, id))),
    forget,
    isRemoved: (uid) => first(sql, 'select 1 from groups where uid = ?1 and cursor = 0', uid) !== null,
    all: () =>
      sql.all<Row>(`select ${COLUMNS} from groups where cursor <> 0 order by name`).map((row) => toGroup(row)!),
    insert: ({ uid, name, revision, epoch, cursor, options }) =>
      first<{ id: number }>(
        sql,
        'insert into groups (uid, name, revision, epoch, cursor, options) values (?1, ?2, ?3, ?4, ?5, ?6) returning id',
        uid,
        name,
        revision,
        epoch,
        cursor,
        JSON.stringify(options),
      )!.id,
    updateOptions(id, revision, options) {
      sql.run('update groups set revision = ?2, options = ?3 where id = ?1', id, revision, JSON.stringify(options))
      change(id, { revision, options })
    },
    restart(id, epoch, cursor) {
      forgetDeliveries(sql, id)
      sql.run('update groups set epoch = ?2, cursor = ?3 where id = ?1', id, epoch, cursor)
      change(id, { epoch, cursor })
    },
    remove(uid) {
      forget()
      const id = first<{ id: number }>(sql, 'select id from groups where uid = ?1 and cursor <> 0', uid)?.id ?? null
      if (id !== null) forgetDeliveries(sql, id)
      // The row stays and says that the group is gone: one row written, as deleting it would be.
      sql.run(
        `insert into groups (uid, name, revision, epoch, cursor, options) values (?1, '', 0, 0, 0, '')
         on conflict (uid) do update set name = '', cursor = 0, options = ''`,
        uid,
      )
      sql.run('delete from groups where cursor = 0 and id < (select max(id) from groups) - ?1', REMOVED_GROUPS)
    },
    moveCursor(id, cursor) {
      sql.run('update groups set cursor = ?2 where id = ?1', id, cursor)
      change(id, { cursor })
    },
    census: (id) => takeCensus(sql, id),
    edges: (id) =>
      first(
        sql,
        `select cursor,
           (select first from timed where groupId = groups.id order by last limit 1) as firstTimed,
           (select first from ready where groupId = groups.id order by last limit 1) as firstReady
         from groups where id = ?1`,
        id,
      )!,
  }
}

function forgetDeliveries(sql: Sql, id: number): void {
  for (const table of OF_DELIVERIES) sql.run(`delete from ${table} where groupId = ?1`, id)
}
