import { first, type Sql } from './sql.ts'

/** The table in which an object remembers whether it lives in test time. */
export const clockTable = [
  'create table clock (testTime integer not null)',
  'insert into clock (testTime) values (0)',
] as const

/** Whether the object lives in test time: its clock is the caller's and no alarm fires. */
export const readTestTime = (sql: Sql): boolean =>
  first<{ testTime: number }>(sql, 'select testTime from clock')!.testTime === 1

export function writeTestTime(sql: Sql, testTime: boolean): void {
  sql.run('update clock set testTime = ?1', testTime ? 1 : 0)
}
