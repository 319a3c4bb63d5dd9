import type { DeadLetter, DeadLetterStore } from '../core/partition/store.ts'
import type { Sql } from './sql.ts'

/** What is known of each rejected delivery. */
export function openDeadLetters(sql: Sql): DeadLetterStore {
  return {
    add(group, letters) {
      sql.run(
        `insert into deadLetters (groupId, sequence, reason, cause, attempt, consumerId, atMs)
         select ?1, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5 from json_each(?2)`,
        group,
        JSON.stringify(
          letters.map(({ sequence, reason, cause, attempt, consumerId, atMs }) => [
            sequence,
            reason,
            cause,
            attempt,
            consumerId,
            atMs,
          ]),
        ),
      )
    },
    after: (group, sequence) =>
      sql.each<DeadLetter>(
        `select sequence, reason, cause, attempt, consumerId, atMs from deadLetters
         where groupId = ?1 and sequence > ?2 order by sequence`,
        group,
        sequence,
      ),
  }
}
