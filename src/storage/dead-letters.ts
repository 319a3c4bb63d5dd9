import type { DeadLetter, DeadLetterStore } from '../core/partition/store.ts'
import { jsonLists } from './json-lists.ts'
import { first, type Sql } from './sql.ts'

const COLUMNS = 'sequence, reason, cause, attempt, consumerId, atMs'

/** What is known of each rejected delivery. */
export function openDeadLetters(sql: Sql): DeadLetterStore {
  return {
    add(group, letters) {
      const rows = letters.map(({ sequence, reason, cause, attempt, consumerId, atMs }) => [
        sequence,
        reason,
        cause,
        attempt,
        consumerId,
        atMs,
      ])
      for (const list of jsonLists(rows)) {
        sql.run(
          `insert into deadLetters (groupId, sequence, reason, cause, attempt, consumerId, atMs)
           select ?1, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5 from json_each(?2)`,
          group,
          list,
        )
      }
    },
    remove(group, ranges) {
      for (const list of jsonLists(ranges.map(({ first: low, last }) => [low, last]))) {
        sql.run(
          `delete from deadLetters where groupId = ?1 and sequence in (
             select letter.sequence from json_each(?2) as range
             cross join deadLetters as letter
             where letter.groupId = ?1
               and letter.sequence >= (range.value ->> 0) and letter.sequence <= (range.value ->> 1))`,
          group,
          list,
        )
      }
    },
    at: (group, sequence) =>
      first<DeadLetter>(
        sql,
        `select ${COLUMNS} from deadLetters where groupId = ?1 and sequence = ?2`,
        group,
        sequence,
      ),
    after: (group, sequence) =>
      sql.each<DeadLetter>(
        `select ${COLUMNS} from deadLetters
         where groupId = ?1 and sequence > ?2 order by sequence`,
        group,
        sequence,
      ),
  }
}
