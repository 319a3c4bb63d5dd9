import { first, type Sql } from './sql.ts'

/** The table in which an object remembers whether it lives in test time. */
export const clockTable = [
  'create table clock (testTime integer not null)',
  'insert into clock (testTime) values (0)',
] as const

/** What is in the table: the caller's clock has never been the object's, is it now, or has been. */
const NEVER = 0
const NOW = 1
const ONCE = 2

const readClock = (sql: Sql): number => first<{ testTime: number }>(sql, 'select testTime from clock')!.testTime

/** Whether the object lives in test time: its clock is the caller's and no alarm fires. */
export const readTestTime = (sql: Sql): boolean => readClock(sql) === NOW

/** Whether all times in storage are the machine's: the object has never lived in test time. */
export const hasMachineTimes = (sql: Sql): boolean => readClock(sql) === NEVER

/** Enters test time, or leaves it. */
export function writeTestTime(sql: Sql, testTime: boolean): void {
  sql.run('update clock set testTime = ?1', testTime ? NOW : ONCE)
}
