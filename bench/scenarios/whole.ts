import { randomUUID } from 'node:crypto'
import { ack } from '../../src/client/index.ts'
import { measuring, nothing, runLoad, timed } from '../load.ts'
import { event, eventsFrom, receiptIn } from '../log.ts'
import type { Lane, Scenario } from '../scenario.ts'
import { createSdk } from '../sdk.ts'
import type { World } from '../world.ts'
import { roundTripLane, sendAndConsumeLane } from './queues.ts'

const count = 100
const body = eventsFrom(0, count)

export const whole: Scenario[] = [
  {
    name: 'end to end 100',
    what: '100 events appended with an idempotency key, fetched, and acked',
    lanes: async (world) => [await rheoLane(world), textbookLane(world), sendAndConsumeLane(world)],
    goals: [{ lane: 'Rheo', metric: 'rowsWrittenPerEvent', atMost: 0.05 }],
  },
  {
    name: 'latency',
    what: 'from the call that appends to the handler of a consumer that waits',
    lanes: async (world) => [await latencyLane(world), roundTripLane(world)],
    goals: [
      { lane: 'SDK consumer', metric: 'p50Ms', atMost: 5 },
      { lane: 'SDK consumer', metric: 'p50Ms', against: 'Queues' },
    ],
  },
]

async function rheoLane(world: World): Promise<Lane> {
  const log = await world.stream()
  const group = await log.group()
  const run = (seconds: number) =>
    runLoad(world.rheo, 1, seconds, async (call) => {
      await call('POST', `${log.path}/events`, body, { 'idempotency-key': randomUUID() })
      const { text } = await call('POST', `${group}/fetch`, JSON.stringify({ limit: count }))
      await call('POST', `${group}/ack`, JSON.stringify({ receipts: [receiptIn(text)] }))
      return count
    })
  return { name: 'Rheo', isReference: false, connections: 1, run }
}

/** What lies there already is older than what is appended, and as long. */
function textbookLane(world: World): Lane {
  const run = (seconds: number) =>
    runLoad(world.reference, 1, seconds, async (call) => {
      await call('POST', '/append', body)
      const { text } = await call('POST', '/fetch', JSON.stringify({ limit: count }))
      const sequences = Array.from(text.matchAll(/"sequence":(\d+)/g), ([, sequence]) => Number(sequence))
      await call('POST', '/ack', JSON.stringify({ token: /"token":"([^"]+)"/.exec(text)![1], sequences }))
      return count
    })
  return { name: 'textbook queue', isReference: true, connections: 1, run }
}

/** How long the consumer is left alone before the next event, so that it waits again. */
const pauseMs = 10

async function latencyLane(world: World): Promise<Lane> {
  const log = await world.stream()
  const group = await log.group()
  const names = { stream: log.path.split('/').at(-1)!, group: group.split('/').at(-1)! }
  // One consumer waits through all rounds, as it would in production.
  const spent = nothing()
  let handled: PromiseWithResolvers<void> | undefined
  const handler = () => {
    handled?.resolve()
    return ack
  }
  const { signal } = world
  await createSdk(world.rheo.url, spent).consumer({ ...names, handler, signal })
  const run = (seconds: number) =>
    timed(world.rheo, async (measured) => {
      Object.assign(spent, nothing())
      const call = measuring(world.call, measured)
      for (const endsAt = performance.now() + seconds * 1_000; performance.now() < endsAt; ) {
        await new Promise((resolve) => setTimeout(resolve, pauseMs))
        handled = Promise.withResolvers<void>()
        const startedAt = performance.now()
        const appended = call('POST', `${log.path}/events`, JSON.stringify(event(0)))
        await handled.promise
        measured.stepMs.push(performance.now() - startedAt)
        measured.events += 1
        await appended
      }
      for (const count of ['requests', 'rowsRead', 'rowsWritten', 'objects'] as const) measured[count] += spent[count]
    })
  return { name: 'SDK consumer', isReference: false, connections: 1, run }
}
