import { tail as follow, type StreamEvent } from '../../client/index.ts'
import { integer, streamArg } from '../arguments.ts'
import { command } from '../command.ts'
import { placeOf } from '../show-event.ts'
import { cut, line } from '../table.ts'
import { UsageError } from '../usage-error.ts'
import { whereArgs, whereOf } from '../where.ts'

export const tail = command({
  name: 'tail',
  description: 'Follow a stream: events as they are appended, until Ctrl-C',
  args: {
    stream: streamArg,
    partition: { type: 'string', description: 'Which partition (default: all)', valueHint: 'n' },
    after: {
      type: 'string',
      description: 'Behind this sequence of each partition, or at a position (default: what comes from now on)',
      valueHint: 'place',
    },
    'from-start': { type: 'boolean', description: 'All that is there first' },
    where: whereArgs.where,
  },
  rest: 'field=value',
  examples: [
    'tail orders',
    'tail orders type=placed --from-start',
    `tail orders --where '{"total":{"gte":100}}' --json | jq .payload`,
  ],
  async run({ args, rest, rheo, io, json }) {
    if (args.after !== undefined && args['from-start']) throw new UsageError('--from-start goes without --after')
    const isNumber = args.after !== undefined && /^-?\d+$/.test(args.after)
    const stop = new AbortController()
    const events = follow(rheo, args.stream, {
      partition: integer('--partition', args.partition),
      after: args['from-start'] ? 0 : isNumber ? integer('--after', args.after) : args.after,
      where: whereOf(args.where, rest),
      signal: stop.signal,
    })
    const forget = io.onInterrupt(() => stop.abort())
    try {
      for await (const event of events) await io.out(json ? `${JSON.stringify(event)}\n` : textOf(event))
    } catch (error) {
      if (!stop.signal.aborted) throw error
      // Whoever reads JSON has the places of the events; people are told how to go on.
      if (!json && events.position !== null) io.err(`To go on from here: --after ${events.position}\n`)
      return 0
    } finally {
      forget()
    }
    if (!json) io.err('The stream has been deleted.\n')
    return 0
  },
})

const textOf = (event: StreamEvent): string =>
  line([event.timestamp, placeOf(event), event.type, event.key, cut(JSON.stringify(event.payload), 100)])
