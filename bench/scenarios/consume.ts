import type { Call } from '../client.ts'
import { runLoad } from '../load.ts'
import { eventsFrom, leaseIdsIn, receiptIn } from '../log.ts'
import type { Goal, Lane, Scenario } from '../scenario.ts'
import type { World } from '../world.ts'
import { fragmentedGroup, freshGroups, type Groups } from './groups.ts'
import { consumerLane } from './queues.ts'

/** How a worker says which deliveries it acks. */
type By = 'receipt' | 'lease ids'

export const consumes: Scenario[] = [1, 100, 1_000].flatMap((limit) =>
  [1, 8].map((workers) => scenario(limit, workers)),
)

export const settles: Scenario[] = [1, 8].map((workers) => ({
  name: `settle+fetch 100, ${named(workers)}`,
  what: 'one call that acks a claim of 100 and takes the next',
  lanes: async (world) => [
    settleLane(world, 'small log', await freshGroups(world), workers),
    settleLane(world, 'large log', await fragmentedGroup(world), workers),
    { ...consumeLane(world, 'fetch+ack', await freshGroups(world), 100, workers, 'lease ids'), isReference: true },
  ],
  goals: [],
}))

function scenario(limit: number, workers: number): Scenario {
  const more = workers === 8 ? [4, 2.5] : [2.5, 1.5]
  const beside = ['textbook queue', 'Queues consumer'].map((against, index): Goal => {
    return { lane: 'receipt', metric: 'eventsPerSecond', against, atLeast: more[index]! }
  })
  const flat = (by: By): Goal => ({ lane: `${by}, large log`, metric: 'p50Ms', against: by, atMost: 1.1 })
  return {
    name: `fetch+ack ${limit}, ${named(workers)}`,
    what: `a fetch of ${limit} and its ack; the large log's group has a ledger in fragments`,
    lanes: async (world) => [
      consumeLane(world, 'receipt', await freshGroups(world), limit, workers, 'receipt'),
      consumeLane(world, 'lease ids', await freshGroups(world), limit, workers, 'lease ids'),
      consumeLane(world, 'receipt, large log', await fragmentedGroup(world), limit, workers, 'receipt'),
      consumeLane(world, 'lease ids, large log', await fragmentedGroup(world), limit, workers, 'lease ids'),
      textbookLane(world, limit, workers),
      nothingLane(world, limit, workers),
      ...(limit === 100 ? [consumerLane(world)] : []),
    ],
    goals: [...(limit === 100 ? beside : []), ...(workers === 1 ? [flat('receipt'), flat('lease ids')] : [])],
  }
}

/** How many bytes a delivery has in the answer of a fetch, about, and the body of an ack. */
const textOfDelivery = 545
const ack = '{"receipts":["0.1.100.100.0123456789abcdefghijkl"]}'

function named(workers: number): string {
  return workers === 1 ? '1 worker' : `${workers} workers`
}

function consumeLane(world: World, name: string, groups: Groups, limit: number, workers: number, by: By): Lane {
  const fetchBody = JSON.stringify({ limit })
  const run = (seconds: number) =>
    runLoad(world.rheo, workers, seconds, async (call) => {
      const group = groups.current
      const { text } = await call('POST', `${group}/fetch`, fetchBody)
      const ack = ackOf(text, by)
      if (ack === null) {
        await groups.next(group)
        return null
      }
      return groups.took(await acked(call, group, ack))
    })
  return { name, isReference: false, connections: workers, prepare: groups.prepare, run }
}

function ackOf(fetched: string, by: By): string | null {
  if (by === 'receipt') {
    const receipt = receiptIn(fetched)
    return receipt === undefined ? null : JSON.stringify({ receipts: [receipt] })
  }
  const leases = leaseIdsIn(fetched).map((leaseId) => ({ leaseId }))
  return leases.length === 0 ? null : JSON.stringify({ leases })
}

/** Acks, and says how many deliveries that was; a receipt's result tells its own count. */
async function acked(call: Call, group: string, body: string): Promise<number> {
  const { text } = await call('POST', `${group}/ack`, body)
  return Number((/"count":(\d+)/.exec(text) ?? /"settled":(\d+)/.exec(text))?.[1])
}

/** Each worker holds a claim of its own from one call to the next; the last ones are acked when the time is over. */
function settleLane(world: World, name: string, groups: Groups, workers: number): Lane {
  const fetch = { limit: 100 }
  const run = async (seconds: number) => {
    const held: { group: string; leaseIds: string[] }[] = []
    const measured = await runLoad(world.rheo, workers, seconds, async (call) => {
      const { group, leaseIds } = held.pop() ?? { group: groups.current, leaseIds: [] }
      const items = leaseIds.map((leaseId) => ({ leaseId, outcome: 'ack' }))
      const { text } =
        items.length === 0
          ? await call('POST', `${group}/fetch`, JSON.stringify(fetch))
          : await call('POST', `${group}/settle`, JSON.stringify({ items, fetch }))
      const next = leaseIdsIn(text.slice(text.indexOf('"leases":')))
      if (next.length > 0) held.push({ group, leaseIds: next })
      else await groups.next(group)
      return items.length === 0 ? null : groups.took(items.length)
    })
    for (const { group, leaseIds } of held) {
      const leases = leaseIds.map((leaseId) => ({ leaseId }))
      groups.took(await acked(world.call, group, JSON.stringify({ leases })))
    }
    return measured
  }
  return { name, isReference: false, connections: workers, prepare: groups.prepare, run }
}

/** Two calls of an object that does nothing, the first of which answers as much text as a claim has. */
function nothingLane(world: World, limit: number, workers: number): Lane {
  const length = `${textOfDelivery * limit}`
  const run = (seconds: number) =>
    runLoad(world.reference, workers, seconds, async (call) => {
      await call('POST', '/text', length)
      await call('POST', '/nothing', ack)
      return limit
    })
  return { name: 'does nothing', isReference: true, connections: workers, run }
}

/** Takes from a backlog that is filled up between rounds. */
function textbookLane(world: World, limit: number, workers: number): Lane {
  const body = eventsFrom(0, 1_000)
  const fetchBody = JSON.stringify({ limit })
  let backlog = 0
  let perSecond = 0
  const append = async (call: Call) => {
    await call('POST', '/append', body)
    backlog += 1_000
  }
  const run = async (seconds: number) => {
    while (backlog < Math.max(5_000, 1.5 * perSecond * seconds)) await append(world.refer)
    const measured = await runLoad(world.reference, workers, seconds, async (call) => {
      const { text } = await call('POST', '/fetch', fetchBody)
      const sequences = Array.from(text.matchAll(/"sequence":(\d+)/g), ([, sequence]) => Number(sequence))
      if (sequences.length === 0) {
        await append(world.refer)
        return null
      }
      const token = /"token":"([^"]+)"/.exec(text)![1]
      await call('POST', '/ack', JSON.stringify({ token, sequences }))
      backlog -= sequences.length
      return sequences.length
    })
    perSecond = measured.events / measured.seconds
    return measured
  }
  return { name: 'textbook queue', isReference: true, connections: workers, run }
}
