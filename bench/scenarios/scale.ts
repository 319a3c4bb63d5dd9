import type { Call } from '../client.ts'
import { runLoad } from '../load.ts'
import { event } from '../log.ts'
import type { Lane, Scenario } from '../scenario.ts'
import type { World } from '../world.ts'

const json = JSON.stringify
const perRequest = 1_000
const partitionCounts = [1, 16, 256] as const

/** What a call costs as partitions and tenants become many: the difference of two lanes is a coefficient. */
export const scales: Scenario[] = [
  byPartitions('lag by partitions', 'the lag of a group in every partition', (call, { group }) =>
    call('GET', `${group}/lag`).then(() => 1),
  ),
  byPartitions('empty fetch by partitions', 'a fetch of 100 that finds nothing anywhere', (call, { group }) =>
    call('POST', `${group}/fetch`, json({ limit: 100 })).then(() => 1),
  ),
  byPartitions(
    'append 1000 by partitions',
    `${perRequest} events a request, each with a key of its own`,
    async (call, { stream }) => {
      await call('POST', `${stream}/events`, spread)
      return perRequest
    },
  ),
  {
    name: 'new tenant',
    what: 'a stream made and its first event appended, by a tenant that was not there',
    lanes: async (world) => [newTenantLane(world)],
    goals: [],
  },
]

const spread = json({ events: Array.from({ length: perRequest }, (_, n) => ({ ...event(n), key: `k${n}` })) })

type Paths = { stream: string; group: string }

function byPartitions(name: string, what: string, step: (call: Call, paths: Paths) => Promise<number>): Scenario {
  const lane = async (world: World, partitions: number): Promise<Lane> => {
    const paths = await create(world, `${name.replaceAll(' ', '-')}-${partitions}`, partitions)
    const run = (seconds: number) => runLoad(world.rheo, 1, seconds, (call) => step(call, paths))
    return { name: `${partitions} partition${partitions === 1 ? '' : 's'}`, isReference: false, connections: 1, run }
  }
  return { name, what, lanes: (world) => Promise.all(partitionCounts.map((count) => lane(world, count))), goals: [] }
}

async function create(world: World, name: string, partitionCount: number): Promise<Paths> {
  await world.call('POST', '/v1/streams', json({ name, partitionCount }))
  await world.call('POST', `/v1/streams/${name}/groups`, json({ name: 'g' }))
  return { stream: `/v1/streams/${name}`, group: `/v1/streams/${name}/groups/g` }
}

function newTenantLane(world: World): Lane {
  let tenants = 0
  const run = (seconds: number) =>
    runLoad(world.rheo, 1, seconds, async (call) => {
      const tenant = { 'rheo-tenant': `t${tenants++}` }
      await call('POST', '/v1/streams', json({ name: 's' }), tenant)
      await call('POST', '/v1/streams/s/events', json(event(0)), tenant)
      return 1
    })
  return { name: 'Rheo', isReference: false, connections: 1, run }
}
