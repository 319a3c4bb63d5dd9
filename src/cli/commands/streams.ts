import { integer, pageArgs, streamArg, yesArg } from '../arguments.ts'
import { type CommandGroup, command } from '../command.ts'
import { confirm } from '../confirm.ts'
import { tellMore } from '../show-page.ts'
import { list, table, tableOr } from '../table.ts'

const create = command({
  name: 'create',
  description: 'Create a stream',
  args: {
    stream: streamArg,
    partitions: { type: 'string', description: 'How many partitions, 1 to 256 (default: 1)', valueHint: 'n' },
  },
  examples: ['streams create orders --partitions 4'],
  async run({ args, rheo, print }) {
    const stream = await rheo.streams.create(args.stream, { partitionCount: integer('--partitions', args.partitions) })
    const { name, partitionCount } = stream
    await print(
      stream,
      () => `created ${name} with ${partitionCount} ${partitionCount === 1 ? 'partition' : 'partitions'}\n`,
    )
    return 0
  },
})

const listStreams = command({
  name: 'list',
  description: 'List streams by name',
  args: pageArgs,
  examples: ['streams list', 'streams list --json'],
  async run({ args, rheo, io, json, print, tenantOrigin }) {
    const page = await rheo.streams.list({ limit: integer('--limit', args.limit), after: args.after })
    const rows = page.streams.map((one) => [one.name, one.partitionCount, one.createdAt])
    await print(page, () => tableOr('no streams', ['NAME', 'PARTITIONS', 'CREATED'], rows))
    if (json) return 0
    if (rows.length === 0 && tenantOrigin !== undefined) io.err(`The tenant is ${tenantOrigin}\n`)
    tellMore(io, page.nextCursor)
    return 0
  },
})

const show = command({
  name: 'show',
  description: 'Show a stream and what its partitions hold',
  args: { stream: streamArg },
  examples: ['streams show orders'],
  async run({ args, rheo, print }) {
    const stream = await rheo.streams.get(args.stream)
    await print(stream, () => {
      const rows = Object.entries(stream.partitions).map(([partition, one]) => [
        partition,
        one.firstSequence,
        one.highWatermark,
        one.bytes,
      ])
      const facts = list([
        ['name', stream.name],
        ['partitions', stream.partitionCount],
        ['created', stream.createdAt],
      ])
      return `${facts}\n${table(['PARTITION', 'FIRST', 'HIGH WATERMARK', 'BYTES'], rows)}`
    })
    return 0
  },
})

const remove = command({
  name: 'delete',
  alias: 'remove',
  description: 'Delete a stream with its events and groups, for ever',
  args: { stream: streamArg, yes: yesArg },
  examples: ['streams delete orders', 'streams delete orders --yes'],
  async run({ args, rheo, io, print }) {
    const what = `This deletes the stream ${args.stream} with its events and groups, for ever`
    if (!(await confirm(io, args.yes, what, args.stream))) return 1
    await rheo.streams.delete(args.stream, { confirm: true })
    await print({ deleted: args.stream }, () => `deleted ${args.stream}\n`)
    return 0
  },
})

export const streams: CommandGroup = {
  name: 'streams',
  alias: 'stream',
  description: 'Create, list, show and delete streams',
  commands: [create, listStreams, show, remove],
}
