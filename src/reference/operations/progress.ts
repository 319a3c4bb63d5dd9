import { json, LATER, type Operations, shown } from '../operation.ts'
import { answer, ref, say } from '../schema.ts'
import { byPartition, count, name } from '../values.ts'

const path = '/v1/streams/{stream}/groups/{group}'

export const progressOperations: Operations = {
  [`GET ${path}/lag`]: {
    id: 'getLag',
    tag: 'Progress',
    summary: 'Show the lag',
    description: 'How far the group is behind in each partition, and in all together.',
    answers: {
      200: {
        description: 'The lag.',
        content: json(
          answer({
            stream: say(name, 'The stream.'),
            group: say(name, 'The group.'),
            partitions: say(byPartition(ref('PartitionLag')), 'By partition.'),
            lag: say(count, 'The sum over the partitions.'),
          }),
        ),
      },
    },
    codes: ['stream_not_found', 'group_not_found'],
    examples: [
      {
        title: 'Show',
        status: 200,
        answer: { stream: 'orders', group: 'billing', partitions: { '0': shown.lag }, lag: 4 },
      },
    ],
    sdk: "const { lag } = await rheo.groups.lag('orders', 'billing')",
  },
  [`GET ${path}/holes`]: {
    id: 'getHoles',
    tag: 'Progress',
    summary: 'Show the holes',
    description:
      'What holds the frontier back: the first open sequence with who has it until when, and all that is open after it.',
    query: { partition: 'One partition; all unless given.' },
    answers: {
      200: {
        description: 'The holes.',
        content: json(answer({ partitions: say(byPartition(ref('Holes')), 'By partition.') })),
      },
    },
    codes: ['stream_not_found', 'group_not_found', 'invalid_partition'],
    examples: [
      {
        title: 'Show',
        status: 200,
        answer: {
          partitions: {
            '0': {
              frontier: 0,
              highWatermark: 4,
              blockedBy: {
                sequence: 1,
                eventId: 'payment-1',
                state: 'leased',
                attempt: 1,
                consumerId: 'worker-1',
                expiresAt: LATER,
                dueAt: null,
                reason: null,
              },
              holes: [
                { first: 1, last: 1, state: 'leased', attempt: 1 },
                { first: 3, last: 4, state: 'undelivered', attempt: 0 },
              ],
              more: false,
            },
          },
        },
      },
    ],
    sdk: "const { partitions } = await rheo.groups.holes('orders', 'billing')",
  },
}
