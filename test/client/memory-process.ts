// Appends and consumes events in a process of its own, run with --expose-gc, and prints its heap as it goes. What is the
// server here keeps nothing, so what grows is the client's.
import { ack, type Lease, pipeline, Rheo } from '../../src/client/index.ts'

const [kind = '', total = '0'] = process.argv.slice(2)
const count = Number(total)
const SAMPLES = 20
let given = 0
let done = 0
const heaps: number[] = []
let sampling: Promise<void> | null = null
let finish = (): void => {}
const finished = new Promise<void>((resolve) => {
  finish = resolve
})

const lease = (n: number): Lease => {
  const [leasedAt, expiresAt] = [Date.now(), Date.now() + 30_000].map((ms) => new Date(ms).toISOString()) as [
    string,
    string,
  ]
  const place = { stream: 's', partition: 0, sequence: n }
  const event = { ...place, id: `e${n}`, type: null, key: null, timestamp: leasedAt, metadata: {}, payload: { n } }
  const rest = { attempt: 1, consumerId: null, leasedAt, expiresAt, event }
  return { ...place, ...rest, group: 'g', leaseId: `0.${n}.token`, receipt: `0.r${n}`, eventId: `e${n}` }
}

const leases = (limit: number): Lease[] => {
  const taken = Math.min(limit, count - given)
  given += taken
  return Array.from({ length: taken }, (_, index) => lease(given - taken + index))
}

/** Counts what came through, and at even distances looks at what is left of it. */
function note(events: number): void {
  const before = done
  done += events
  if (Math.floor((before * SAMPLES) / count) < Math.floor((done * SAMPLES) / count)) sampling ??= sample()
  if (done === count) finish()
}

async function sample(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
  globalThis.gc!()
  heaps.push(process.memoryUsage().heapUsed)
  sampling = null
}

const rheo = new Rheo({
  async fetch(url, { body = '', signal }) {
    await new Promise((resolve) => setImmediate(resolve))
    await sampling
    const asked = JSON.parse(body)
    if (url.endsWith('/events')) {
      const events = asked.events.map((event: object) => ({ ...lease(0).event, ...event }))
      note(events.length)
      return Response.json({ events })
    }
    if (url.endsWith('/settle')) {
      const results = asked.items.map(({ leaseId }: Lease) => ({ leaseId, ok: true, state: 'acked' }))
      note(results.length)
      const next = asked.fetch === undefined ? {} : { leases: leases(asked.fetch.limit) }
      return Response.json({ results, settled: results.length, failed: 0, ...next })
    }
    const found = leases(asked.limit)
    // Nothing is left: as a real fetch it waits until it is not wanted any more.
    if (found.length === 0)
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    return Response.json({ leases: found })
  },
})

const options = { stream: 's', group: 'g', maxDemand: 200 }
if (kind === 'append') {
  const caller = async () => {
    for (let n = 0; n < count / 50; n++) await rheo.append('s', { payload: { n } })
  }
  await Promise.all(Array.from({ length: 50 }, caller))
} else if (kind === 'consumer') {
  const consumer = await rheo.consumer({ ...options, concurrency: 8, handler: async () => ack })
  await finished
  await consumer.drain(1_000)
} else {
  const stream = rheo.leases(options)
  const piped = pipeline(rheo, stream, {
    concurrency: 8,
    processor: ({ sequence }) => sequence,
    batch: { size: 50, timeoutMs: 10, handler: async () => undefined },
  })
  await finished
  await stream.drain(1_000)
  await piped
}
await sample()
process.stdout.write(JSON.stringify({ done, heaps }))
