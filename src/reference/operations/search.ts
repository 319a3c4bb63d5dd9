import { replayQuery } from '../../http/contract/replay.ts'
import { search } from '../../http/contract/search.ts'
import { fromValibot } from '../from-valibot.ts'
import { json, type Operations, shown } from '../operation.ts'
import { answer, described, listOf, ref, say, type Words } from '../schema.ts'
import { cursor, text, where } from '../values.ts'

const selection: Words = {
  where: [where.description!, where],
  from: 'Events whose timestamp is at or after this time.',
  to: 'Events whose timestamp is at or before this time.',
  afterSequence: 'Events after this sequence of their partition.',
  untilSequence: 'Events up to this sequence of their partition.',
}

/** The query of a replay. */
export const replaySelection = described(fromValibot(replayQuery), {
  ...selection,
  limit: 'Only the first matches; all unless given.',
})

export const searchOperations: Operations = {
  'POST /v1/streams/{stream}/query': {
    id: 'queryEvents',
    tag: 'Events',
    summary: 'Find events',
    description: `All conditions hold together. The first page fixes where each partition ends, so that paging comes to an end: later events are not part of the listing.

With \`Accept: application/x-ndjson\` every match is streamed, one a line. A failure midway breaks the connection: a complete body is a complete answer. It carries no \`Rheo-Cost\`.`,
    body: json(
      described(fromValibot(search), {
        ...selection,
        order: 'By sequence and partition, or by timestamp.',
        descending: 'From the last to the first.',
        limit: 'How many at most: 1 to 1000 in a page, 100 unless given; without bound as lines, all unless given.',
        cursor: 'The `nextCursor` of the page before, with the same query.',
      }),
    ),
    answers: {
      200: {
        description: 'A page of matches, or all of them as lines.',
        content: {
          'application/json': answer({
            events: say(listOf(ref('Event')), 'In order.'),
            nextCursor: say(cursor, 'Where to go on; null at the end. A page may be short, even empty.'),
          }),
          'application/x-ndjson': { ...text, description: 'An `Event` a line.' },
        },
      },
    },
    codes: ['stream_not_found', 'invalid_query', 'cursor_not_found'],
    examples: [
      {
        title: 'By type and payload',
        status: 200,
        body: { where: { type: 'paid', total: { gte: 10 } }, limit: 10 },
        answer: { events: [shown.event], nextCursor: null },
      },
      {
        title: 'Every match as lines',
        status: 200,
        headers: { Accept: 'application/x-ndjson' },
        body: { where: { correlation_id: 'A-1' } },
      },
    ],
    sdk: "const { events } = await rheo.query('orders', { where: { type: 'paid', total: { gte: 10 } } })\nfor await (const event of rheo.streamQuery('orders', { where: { correlation_id: 'A-1' } })) console.log(event.id)",
  },
}
