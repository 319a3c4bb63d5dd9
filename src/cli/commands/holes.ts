import { groupArg, integer, streamArg } from '../arguments.ts'
import { command } from '../command.ts'
import { table } from '../table.ts'

export const holes = command({
  name: 'holes',
  description: 'Show what keeps a group’s frontier where it is',
  args: {
    stream: streamArg,
    group: groupArg,
    partition: { type: 'string', description: 'Which partition (default: all)', valueHint: 'n' },
  },
  examples: ['groups holes orders billing', 'groups holes orders billing --partition 2'],
  async run({ args, rheo, print }) {
    const found = await rheo.groups.holes(args.stream, args.group, {
      partition: integer('--partition', args.partition),
    })
    await print(found, () => {
      const rows = Object.entries(found.partitions).flatMap(([partition, one]) => {
        const ranges = one.holes.map(({ first, last, state, attempt }) => {
          const by = one.blockedBy?.sequence === first ? one.blockedBy : null
          const range = first === last ? String(first) : `${first}-${last}`
          return [partition, range, state, attempt, by?.consumerId, by?.expiresAt ?? by?.dueAt, by?.reason]
        })
        return one.more ? [...ranges, [partition, '…', null, null, null, null, null]] : ranges
      })
      if (rows.length === 0) return 'no holes\n'
      return table(['PARTITION', 'SEQUENCES', 'STATE', 'ATTEMPT', 'CONSUMER', 'UNTIL', 'REASON'], rows)
    })
    return 0
  },
})
