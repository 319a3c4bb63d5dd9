import { integer, streamArg } from '../arguments.ts'
import { command } from '../command.ts'
import { eventTable } from '../show-event.ts'
import { tellMore } from '../show-page.ts'

export const read = command({
  name: 'read',
  description: 'Read a part of a partition, in order',
  args: {
    stream: streamArg,
    partition: { type: 'string', description: 'Which partition (default: 0)', valueHint: 'n' },
    after: { type: 'string', description: 'Behind this sequence (default: 0)', valueHint: 'n' },
    limit: { type: 'string', description: 'How many at most, 1 to 1000 (default: 100)', valueHint: 'n' },
  },
  examples: ['read orders', 'read orders --partition 2 --after 1000 --limit 10', 'read orders --json'],
  async run({ args, rheo, io, json, print }) {
    const page = await rheo.read(args.stream, {
      partition: integer('--partition', args.partition),
      after: integer('--after', args.after),
      limit: integer('--limit', args.limit),
    })
    await print(page, () => eventTable(page.events))
    if (!json) tellMore(io, page.nextAfter)
    return 0
  },
})
