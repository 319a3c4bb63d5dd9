import { groupArg, integers, partitionsArg, streamArg, yesArg } from '../arguments.ts'
import { command } from '../command.ts'
import { confirm } from '../confirm.ts'
import { startArgs, startOf } from '../group-options.ts'
import { groupList } from '../show-group.ts'
import { lagTable } from '../show-lag.ts'

export const reset = command({
  name: 'reset',
  description: 'Start a group over; its attempts, leases and dead letters are forgotten',
  args: { stream: streamArg, group: groupArg, ...startArgs, partitions: partitionsArg, yes: yesArg },
  examples: ['reset orders billing', 'reset orders billing --start latest --partitions 0,2 --yes'],
  async run({ args, rheo, io, json, print }) {
    const { stream, group } = args
    const start = startOf(args)
    const partitions = integers('--partitions', args.partitions)
    if (!args.yes && !json) io.err(`${groupList(await rheo.groups.get(stream, group))}\n`)
    const where = partitions === undefined ? '' : ` in partitions ${partitions.join(', ')}`
    const what = `This forgets all of that${where} and starts ${group} on ${stream} over`
    if (!(await confirm(io, args.yes, what, group))) return 1
    const done = await rheo.groups.reset(stream, group, { ...start, partitions, confirm: true })
    await print(done, () => lagTable(done.partitions))
    return 0
  },
})
