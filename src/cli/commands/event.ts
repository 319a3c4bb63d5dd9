import { integer, streamArg } from '../arguments.ts'
import { type CommandGroup, command } from '../command.ts'
import { eventList } from '../show-event.ts'
import { tableOr } from '../table.ts'

const show = command({
  name: 'show',
  description: 'Show an event, and what became of it in each group',
  args: {
    stream: streamArg,
    id: { type: 'positional', description: 'Id of the event' },
    partition: { type: 'string', description: 'Where to look (default: everywhere)', valueHint: 'n' },
  },
  examples: ['event show orders order-17'],
  async run({ args, rheo, print }) {
    const partition = integer('--partition', args.partition)
    const found = await rheo.event(args.stream, args.id, { groups: true, partition })
    await print(found, () => {
      const rows = (found.groups ?? []).map((one) => [
        one.group,
        one.state,
        one.attempt,
        one.consumerId,
        one.expiresAt ?? one.dueAt,
        one.reason ?? one.cause,
      ])
      const heads = ['GROUP', 'STATE', 'ATTEMPT', 'CONSUMER', 'UNTIL', 'REASON']
      return `${eventList(found.event)}\n${tableOr('no groups', heads, rows)}`
    })
    return 0
  },
})

export const event: CommandGroup = { name: 'event', alias: 'events', description: 'Look up an event', commands: [show] }
