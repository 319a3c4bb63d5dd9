import { sameValue } from '../../src/core/runs.ts'
import type { Sql } from '../../src/storage/sql.ts'

type Row = { readonly groupId: number; readonly first: number; readonly last: number; readonly state?: string }

/**
 * What must hold of the rows of a partition after every command, whatever the answers:
 *
 * 1. the log is dense, from 1 to the high watermark;
 * 2. runs of one table ascend without overlap, end below the cursor, and no two neighbours could be one;
 * 3. a delivery is in at most one of `timed`, `ready` and `done`;
 * 4. `tries` holds what differs from 1, and nothing else;
 * 5. every rejected delivery has its dead letter, and nothing else has one;
 * 6. no row belongs to a group that is not there.
 */
export function auditLedger(sql: Sql): void {
  const batches = sql.all<{ first: number; last: number }>('select first, last from batches order by last')
  for (const [index, { first }] of batches.entries()) must(first === (batches[index - 1]?.last ?? 0) + 1, 'log', first)

  const cursors = new Map(
    sql.all<{ id: number; cursor: number }>('select id, cursor from groups').map(({ id, cursor }) => [id, cursor]),
  )
  const rows = (table: string) => sql.all<Row>(`select * from ${table} order by groupId, last`)
  const [timed, ready, done, tries] = ['timed', 'ready', 'done', 'tries'].map(rows) as [Row[], Row[], Row[], Row[]]
  for (const table of [timed, ready, done, tries]) {
    for (const [index, { groupId, first, last, ...value }] of table.entries()) {
      must(first >= 1 && first <= last && last < (cursors.get(groupId) ?? 0), 'run', { groupId, first, last })
      const previous = table[index - 1]
      if (previous?.groupId !== groupId) continue
      must(previous.last < first, 'overlap', { groupId, first })
      const { groupId: _, first: __, last: ___, ...left } = previous
      must(previous.last + 1 < first || !sameValue(left, value), 'two runs that are one', {
        groupId,
        first,
        last,
        value,
      })
    }
  }

  const owners = new Set<string>()
  for (const delivery of [timed, ready, done].flat().flatMap(deliveriesOf)) {
    must(!owners.has(delivery), 'two states', delivery)
    owners.add(delivery)
  }
  const once = sql.all<Row>('select * from tries where attempts = 1')
  must(once.length === 0, 'a row for one attempt', once)

  const rejected = done.filter(({ state }) => state === 'rejected').flatMap(deliveriesOf)
  const letters = sql
    .all<{ groupId: number; sequence: number }>('select groupId, sequence from deadLetters order by groupId, sequence')
    .map(({ groupId, sequence }) => `${groupId}:${sequence}`)
  must(`${rejected}` === `${letters}`, 'dead letters', { rejected, letters })
}

function deliveriesOf({ groupId, first, last }: Row): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => `${groupId}:${first + index}`)
}

function must(holds: boolean, what: string, where: unknown): asserts holds {
  if (!holds) throw new Error(`the rows are broken: ${what} ${JSON.stringify(where)}`)
}
