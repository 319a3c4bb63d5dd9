// A consumer in a process of its own, for tests that kill it: url, tenant, stream, group, and how long an event takes.
import { ack, Rheo } from '../../src/client/index.ts'

const [url = '', tenant = '', stream = '', group = '', workMs = '0'] = process.argv.slice(2)
const rheo = new Rheo({ url, tenant })

const consumer = await rheo.consumer({
  stream,
  group,
  consumerId: 'process',
  concurrency: 5,
  maxDemand: 50,
  leaseMs: 1_500,
  handler: async () => {
    await new Promise((resolve) => setTimeout(resolve, Number(workMs)))
    return ack
  },
})

process.once('SIGTERM', async () => {
  const { unsettled } = await consumer.drain(20_000)
  process.exit(unsettled === 0 ? 0 : 1)
})
