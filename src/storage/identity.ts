import type { Address } from '../core/partition/commands.ts'
import { first, type Sql } from './sql.ts'

/** Who a partition is, written once at its birth; and whether it lives in test time. */
export interface Identity extends Address {
  readonly testTime: boolean
}

/** Reads the identity of a partition that has been born. */
export function readIdentity(sql: Sql): Identity {
  const row = first<Address & { testTime: number }>(
    sql,
    'select tenant, stream, uid, partition, testTime from identity',
  )!
  return { ...row, testTime: row.testTime === 1 }
}

export function writeIdentity(sql: Sql, { tenant, stream, uid, partition }: Address): void {
  sql.run(
    'insert into identity (tenant, stream, uid, partition, testTime) values (?1, ?2, ?3, ?4, 0)',
    tenant,
    stream,
    uid,
    partition,
  )
}

export function writeTestTime(sql: Sql, testTime: boolean): void {
  sql.run('update identity set testTime = ?1', testTime ? 1 : 0)
}
