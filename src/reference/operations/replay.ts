import { replay, reset } from '../../http/contract/replay.ts'
import { fromValibot } from '../from-valibot.ts'
import { json, type Operations, shown } from '../operation.ts'
import { answer, described, ref, say } from '../schema.ts'
import { byPartition, count, sequences, time } from '../values.ts'
import { oneScope, scopeWords } from './delivery.ts'
import { oneStart, startWords } from './groups.ts'
import { replaySelection } from './search.ts'

const path = '/v1/streams/{stream}/groups/{group}'

export const replayOperations: Operations = {
  [`POST ${path}/replay`]: {
    id: 'replayGroup',
    tag: 'Replay',
    summary: 'Replay',
    description:
      'Opens deliveries again that the group has been offered or has skipped, whatever became of them; leases among them become stale. Exactly one of `fromSequence`, `from` and `query` says which. What ends half-way is `ambiguous`, with what is done in `done`; repeating it is safe.',
    body: json({
      ...described(fromValibot(replay), {
        fromSequence: [
          'Everything above this sequence; or above one for each partition, and only in those.',
          { ...sequences, oneOf: [sequences.oneOf![0]!, { ...sequences.oneOf![1], minProperties: 1 }] },
        ],
        from: ['Everything from the first event on whose timestamp is at or after this time.', time],
        query: ['Exactly the matches.', replaySelection],
        ...scopeWords,
        resetAttempts: 'Count attempts from 0 again.',
        dryRun: 'Say what would be, and change nothing.',
      }),
      oneOf: [{ required: ['fromSequence'] }, { required: ['from'] }, { required: ['query'] }],
      dependentSchemas: {
        partition: { properties: { partitions: { not: {} }, fromSequence: { type: 'integer' } } },
        partitions: { properties: { fromSequence: { type: 'integer' } } },
      },
    }),
    answers: {
      200: {
        description: 'What was opened, or would be.',
        content: json(
          answer({
            reopened: say(count, 'How many deliveries.'),
            partitions: say(byPartition(ref('Reopened')), 'By partition, of those in the scope.'),
          }),
        ),
      },
    },
    codes: [
      'stream_not_found',
      'group_not_found',
      'invalid_partition',
      'invalid_replay',
      'invalid_query',
      'no_events_in_range',
    ],
    examples: [
      {
        title: 'What would be',
        status: 200,
        body: { fromSequence: 0, dryRun: true },
        answer: { reopened: 2, partitions: { '0': { reopened: 2, ...shown.lag } } },
      },
      { title: 'By query', status: 200, body: { query: { where: { currency: 'EUR' } }, resetAttempts: true } },
    ],
    sdk: "const { reopened } = await rheo.groups.replay('orders', 'billing', { query: { where: { currency: 'EUR' } } })",
  },
  [`POST ${path}/reset`]: {
    id: 'resetGroup',
    tag: 'Replay',
    summary: 'Start over',
    description: 'Forgets the group’s deliveries, attempts, leases and dead letters, and starts again. Events stay.',
    body: json({
      ...described(fromValibot(reset), {
        confirm: ['Has to be true: what is forgotten does not come back.', { const: true }],
        ...startWords,
        ...scopeWords,
      }),
      required: ['confirm'],
      dependentSchemas: { ...oneStart.dependentSchemas, ...oneScope.dependentSchemas },
    }),
    answers: {
      200: {
        description: 'Where the group stands.',
        content: json(
          answer({ partitions: say(byPartition(ref('PartitionLag')), 'By partition, of those in the scope.') }),
        ),
      },
    },
    codes: ['stream_not_found', 'group_not_found', 'invalid_partition', 'confirm_required', 'invalid_start'],
    examples: [
      {
        title: 'At the end',
        status: 200,
        body: { confirm: true, start: 'latest' },
        answer: { partitions: { '0': { frontier: 4, highWatermark: 4, lag: 0 } } },
      },
    ],
    sdk: "await rheo.groups.reset('orders', 'billing', { confirm: true, start: 'latest' })",
  },
}
