import { groupArg, integer, pageArgs, streamArg, yesArg } from '../arguments.ts'
import { type CommandGroup, command } from '../command.ts'
import { confirm } from '../confirm.ts'
import { optionArgs, optionsOf, startArgs, startOf } from '../group-options.ts'
import { groupList } from '../show-group.ts'
import { lagTable } from '../show-lag.ts'
import { tellMore } from '../show-page.ts'
import { tableOr } from '../table.ts'
import { UsageError } from '../usage-error.ts'
import { holes } from './holes.ts'
import { lag } from './lag.ts'

const create = command({
  name: 'create',
  description: 'Create a consumer group',
  args: { stream: streamArg, group: groupArg, ...startArgs, ...optionArgs },
  examples: [
    'groups create orders billing',
    'groups create orders billing --start latest --max-attempts 3 --backoff 1000,2,60000',
    `groups create orders audit --start-after '{"0":1200,"1":900}'`,
  ],
  async run({ args, rheo, print }) {
    const group = await rheo.groups.create(args.stream, args.group, { ...startOf(args), ...optionsOf(args, false) })
    await print(group, () => `created ${group.name} on ${group.stream}\n`)
    return 0
  },
})

const listGroups = command({
  name: 'list',
  description: 'List the groups of a stream by name',
  args: { stream: streamArg, ...pageArgs },
  examples: ['groups list orders'],
  async run({ args, rheo, io, json, print }) {
    const page = await rheo.groups.list(args.stream, { limit: integer('--limit', args.limit), after: args.after })
    const rows = page.groups.map((one) => [
      one.name,
      one.maxAttempts,
      one.leaseMs,
      one.maxInFlight,
      one.paused ? 'yes' : 'no',
      one.createdAt,
    ])
    const heads = ['NAME', 'MAX ATTEMPTS', 'LEASE MS', 'MAX IN FLIGHT', 'PAUSED', 'CREATED']
    await print(page, () => tableOr('no groups', heads, rows))
    if (!json) tellMore(io, page.nextCursor)
    return 0
  },
})

const show = command({
  name: 'show',
  description: 'Show a group, how far it is and what it holds',
  args: { stream: streamArg, group: groupArg },
  examples: ['groups show orders billing'],
  async run({ args, rheo, print }) {
    const group = await rheo.groups.get(args.stream, args.group)
    await print(group, () => `${groupList(group)}\n${lagTable(group.lag.partitions)}`)
    return 0
  },
})

const patch = command({
  name: 'patch',
  description: 'Change options of a group; the word default restores one',
  args: { stream: streamArg, group: groupArg, ...optionArgs },
  examples: [
    'groups patch orders billing --lease-ms 60000 --max-in-flight default',
    'groups patch orders billing --paused',
    'groups patch orders billing --no-paused',
  ],
  async run({ args, rheo, print }) {
    const options = optionsOf(args, true)
    if (Object.keys(options).length === 0) throw new UsageError('nothing to change')
    const group = await rheo.groups.update(args.stream, args.group, options)
    await print(group, () => `changed ${group.name} on ${group.stream}\n`)
    return 0
  },
})

const remove = command({
  name: 'delete',
  alias: 'remove',
  description: 'Delete a group with its progress and dead letters; events stay',
  args: { stream: streamArg, group: groupArg, yes: yesArg },
  examples: ['groups delete orders billing --yes'],
  async run({ args, rheo, io, print }) {
    const what = `This deletes the group ${args.group} of ${args.stream} with its progress and dead letters`
    if (!(await confirm(io, args.yes, what, args.group))) return 1
    await rheo.groups.delete(args.stream, args.group, { confirm: true })
    await print({ deleted: args.group }, () => `deleted ${args.group}\n`)
    return 0
  },
})

export const groups: CommandGroup = {
  name: 'groups',
  alias: 'group',
  description: 'Create, list, show, change and delete consumer groups; see how far they are',
  commands: [create, listGroups, show, lag, holes, patch, remove],
}
