import { redrive } from '../../http/contract/replay.ts'
import { fromValibot } from '../from-valibot.ts'
import { json, NEXT_CURSOR, type Operations, paging, shown } from '../operation.ts'
import { answer, described, listOf, ref, say } from '../schema.ts'
import { byPartition, count, cursor } from '../values.ts'

const path = '/v1/streams/{stream}/groups/{group}/dead-letters'

export const deadLetterOperations: Operations = {
  [`GET ${path}`]: {
    id: 'listDeadLetters',
    tag: 'Dead letters',
    summary: 'List dead letters',
    description: 'By partition and sequence, each with its event. A cursor stays good when letters are redriven.',
    query: { partition: 'One partition; all unless given.', ...paging },
    answers: {
      200: {
        description: 'A page.',
        content: json(
          answer({
            deadLetters: say(listOf(ref('DeadLetter')), 'By partition and sequence.'),
            nextCursor: say(cursor, NEXT_CURSOR),
          }),
        ),
      },
    },
    codes: ['stream_not_found', 'group_not_found', 'invalid_partition', 'cursor_not_found'],
    examples: [
      {
        title: 'The first ten',
        status: 200,
        query: { limit: 10 },
        answer: {
          deadLetters: [
            {
              partition: 0,
              sequence: 1,
              eventId: 'payment-1',
              reason: 'no such order',
              cause: 'rejected',
              attempt: 1,
              consumerId: 'worker-1',
              deadLetteredAt: shown.now,
              event: shown.event,
            },
          ],
          nextCursor: null,
        },
      },
    ],
    sdk: "const { deadLetters } = await rheo.deadLetters.list('orders', 'billing', { limit: 10 })",
  },
  [`POST ${path}/redrive`]: {
    id: 'redriveDeadLetters',
    tag: 'Dead letters',
    summary: 'Redrive dead letters',
    description:
      'Opens chosen ones, or all, with fresh attempts. Ids of no dead letter are ignored and not counted. What ends half-way is `ambiguous`, with what is done in `done`; repeating it is safe.',
    body: json({
      ...described(fromValibot(redrive), { eventIds: 'The ids of their events.', all: 'All there are.' }),
      oneOf: [{ required: ['eventIds'] }, { required: ['all'] }],
    }),
    answers: {
      200: {
        description: 'They are available.',
        content: json(
          answer({
            redriven: say(count, 'How many there were.'),
            partitions: say(byPartition(ref('Redriven')), 'By partition.'),
          }),
        ),
      },
    },
    codes: ['stream_not_found', 'group_not_found'],
    examples: [
      {
        title: 'All',
        status: 200,
        body: { all: true },
        answer: { redriven: 1, partitions: { '0': { redriven: 1, ...shown.lag } } },
      },
    ],
    sdk: "const { redriven } = await rheo.deadLetters.redrive('orders', 'billing', { all: true })",
  },
}
