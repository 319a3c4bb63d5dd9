import type { GroupOptions } from '../core/group.ts'
import type { Census, Deliveries } from '../core/partition/store.ts'
import { first, type Sql } from './sql.ts'

interface Totals extends Deliveries {
  cursor: unknown
  options: string
  highWatermark: number
  openRuns: number
  deadLetters: number
}

const NONE: Deliveries = { leased: 0, delayed: 0, available: 0, rejected: 0, skipped: 0 }

/**
 * Looks through all rows of a group for what cannot be: runs that overlap, end before they begin or lie beyond the
 * cursor, values that no command writes. Of 100 000 runs this takes 0.14 s, once for each start of an object that uses
 * the group. A group that is not there is sound.
 */
export function takeCensus(sql: Sql, id: number): Census {
  const totals = totalsOf(sql, id)
  if (totals === null) return { damage: null, openRuns: 0, deliveries: NONE }
  const { openRuns, leased, delayed, available, rejected, skipped } = totals
  return { damage: damageOf(sql, id, totals), openRuns, deliveries: { leased, delayed, available, rejected, skipped } }
}

const totalsOf = (sql: Sql, id: number): Totals | null =>
  first<Totals>(
    sql,
    `select cursor, options,
       coalesce((select last from batches order by last desc limit 1), 0) as highWatermark,
       timed.runs + ready.runs as openRuns, leased, delayed, available, rejected, skipped,
       (select count(*) from deadLetters where groupId = ?1) as deadLetters
     from groups,
       (select count(*) as runs,
          coalesce(sum(last - first + 1) filter (where state = 'leased'), 0) as leased,
          coalesce(sum(last - first + 1) filter (where state = 'delayed'), 0) as delayed
        from timed where groupId = ?1) as timed,
       (select count(*) as runs, coalesce(sum(last - first + 1), 0) as available
        from ready where groupId = ?1) as ready,
       (select coalesce(sum(last - first + 1) filter (where state = 'rejected'), 0) as rejected,
          coalesce(sum(last - first + 1) filter (where state = 'skipped'), 0) as skipped
        from done where groupId = ?1) as done
     where id = ?1`,
    id,
  )

function damageOf(sql: Sql, id: number, totals: Totals): string | null {
  const { cursor, options, highWatermark, rejected, deadLetters } = totals
  if (readOptions(options) === null) return 'its options cannot be read'
  if (!Number.isSafeInteger(cursor) || (cursor as number) < 1 || (cursor as number) > highWatermark + 1) {
    return `its cursor ${cursor} is not within the log, which ends at ${highWatermark}`
  }
  const run = damagedRun(sql, id, cursor as number) ?? damagedTries(sql, id, cursor as number)
  if (run !== null) return `its ${run.kind} run from ${run.first} to ${run.last} cannot be`
  return rejected === deadLetters
    ? null
    : `${rejected} of its deliveries are rejected, and ${deadLetters} dead letters kept`
}

type DamagedRun = { kind: string; first: unknown; last: unknown }

/** The first run that is not sound, or that overlaps the one before, over all kinds but attempts. */
const damagedRun = (sql: Sql, id: number, cursor: number): DamagedRun | null =>
  first(
    sql,
    `with runs as (
       select state as kind, first, last,
         state in ('leased', 'delayed') and typeof(dueMs) = 'integer'
           and (state = 'delayed' or (token is not null and leaseMs > 0 and leasedAtMs is not null))
           as isSound
       from timed where groupId = ?1
       union all select 'available', first, last, 1 from ready where groupId = ?1
       union all select state, first, last, state in ('skipped', 'rejected') from done where groupId = ?1)
     select kind, first, last from (select *, lag(last, 1, 0) over (order by last) as previous from runs)
     where first <= previous or first > last or last >= ?2 or typeof(first) <> 'integer' or isSound is not 1
     order by last limit 1`,
    id,
    cursor,
  )

/** The same of the attempts. */
const damagedTries = (sql: Sql, id: number, cursor: number): DamagedRun | null =>
  first(
    sql,
    `select 'attempts' as kind, first, last
     from (select *, lag(last, 1, 0) over (order by last) as previous from tries where groupId = ?1)
     where first <= previous or first > last or last >= ?2 or typeof(first) <> 'integer'
       or typeof(attempts) <> 'integer' or attempts < 0
     order by last limit 1`,
    id,
    cursor,
  )

/** A group's options as they are stored; null when they are none. */
export function readOptions(text: string): GroupOptions | null {
  try {
    const options = JSON.parse(text) as GroupOptions
    const { maxAttempts, leaseMs, maxInFlight, backoff, paused } = options
    // Bounds may become narrower one day, so they do not count here.
    const isSound =
      [maxAttempts, leaseMs, maxInFlight ?? 1].every((count) => Number.isSafeInteger(count) && count > 0) &&
      typeof paused === 'boolean' &&
      (backoff === null || [backoff.baseMs, backoff.factor, backoff.maxMs].every((part) => part > 0))
    return isSound ? options : null
  } catch {
    return null
  }
}
