import { newStream } from '../../http/contract/stream.ts'
import { fromValibot } from '../from-valibot.ts'
import { json, NEXT_CURSOR, nothing, type Operations, paging, shown } from '../operation.ts'
import { answer, described, listOf, ref, say } from '../schema.ts'
import { byPartition, count, cursor, name, partition, sequence, time } from '../values.ts'

const position = answer({
  firstSequence: say(sequence, 'The first sequence that is kept.'),
  highWatermark: say(sequence, 'The last sequence; 0 when it is empty.'),
  bytes: say(count, 'The size of its database.'),
})

export const streamOperations: Operations = {
  'POST /v1/streams': {
    id: 'createStream',
    tag: 'Streams',
    summary: 'Create a stream',
    description: 'Its name and the number of its partitions stay for ever.',
    body: json(
      described(fromValibot(newStream), {
        name: ['What it is called.', name],
        partitionCount: 'How many partitions, each with an order of its own.',
      }),
    ),
    answers: { 201: { description: 'The stream.', content: json(ref('Stream')) } },
    codes: ['already_exists', 'invalid_name', 'invalid_partition_count'],
    examples: [
      { title: 'Two partitions', status: 201, body: { name: 'orders', partitionCount: 2 }, answer: shown.stream },
    ],
    sdk: "await rheo.streams.create('orders', { partitionCount: 2 })",
  },
  'GET /v1/streams': {
    id: 'listStreams',
    tag: 'Streams',
    summary: 'List streams',
    description: 'By name, only those that the token covers.',
    query: paging,
    answers: {
      200: {
        description: 'A page.',
        content: json(
          answer({ streams: say(listOf(ref('Stream')), 'By name.'), nextCursor: say(cursor, NEXT_CURSOR) }),
        ),
      },
    },
    codes: ['cursor_not_found'],
    examples: [
      {
        title: 'The first ten',
        status: 200,
        query: { limit: 10 },
        answer: { streams: [shown.stream], nextCursor: null },
      },
    ],
    sdk: 'const { streams } = await rheo.streams.list({ limit: 10 })',
  },
  'GET /v1/streams/{stream}': {
    id: 'getStream',
    tag: 'Streams',
    summary: 'Show a stream',
    description: 'With where each partition stands.',
    answers: {
      200: {
        description: 'The stream and its partitions.',
        content: json(
          answer({
            name: say(name, 'Its name.'),
            partitionCount: say({ ...partition, minimum: 1, maximum: partition.maximum! + 1 }, 'How many partitions.'),
            createdAt: say(time, 'When it was created.'),
            partitions: say(byPartition(position), 'By partition.'),
          }),
        ),
      },
    },
    codes: ['stream_not_found'],
    examples: [
      {
        title: 'Show',
        status: 200,
        answer: {
          ...shown.stream,
          partitions: {
            '0': { firstSequence: 1, highWatermark: 4, bytes: 90_112 },
            '1': { firstSequence: 1, highWatermark: 0, bytes: 81_920 },
          },
        },
      },
    ],
    sdk: "const { partitions } = await rheo.streams.get('orders')",
  },
  'DELETE /v1/streams/{stream}': {
    id: 'deleteStream',
    tag: 'Streams',
    summary: 'Delete a stream',
    description:
      'With its events and its groups, for good. After `ambiguous` the stream is gone for callers, and the rest is finished by itself or by repeating the call.',
    query: { confirm: 'Has to be `true`: it cannot be undone.' },
    answers: { 204: nothing('Every partition is empty.') },
    codes: ['confirm_required', 'stream_not_found'],
    examples: [{ title: 'Delete', status: 204, query: { confirm: 'true' } }],
    sdk: "await rheo.streams.delete('orders', { confirm: true })",
  },
}
