import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { SqlValue } from './sql.ts'
import type { DurableCursor, DurableStorage } from './sql-durable.ts'

/** A Durable Object's database on Node's own SQLite. */
export interface NodeDurableStorage extends DurableStorage {
  readonly sql: DurableStorage['sql'] & { readonly databaseSize: number }
  /** Makes durable what was written so far. Throws, then and ever after, when that has failed. */
  commit(): void
  readAlarm(): number | null
  /** The alarm lies beside the object's own tables, so that both become durable in one step. */
  writeAlarm(dueMs: number | null): void
  /** Drops everything, the alarm included. */
  deleteAll(): void
  close(): void
}

interface Cursor extends DurableCursor {
  rowsRead: number
  rowsWritten: number
}

const hasAlarmTable = "select 1 from sqlite_master where name = 'nodeAlarm'"

/**
 * Opens a database as the platform does for an object: what one turn of the event loop writes becomes durable in one
 * step, and within it `transactionSync` takes back what it wrote when its work throws. SQLite does not tell how many rows
 * it looks at, nor what it writes to indexes: `rowsRead` counts the rows given, `rowsWritten` the rows of tables.
 */
export function openNodeDurableStorage(database: DatabaseSync): NodeDurableStorage {
  database.exec('pragma journal_mode = wal')
  const idle = new Map<string, StatementSync>()
  let isInTurn = false
  let fault: unknown = null

  const begin = (): void => {
    if (fault !== null) throw fault
    if (isInTurn) return
    database.exec('begin')
    isInTurn = true
    queueMicrotask(commitTurn)
  }
  const commitTurn = (): void => {
    if (!isInTurn) return
    isInTurn = false
    try {
      database.exec('commit')
    } catch (error) {
      fault = error
    }
  }
  const commit = (): void => {
    commitTurn()
    if (fault !== null) throw fault
  }
  /** Takes a statement out while it is in use, since the same text may be read by two iterations at once. */
  const take = (text: string): StatementSync => {
    const statement = idle.get(text)
    if (statement === undefined) return database.prepare(text)
    idle.delete(text)
    return statement
  }

  function* read(cursor: Cursor, text: string, parameters: readonly SqlValue[]): Generator<unknown> {
    const statement = take(text)
    try {
      for (const row of statement.iterate(...parameters)) {
        cursor.rowsRead += 1
        yield row
      }
    } finally {
      idle.set(text, statement)
      if (!isSelect(text)) cursor.rowsWritten = cursor.rowsRead
    }
  }

  const write = (text: string, parameters: readonly SqlValue[]): number => {
    const statement = take(text)
    try {
      const { changes } = statement.run(...parameters)
      return /^\s*(insert|update|delete|replace)\b/i.test(text) ? Number(changes) : 0
    } finally {
      idle.set(text, statement)
    }
  }

  const exec: DurableStorage['sql']['exec'] = (text, ...parameters) => {
    begin()
    if (!isSelect(text) && !/\breturning\b/i.test(text)) {
      return cursorOf(0, write(text, parameters), () => [].values())
    }
    const cursor: Cursor = cursorOf(0, 0, () => read(cursor, text, parameters))
    return cursor
  }

  const pragma = (name: string): number => Number(database.prepare(`pragma ${name}`).get()![name])

  const storage: NodeDurableStorage = {
    sql: {
      exec,
      get databaseSize() {
        return pragma('page_count') * pragma('page_size')
      },
    },
    transactionSync(work) {
      begin()
      database.exec('savepoint work')
      try {
        const result = work()
        database.exec('release work')
        return result
      } catch (error) {
        database.exec('rollback to work; release work')
        throw error
      }
    },
    commit,
    readAlarm() {
      if ([...exec(hasAlarmTable)].length === 0) return null
      const [row] = [...exec('select dueMs from nodeAlarm')] as { dueMs: number }[]
      return row?.dueMs ?? null
    },
    writeAlarm(dueMs) {
      if (dueMs === null) {
        if ([...exec(hasAlarmTable)].length > 0) exec('delete from nodeAlarm')
        return
      }
      exec('create table if not exists nodeAlarm (id integer primary key check (id = 1), dueMs integer not null)')
      exec(
        'insert into nodeAlarm (id, dueMs) values (1, ?1) on conflict (id) do update set dueMs = excluded.dueMs',
        dueMs,
      )
    },
    deleteAll() {
      const names = [...exec("select name from sqlite_master where type = 'table'")] as { name: string }[]
      storage.transactionSync(() => {
        for (const { name } of names) exec(`drop table ${name}`)
      })
      commit()
      idle.clear()
      database.exec('vacuum')
    },
    close() {
      commitTurn()
      idle.clear()
      database.close()
    },
  }
  return storage
}

const cursorOf = (rowsRead: number, rowsWritten: number, iterate: () => Iterator<unknown>): Cursor => ({
  rowsRead,
  rowsWritten,
  toArray() {
    return [...this]
  },
  [Symbol.iterator]: iterate,
})

const isSelect = (text: string): boolean => /^\s*(select|with|pragma)\b/i.test(text)
