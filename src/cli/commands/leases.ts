import { groupArg, integer, pageArgs, streamArg } from '../arguments.ts'
import { type CommandGroup, command } from '../command.ts'
import { placeOf } from '../show-event.ts'
import { tellMore } from '../show-page.ts'
import { tableOr } from '../table.ts'

const list = command({
  name: 'list',
  description: 'List who holds what until when',
  args: {
    stream: streamArg,
    group: groupArg,
    consumer: { type: 'string', description: 'Only of this consumer', valueHint: 'name' },
    ...pageArgs,
  },
  examples: ['leases list orders billing', 'leases list orders billing --consumer worker-3'],
  async run({ args, rheo, io, json, print }) {
    const { stream, group, consumer: consumerId, after } = args
    const page = await rheo.groups.leases(stream, group, { consumerId, after, limit: integer('--limit', args.limit) })
    const rows = page.leases.map((one) => [
      placeOf(one),
      one.attempt,
      one.consumerId,
      one.leasedAt,
      one.expiresAt,
      one.eventId,
    ])
    const heads = ['PLACE', 'ATTEMPT', 'CONSUMER', 'LEASED', 'EXPIRES', 'EVENT']
    await print(page, () => tableOr('no leases', heads, rows))
    if (!json) tellMore(io, page.nextCursor)
    return 0
  },
})

const release = command({
  name: 'release',
  description: 'Give back everything that a consumer holds, such as one that has died',
  args: {
    stream: streamArg,
    group: groupArg,
    consumer: { type: 'string', description: 'Whose leases', valueHint: 'name', required: true },
  },
  examples: ['leases release orders billing --consumer worker-3'],
  async run({ args: { stream, group, consumer }, rheo, print }) {
    const answer = await rheo.groups.releaseConsumer(stream, group, consumer)
    await print(answer, () => `released ${answer.released} of ${consumer}\n`)
    return 0
  },
})

export const leases: CommandGroup = {
  name: 'leases',
  alias: 'lease',
  description: 'List leases, and take them from a consumer',
  commands: [list, release],
}
