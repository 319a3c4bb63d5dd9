import { groupArg, integer, pageArgs, streamArg } from '../arguments.ts'
import { type CommandGroup, command } from '../command.ts'
import { placeOf } from '../show-event.ts'
import { tellMore } from '../show-page.ts'
import { tableOr } from '../table.ts'
import { UsageError } from '../usage-error.ts'

const list = command({
  name: 'list',
  description: 'List the dead letters of a group',
  args: {
    stream: streamArg,
    group: groupArg,
    partition: { type: 'string', description: 'Which partition (default: all)', valueHint: 'n' },
    ...pageArgs,
  },
  examples: ['dead-letters list orders billing', `dead-letters list orders billing --json | jq '.deadLetters[].event'`],
  async run({ args, rheo, io, json, print }) {
    const page = await rheo.deadLetters.list(args.stream, args.group, {
      partition: integer('--partition', args.partition),
      limit: integer('--limit', args.limit),
      after: args.after,
    })
    const rows = page.deadLetters.map((one) => [
      placeOf(one),
      one.attempt,
      one.cause,
      one.reason,
      one.deadLetteredAt,
      one.event.type,
      one.eventId,
    ])
    const heads = ['PLACE', 'ATTEMPT', 'CAUSE', 'REASON', 'SINCE', 'TYPE', 'EVENT']
    await print(page, () => tableOr('no dead letters', heads, rows))
    if (!json) tellMore(io, page.nextCursor)
    return 0
  },
})

const redrive = command({
  name: 'redrive',
  description: 'Open dead letters again, with fresh attempts',
  args: {
    stream: streamArg,
    group: groupArg,
    all: { type: 'boolean', description: 'All of them, instead of some events' },
  },
  rest: 'ids of events',
  examples: ['dead-letters redrive orders billing --all', 'dead-letters redrive orders billing order-17 order-18'],
  async run({ args: { stream, group, all }, rest, rheo, print }) {
    if ((all === true) === rest.length > 0) throw new UsageError('name events, or give --all')
    const answer = await rheo.deadLetters.redrive(stream, group, all ? { all } : { eventIds: rest })
    await print(answer, () => `redriven ${answer.redriven}\n`)
    return 0
  },
})

export const deadLetters: CommandGroup = {
  name: 'dead-letters',
  description: 'List dead letters, and open them again',
  commands: [list, redrive],
}
