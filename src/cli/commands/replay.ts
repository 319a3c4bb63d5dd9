import type { ReplaySelector } from '../../client/index.ts'
import { given, groupArg, integer, integers, partitionsArg, sequences, streamArg, yesArg } from '../arguments.ts'
import { command, type Parsed } from '../command.ts'
import { confirm } from '../confirm.ts'
import { lagTable } from '../show-lag.ts'
import { UsageError } from '../usage-error.ts'
import { whereArgs, whereOf } from '../where.ts'

const { from: _from, to, where, 'after-sequence': afterSequence, 'until-sequence': untilSequence } = whereArgs

const args = {
  stream: streamArg,
  group: groupArg,
  'from-sequence': {
    type: 'string',
    description: 'All behind a sequence, or {"partition":sequence}',
    valueHint: 'n|JSON',
  },
  from: { type: 'string', description: 'All from this time on; with conditions, only the matches', valueHint: 'time' },
  where,
  to,
  'after-sequence': afterSequence,
  'until-sequence': untilSequence,
  limit: { type: 'string', description: 'How many matches at most', valueHint: 'n' },
  partitions: partitionsArg,
  'reset-attempts': { type: 'boolean', description: 'Count attempts from 0 again' },
  'dry-run': { type: 'boolean', description: 'Only show what would be' },
  yes: yesArg,
} as const

export const replay = command({
  name: 'replay',
  description: 'Deliver events to a group again',
  args,
  rest: 'field=value',
  examples: [
    'replay orders billing --from-sequence 1200',
    'replay orders billing --from 2026-03-15T00:00:00Z --reset-attempts --yes',
    'replay orders billing type=refunded --dry-run',
  ],
  async run({ args, rest, rheo, io, json, print }) {
    const options = {
      ...selectorOf(args, rest),
      partitions: integers('--partitions', args.partitions),
      resetAttempts: args['reset-attempts'],
    }
    const { stream, group } = args
    const planned = await rheo.groups.replay(stream, group, { ...options, dryRun: true })
    if (args['dry-run']) {
      await print(planned, () => `${lagTable(planned.partitions)}\nwould reopen ${planned.reopened}\n`)
      return 0
    }
    if (!json) io.err(`${lagTable(planned.partitions)}\n`)
    const what = `This reopens ${planned.reopened} deliveries of ${group} on ${stream}`
    if (!(await confirm(io, args.yes, what, group))) return 1
    const done = await rheo.groups.replay(stream, group, options)
    await print(done, () => `reopened ${done.reopened}\n`)
    return 0
  },
})

/** A time alone selects by partition; beside conditions it is one of them. */
function selectorOf(args_: Parsed<typeof args>, pairs: readonly string[]): ReplaySelector {
  const conditions = given({
    where: whereOf(args_.where, pairs),
    to: args_.to,
    afterSequence: integer('--after-sequence', args_['after-sequence']),
    untilSequence: integer('--until-sequence', args_['until-sequence']),
    limit: integer('--limit', args_.limit),
  })
  const { from } = args_
  const fromSequence = sequences('--from-sequence', args_['from-sequence'])
  const hasConditions = Object.keys(conditions).length > 0
  if (fromSequence !== undefined) {
    if (hasConditions || from !== undefined) throw new UsageError('--from-sequence goes without a time or conditions')
    return { fromSequence }
  }
  if (hasConditions) return { query: given({ ...conditions, from }) }
  if (from === undefined) throw new UsageError('what shall be replayed? --from-sequence, --from, or conditions')
  return { from }
}
