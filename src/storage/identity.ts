import type { Address } from '../core/partition/commands.ts'
import { isEmpty } from './migrate.ts'
import { first, type Sql } from './sql.ts'

/** Who a partition is; null before its birth, when its storage is empty. */
export const readIdentity = (sql: Sql): Address | null =>
  isEmpty(sql) ? null : first<Address>(sql, 'select tenant, stream, uid, partition from identity')

/** Says who a partition is, once, at its birth. */
export function writeIdentity(sql: Sql, { tenant, stream, uid, partition }: Address): void {
  sql.run(
    'insert into identity (tenant, stream, uid, partition) values (?1, ?2, ?3, ?4)',
    tenant,
    stream,
    uid,
    partition,
  )
}
