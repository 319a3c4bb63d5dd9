import { consumer } from '../../http/routes/leases.ts'
import { fromValibot } from '../from-valibot.ts'
import { json, LATER, NEXT_CURSOR, type Operations, paging, shown } from '../operation.ts'
import { answer, described, listOf, ref, say } from '../schema.ts'
import { count, cursor } from '../values.ts'

const path = '/v1/streams/{stream}/groups/{group}/leases'

export const leaseOperations: Operations = {
  [`GET ${path}`]: {
    id: 'listLeases',
    tag: 'Leases',
    summary: 'List leases',
    description: 'Who holds what until when, by partition and sequence.',
    query: { consumerId: 'Only what this consumer holds.', ...paging },
    answers: {
      200: {
        description: 'A page.',
        content: json(
          answer({
            leases: say(listOf(ref('ListedLease')), 'By partition and sequence.'),
            nextCursor: say(cursor, NEXT_CURSOR),
          }),
        ),
      },
    },
    codes: ['stream_not_found', 'group_not_found', 'cursor_not_found'],
    examples: [
      {
        title: 'Of one consumer',
        status: 200,
        query: { consumerId: 'worker-1' },
        answer: {
          leases: [
            {
              partition: 0,
              sequence: 1,
              eventId: 'payment-1',
              attempt: 1,
              consumerId: 'worker-1',
              leasedAt: shown.now,
              expiresAt: LATER,
            },
          ],
          nextCursor: null,
        },
      },
    ],
    sdk: "const { leases } = await rheo.groups.leases('orders', 'billing', { consumerId: 'worker-1' })",
  },
  [`POST ${path}/release`]: {
    id: 'releaseConsumer',
    tag: 'Leases',
    summary: 'Release all of a consumer',
    description: 'As if it had released them itself: for a worker that will not come back.',
    body: json(described(fromValibot(consumer), { consumerId: 'Whose leases.' })),
    answers: {
      200: {
        description: 'They are available.',
        content: json(answer({ released: say(count, 'How many there were.') })),
      },
    },
    codes: ['stream_not_found', 'group_not_found'],
    examples: [{ title: 'Release', status: 200, body: { consumerId: 'worker-1' }, answer: { released: 1 } }],
    sdk: "const { released } = await rheo.groups.releaseConsumer('orders', 'billing', 'worker-1')",
  },
}
