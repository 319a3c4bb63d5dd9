import { type Measured, measuring, runLoad, timed } from '../load.ts'
import { event, eventsFrom } from '../log.ts'
import type { Lane } from '../scenario.ts'
import type { World } from '../world.ts'

const perBatch = 100

/** Sends to a Cloudflare Queue while its consumer is held; what was sent is taken out again, unmeasured. */
export function sendLane(
  world: World,
  name: string,
  connections: number,
  load: (seconds: number) => Promise<Measured>,
): Lane {
  const run = async (seconds: number) => {
    await world.refer('POST', '/hold')
    const measured = await load(seconds)
    measured.queueOperations = measured.events
    await drain(world, measured.events)
    return measured
  }
  return { name, isReference: true, connections, run }
}

/** How fast the consumer of a Cloudflare Queue gets a backlog, in batches of 100. */
export function consumerLane(world: World): Lane {
  let count = 50 * perBatch
  const run = async (seconds: number) => {
    await world.refer('POST', '/hold')
    await fill(world, count)
    const measured = await timed(world.reference, async (measured) => {
      await drain(world, count)
      // Each batch is an invocation of the consumer. A message is read, and deleted.
      Object.assign(measured, { events: count, requests: count / perBatch, queueOperations: 2 * count })
    })
    count = perBatch * Math.min(1_000, Math.max(10, Math.round((count * seconds) / measured.seconds / perBatch)))
    return measured
  }
  return { name: 'Queues consumer', isReference: true, connections: 1, run }
}

/** A hundred messages sent, and had by the consumer. */
export function sendAndConsumeLane(world: World): Lane {
  const body = eventsFrom(0, perBatch)
  const run = async (seconds: number) => {
    await world.refer('POST', '/release')
    const measured = await runLoad(world.reference, 1, seconds, async (call) => {
      await call('POST', '/sendBatchAndWait', body)
      return perBatch
    })
    // The invocation of the consumer is a request as well.
    measured.requests *= 2
    measured.queueOperations = 3 * measured.events
    return measured
  }
  return { name: 'Queues', isReference: true, connections: 1, run }
}

/** From the request that sends a message to the answer that its consumer has it, with nothing else going on. */
export function roundTripLane(world: World): Lane {
  const body = JSON.stringify(event(0))
  const run = async (seconds: number) => {
    await world.refer('POST', '/release')
    return timed(world.reference, async (measured) => {
      const call = measuring(world.refer, measured)
      for (const endsAt = performance.now() + seconds * 1_000; performance.now() < endsAt; ) {
        const startedAt = performance.now()
        await call('POST', '/sendAndWait', body)
        measured.stepMs.push(performance.now() - startedAt)
        measured.events += 1
        measured.queueOperations += 3
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    })
  }
  return { name: 'Queues', isReference: true, connections: 1, run }
}

async function fill(world: World, count: number): Promise<void> {
  const body = eventsFrom(0, perBatch)
  for (let sent = 0; sent < count; sent += perBatch) await world.refer('POST', '/sendBatch', body)
}

async function drain(world: World, count: number): Promise<void> {
  await world.refer('POST', '/drain', JSON.stringify({ count }))
}
