import { limits } from '../../core/limits.ts'
import type { Operations } from '../operation.ts'
import { partition, text } from '../values.ts'

const where = { ...text, maxLength: limits.whereLength }

export const tailOperations: Operations = {
  'GET /v1/streams/{stream}/tail': {
    id: 'tailEvents',
    tag: 'Events',
    summary: 'Tail a stream',
    description: `Events as they are appended, as Server-Sent Events: each has its position as \`id:\` and itself as \`data:\`. A position alone comes at the beginning, and where \`where\` has passed what did not match; a comment when nothing was sent for 15 seconds.

\`event: end\` is the end, with \`{"code", "detail"}\`: \`stream_not_found\`, \`unauthenticated\` or \`failed\`. A body that ends without it is to be asked for again, with the last position as \`Last-Event-ID\`. It carries no \`Rheo-Cost\`.`,
    query: {
      partition: ['One partition; all unless given.', partition],
      after: ['Where to begin: a sequence for each partition, or a position that a tail gave; now unless given.', text],
      where: ['Only events that fulfil these conditions: JSON, as the `where` of a search.', where],
    },
    headers: ['Last-Event-ID'],
    answers: {
      200: {
        description: 'Events, without end.',
        content: { 'text/event-stream': { ...text, description: 'Blocks of `id:`, `event:` and `data:`.' } },
      },
    },
    codes: ['stream_not_found', 'invalid_partition', 'invalid_query', 'cursor_not_found'],
    examples: [{ title: 'From the beginning, for two seconds', status: 200, query: { after: 0 }, isEndless: true }],
    sdk: "for await (const event of tail(rheo, 'orders', { after: 0 })) {\n  console.log(event.id)\n  break\n}",
  },
}
