import * as v from 'valibot'
import { limits } from '../../core/limits.ts'
import { type Answer, type DeadLetterInfo, done, refused } from '../../core/partition/commands.ts'
import { formatTime } from '../../core/time.ts'
import { jsonText } from '../answer.ts'
import { addressOf, ask } from '../ask.ts'
import { partitionsOf } from '../contract/fetch.ts'
import { object, pageLimit, parameter, partition } from '../contract/values.ts'
import { onGroup } from '../directory.ts'
import { cursorOf, type Part, startOfPage, takePage } from '../paging.ts'
import { get } from '../route.ts'

const LIST = 'dead-letters'

const listQuery = object({
  partition: v.optional(parameter(partition)),
  limit: pageLimit(100),
  after: v.optional(v.string()),
})

const list = get('/v1/streams/:stream/groups/:group/dead-letters', 'read', listQuery, (call, { names, input }) =>
  onGroup(call, names, async ({ stream, group }) => {
    const scope = partitionsOf(input.partition === undefined ? null : [input.partition], stream.partitionCount)
    if (!scope.ok) return refused(scope.failure)
    const start = startOfPage(LIST, group, input.after, scope.value)
    if (start.status !== 'done') return start
    const askPart = async (
      partition: number,
      after: number,
      limit: number,
      maxBytes: number,
    ): Promise<Answer<Part<DeadLetterInfo>>> => {
      const address = addressOf(call, stream, partition)
      const answer = await ask(call, address, { type: 'deadLetters', group, after, limit, maxBytes })
      return answer.status === 'done' ? done({ items: answer.value.deadLetters, more: answer.value.more }) : answer
    }
    const weigh = (letter: DeadLetterInfo): number => letter.event.length
    const page = await takePage(scope.value, start.value, input.limit, limits.answerBytes, weigh, askPart)
    if (page.status !== 'done') return page
    const nextCursor = JSON.stringify(cursorOf(LIST, group, page.value.next))
    return done(jsonText(`{"deadLetters":[${page.value.items.map(letterText).join(',')}],"nextCursor":${nextCursor}}`))
  }),
)

/** A dead letter as JSON text; its event is spliced in, not parsed. */
function letterText(letter: DeadLetterInfo & { readonly partition: number }): string {
  const { partition, sequence, eventId, reason, cause, attempt, consumerId, deadLetteredAtMs, event } = letter
  const deadLetteredAt = formatTime(deadLetteredAtMs)
  const rest = { partition, sequence, eventId, reason, cause, attempt, consumerId, deadLetteredAt }
  return `${JSON.stringify(rest).slice(0, -1)},"event":${event}}`
}

/** Routes of dead letters. */
export const deadLetterRoutes = [list]
