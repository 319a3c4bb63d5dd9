import type { Query } from '../../client/index.ts'
import { integer, streamArg } from '../arguments.ts'
import { command } from '../command.ts'
import { eventTable } from '../show-event.ts'
import { whereArgs, whereOf } from '../where.ts'

export const query = command({
  name: 'query',
  description: 'Search a stream',
  args: {
    stream: streamArg,
    ...whereArgs,
    order: { type: 'enum', description: 'What to order by', options: ['sequence', 'timestamp'] },
    descending: { type: 'boolean', description: 'The last first' },
    limit: { type: 'string', description: 'How many at most (default: 100)', valueHint: 'n' },
    cursor: { type: 'string', description: 'Where the page before ended', valueHint: 'cursor' },
    all: { type: 'boolean', description: 'Every match, as they come: a JSON event a line' },
  },
  rest: 'field=value',
  examples: [
    'query orders type=placed customer=7',
    `query orders --where '{"total":{"gte":10}}' --order timestamp --descending --limit 20`,
    'query orders type=placed --all > placed.ndjson',
  ],
  async run({ args, rest, rheo, io, json, print }) {
    const limit = integer('--limit', args.limit)
    const search: Query = {
      where: whereOf(args.where, rest),
      from: args.from,
      to: args.to,
      afterSequence: integer('--after-sequence', args['after-sequence']),
      untilSequence: integer('--until-sequence', args['until-sequence']),
      order: args.order as Query['order'],
      descending: args.descending,
      limit,
    }
    if (args.all) {
      for await (const event of rheo.streamQuery(args.stream, search)) await io.out(`${JSON.stringify(event)}\n`)
      return 0
    }
    const page = await rheo.query(args.stream, { ...search, cursor: args.cursor })
    await print(page, () => eventTable(page.events))
    if (!json && page.nextCursor !== null) io.err(`There is more: --cursor ${page.nextCursor}, or --all\n`)
    return 0
  },
})
