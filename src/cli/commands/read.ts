import type { Rheo } from '../../client/index.ts'
import { integer, streamArg } from '../arguments.ts'
import { command } from '../command.ts'
import type { Io } from '../io.ts'
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
    if (json) return 0
    tellMore(io, page.nextAfter)
    if (args.partition === undefined) await tellPartition(args.stream, rheo, io)
    return 0
  },
})

/** Says on stderr that there are other partitions; what was read is good without it. */
async function tellPartition(stream: string, rheo: Rheo, io: Io): Promise<void> {
  const found = await rheo.streams.get(stream).catch(() => undefined)
  if (found === undefined || found.partitionCount === 1) return
  io.err(`Partition 0 of ${found.partitionCount}; --partition reads another, rheo query looks in all\n`)
}
