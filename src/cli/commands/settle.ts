import type { LeaseResult, Results } from '../../client/index.ts'
import { groupArg, integer, streamArg } from '../arguments.ts'
import { type Command, type Context, command } from '../command.ts'
import { table } from '../table.ts'
import { UsageError } from '../usage-error.ts'

const args = { stream: streamArg, group: groupArg } as const
const reasonArg = { type: 'string', description: 'Why, in up to 1000 characters', valueHint: 'text' } as const
const rest = 'lease ids'

/** Tells each result; what is not settled makes it a failure. */
async function tell({ print }: Pick<Context<typeof args>, 'print'>, results: Results<LeaseResult>): Promise<number> {
  await print(results, () => {
    const rows = results.results.map((one) =>
      one.ok ? [one.leaseId, one.state, one.dueAt] : [one.leaseId, one.code, null],
    )
    return table(['LEASE', 'RESULT', 'DUE'], rows)
  })
  return results.failed === 0 ? 0 : 1
}

function leasesOf(words: readonly string[]): { leaseId: string }[] {
  if (words.length === 0) throw new UsageError('which leases?')
  return words.map((leaseId) => ({ leaseId }))
}

const ack = command({
  name: 'ack',
  description: 'Settle leases as done',
  args,
  rest,
  examples: [
    'ack orders billing LEASE',
    `ack orders billing $(rheo fetch orders billing --json | jq -r '.leases[].leaseId')`,
  ],
  run: async ({ args: { stream, group }, rest, rheo, print }) =>
    tell({ print }, await rheo.ackMany({ stream, group }, leasesOf(rest))),
})

const nack = command({
  name: 'nack',
  description: 'Give leases back to be tried again',
  args: {
    ...args,
    reason: reasonArg,
    'delay-ms': { type: 'string', description: 'When they open again (default: the group’s backoff)', valueHint: 'ms' },
  },
  rest,
  examples: ['nack orders billing LEASE --reason "no answer" --delay-ms 60000'],
  run: async ({ args: { stream, group, reason, 'delay-ms': delay }, rest, rheo, print }) => {
    const delayMs = integer('--delay-ms', delay)
    return tell({ print }, await rheo.nackMany({ stream, group }, leasesOf(rest), { reason, delayMs }))
  },
})

const reject = command({
  name: 'reject',
  description: 'Make dead letters of leases',
  args: { ...args, reason: reasonArg },
  rest,
  examples: ['reject orders billing LEASE --reason "no such customer"'],
  run: async ({ args: { stream, group, reason }, rest, rheo, print }) =>
    tell({ print }, await rheo.rejectMany({ stream, group }, leasesOf(rest), { reason })),
})

const release = command({
  name: 'release',
  description: 'Give leases back unworked, their attempts refunded',
  args,
  rest,
  examples: ['release orders billing LEASE'],
  run: async ({ args: { stream, group }, rest, rheo, print }) =>
    tell({ print }, await rheo.releaseMany({ stream, group }, leasesOf(rest))),
})

export const settles: readonly Command[] = [ack, nack, reject, release]
