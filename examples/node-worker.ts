// A consumer in Node: retries, dead letters, and a stop that leaves nothing half done.
import { AlreadyExistsError, ack, Rheo, reject, retry } from 'rheo-edge/client'

type Order = { readonly order: string; readonly total: number }

const unlessThere = (error: unknown): void => {
  if (!(error instanceof AlreadyExistsError)) throw error
}

const rheo = new Rheo({ url: process.env.RHEO_URL ?? 'http://localhost:8787', token: process.env.RHEO_TOKEN })
await rheo.streams.create('orders', { partitionCount: 4 }).catch(unlessThere)
await rheo.groups.create('orders', 'billing', { maxAttempts: 5, backoff: { baseMs: 1_000 } }).catch(unlessThere)

/** Stands for a call of a bank that takes a key, so that doing it twice charges once. */
async function charge({ total }: Order, _idempotencyKey: string, signal: AbortSignal): Promise<boolean> {
  signal.throwIfAborted()
  return total < 1_000
}

const consumer = await rheo.consumer<Order>({
  stream: 'orders',
  group: 'billing',
  concurrency: 8,
  handler: async ({ id, payload }, { attempt, signal }) => {
    if (payload.total < 0) return reject('a negative total')
    const isCharged = await charge(payload, id, signal)
    return isCharged ? ack : retry(`declined on attempt ${attempt}`, { delayMs: 60_000 })
  },
  onEvent: (event) => {
    if (event.type === 'acked') console.log(`billed ${event.lease.eventId}`)
    if (event.type === 'rejected') console.log(`gave up ${event.lease.eventId}: ${event.reason}`)
    if (event.type === 'retried') console.log(`${event.lease.eventId} is ${event.state}: ${event.reason}`)
    if (event.type === 'lost') console.warn(`lost ${event.lease.eventId}: ${event.cause}`)
    if (event.type === 'error') console.error(event.during, event.error)
  },
})
console.log(`${consumer.consumerId} is working`)

// What has begun may end; what has not goes back at once, its attempt refunded.
const stop = (): void => void consumer.drain(25_000).then(() => process.exit(0))
process.once('SIGTERM', stop).once('SIGINT', stop)
