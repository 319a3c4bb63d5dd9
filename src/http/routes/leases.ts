import * as v from 'valibot'
import { failure, ok } from '../../core/failure.ts'
import { limits } from '../../core/limits.ts'
import { type Answer, done, type LeaseInfo, moved, refused } from '../../core/partition/commands.ts'
import { allPartitions } from '../../core/route.ts'
import { formatTime } from '../../core/time.ts'
import { json } from '../answer.ts'
import { addressOf, ask, askEach } from '../ask.ts'
import { check } from '../contract/check.ts'
import { consumerId, object, pageLimit } from '../contract/values.ts'
import { onGroup } from '../directory.ts'
import { cursorOf, type Part, startOfPage, takePage } from '../paging.ts'
import { get, jsonBody, withBody } from '../route.ts'
import { isGone, worstOf } from '../worst.ts'

const path = '/v1/streams/:stream/groups/:group/leases'
const LIST = 'leases'

const listQuery = object({
  consumerId: v.optional(consumerId),
  limit: pageLimit(limits.pageItems),
  after: v.optional(v.string()),
})

const list = get(path, 'read', listQuery, (call, { names, input }) =>
  onGroup(call, names, async ({ stream, group }) => {
    const partitions = allPartitions(stream.partitionCount)
    const start = startOfPage(LIST, group, input.after, partitions)
    if (start.status !== 'done') return start
    const askPart = async (partition: number, after: number, limit: number): Promise<Answer<Part<LeaseInfo>>> => {
      const consumerId = input.consumerId ?? null
      const address = addressOf(call, stream, partition)
      const answer = await ask(call, address, { type: 'leases', group, consumerId, after, limit })
      return answer.status === 'done' ? done({ items: answer.value.leases, more: answer.value.more }) : answer
    }
    const page = await takePage(partitions, start.value, input.limit, limits.answerBytes, () => 0, askPart)
    if (page.status !== 'done') return page
    const leases = page.value.items.map(leaseBody)
    return done(json({ leases, nextCursor: cursorOf(LIST, group, page.value.next) }))
  }),
)

const leaseBody = (lease: LeaseInfo & { readonly partition: number }) => ({
  partition: lease.partition,
  sequence: lease.sequence,
  eventId: lease.eventId,
  attempt: lease.attempt,
  consumerId: lease.consumerId,
  leasedAt: formatTime(lease.leasedAtMs),
  expiresAt: formatTime(lease.expiresAtMs),
})

/** The body that releases what a consumer holds. */
export const consumer = object({ consumerId })

const release = withBody(
  'POST',
  `${path}/release`,
  'admin',
  jsonBody((input) => check(consumer, input)),
  async (call, { names, input }) => {
    // Partitions that released stay released when the others are asked again after a look into the catalog.
    let released = 0
    const answered = await onGroup(call, names, async ({ stream, group }) => {
      const command = { type: 'releaseConsumer', group, consumerId: input.consumerId } as const
      const answers = await askEach(call, stream, allPartitions(stream.partitionCount), command)
      for (const answer of answers) if (answer.status === 'done') released += answer.value.released
      const failures = answers.flatMap((answer) => (answer.status === 'refused' ? [answer.failure] : []))
      const gone = failures.find(isGone)
      if (gone !== undefined) return refused(gone)
      if (failures.length > 0 && released === 0) return refused(worstOf(failures))
      if (failures.length > 0) {
        // Half done is ambiguous, with what is done (S7); repeating it is safe.
        const partitions = answers.flatMap((answer, partition) => (answer.status === 'refused' ? [partition] : []))
        return refused(failure('ambiguous', `released ${released}, but not in every partition`, { partitions }))
      }
      return answers.some((answer) => answer.status === 'moved') ? moved : done(null)
    })
    return answered.ok ? ok(json({ released })) : answered
  },
)

/** Routes of leases as an operator sees them. */
export const leaseRoutes = [list, release]
