import { groupArg, integer, integers, partitionsArg, streamArg } from '../arguments.ts'
import { command } from '../command.ts'
import { placeOf } from '../show-event.ts'
import { cut, table } from '../table.ts'

export const fetch = command({
  name: 'fetch',
  description: 'Lease deliveries of a group',
  args: {
    stream: streamArg,
    group: groupArg,
    limit: { type: 'string', description: 'How many at most, 1 to 1000 (default: 10)', valueHint: 'n' },
    'lease-ms': { type: 'string', description: 'Length of the leases (default: the group’s)', valueHint: 'ms' },
    'wait-ms': { type: 'string', description: 'How long to wait for work, up to 20000', valueHint: 'ms' },
    consumer: { type: 'string', description: 'Who holds the leases', valueHint: 'name' },
    partitions: partitionsArg,
  },
  examples: [
    'fetch orders billing --limit 1 --wait-ms 20000',
    `fetch orders billing --json | jq -r '.leases[].leaseId'`,
  ],
  async run({ args, rheo, print }) {
    const fetched = await rheo.fetch(args.stream, args.group, {
      limit: integer('--limit', args.limit),
      leaseMs: integer('--lease-ms', args['lease-ms']),
      waitMs: integer('--wait-ms', args['wait-ms']),
      consumerId: args.consumer,
      partitions: integers('--partitions', args.partitions),
    })
    await print(fetched, () => {
      if (fetched.leases.length === 0) return `nothing: ${fetched.reason}\n`
      const rows = fetched.leases.map((lease) => [
        placeOf(lease),
        lease.attempt,
        lease.expiresAt,
        lease.event.type,
        cut(JSON.stringify(lease.event.payload), 40),
        lease.leaseId,
      ])
      return table(['PLACE', 'ATTEMPT', 'EXPIRES', 'TYPE', 'PAYLOAD', 'LEASE'], rows)
    })
    return 0
  },
})
