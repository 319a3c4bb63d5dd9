import { runLoad, timed } from '../load.ts'
import { event, eventsFrom } from '../log.ts'
import type { Goal, Lane, Scenario } from '../scenario.ts'
import { createSdk } from '../sdk.ts'
import type { World } from '../world.ts'
import { sendLane } from './queues.ts'

const one = JSON.stringify(event(0))

export const appends: Scenario[] = [
  appendOne(1, ['does nothing', 'insert'], [{ lane: 'Rheo', metric: 'p50Ms', against: 'insert', atMost: 1.1 }]),
  appendOne(8, ['does nothing', 'insert', 'Queues send'], []),
  appendOne(
    64,
    ['does nothing', 'insert', 'Queues send'],
    [
      { lane: 'Rheo', metric: 'eventsPerSecond', against: 'insert', atLeast: 3 },
      { lane: 'Rheo', metric: 'eventsPerSecond', against: 'does nothing', atLeast: 0.95 },
    ],
  ),
  {
    name: 'append 1, SDK',
    what: 'one event by each of 64 concurrent callers of the SDK, which gathers them into requests',
    lanes: async (world) => [await sdkLane(world, 64), { ...(await appendLane(world, 1, 64)), name: 'plain requests' }],
    goals: [{ lane: 'SDK', metric: 'eventsPerSecond', against: 'plain requests', atLeast: 6 }],
  },
  appendMany(100, 8, ['rows', 'rows, answered', 'textbook queue', 'Queues sendBatch']),
  appendMany(1_000, 1, ['rows', 'rows, answered', 'textbook queue']),
]

const references = {
  'does nothing': '/nothing',
  insert: '/insert',
  rows: '/rows',
  'rows, answered': '/rowsAnswered',
  'textbook queue': '/append',
  'Queues send': '/send',
  'Queues sendBatch': '/sendBatch',
} as const
type Reference = keyof typeof references

function appendOne(connections: number, beside: Reference[], goals: Goal[]): Scenario {
  const name = `append 1, ${connections} conn${connections === 1 ? '' : 's'}`
  return scenario(name, 'one event a request', 1, connections, beside, goals)
}

function appendMany(count: number, connections: number, beside: Reference[]): Scenario {
  const name = `append ${count}, ${connections} conn${connections === 1 ? '' : 's'}`
  const goal: Goal = { lane: 'Rheo', metric: 'eventsPerSecond', against: 'rows', atLeast: 1.2 }
  return scenario(name, `${count} events a request`, count, connections, beside, [goal])
}

function scenario(
  name: string,
  what: string,
  count: number,
  connections: number,
  beside: Reference[],
  goals: Goal[],
): Scenario {
  const lanes = async (world: World) => [
    await appendLane(world, count, connections),
    ...beside.map((reference) => referenceLane(world, reference, count, connections)),
  ]
  return { name, what, lanes, goals }
}

const bodyOf = (count: number) => (count === 1 ? one : eventsFrom(0, count))

/** Appends the same events over and over, to a stream of its own. */
async function appendLane(world: World, count: number, connections: number): Promise<Lane> {
  const { path } = await world.stream()
  const body = bodyOf(count)
  const run = (seconds: number) =>
    runLoad(world.rheo, connections, seconds, async (call) => {
      await call('POST', `${path}/events`, body)
      return count
    })
  return { name: 'Rheo', isReference: false, connections, run }
}

/** Callers that each append an event and wait for it, through one client. */
async function sdkLane(world: World, callers: number): Promise<Lane> {
  const { path } = await world.stream()
  const stream = path.slice(path.lastIndexOf('/') + 1)
  const run = (seconds: number) =>
    timed(world.rheo, async (measured) => {
      const rheo = createSdk(world.rheo.url, measured)
      const endsAt = performance.now() + seconds * 1_000
      const caller = async () => {
        for (let now = performance.now(); now < endsAt; ) {
          await rheo.append(stream, event(0))
          const after = performance.now()
          measured.stepMs.push(after - now)
          measured.events += 1
          now = after
        }
      }
      await Promise.all(Array.from({ length: callers }, caller))
    })
  return { name: 'SDK', isReference: false, connections: callers, run }
}

function referenceLane(world: World, name: Reference, count: number, connections: number): Lane {
  const body = bodyOf(count)
  const path = references[name]
  const load = (seconds: number) =>
    runLoad(world.reference, connections, seconds, async (call) => {
      await call('POST', path, body)
      return count
    })
  if (name.startsWith('Queues')) return sendLane(world, name, connections, load)
  return { name, isReference: true, connections, run: load }
}
