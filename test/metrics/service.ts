import { type Local, startLocal } from '../../src/testing/index.ts'

const now = '2026-03-15T12:00:00.000Z'

/** A service whose two streams and three groups are in every state that metrics tell of. */
export async function busyService(): Promise<Local> {
  const local = await startLocal({ now })
  const rheo = local.rheo()
  await rheo.streams.create('orders', { partitionCount: 3 })
  await rheo.streams.create('users')
  await rheo.groups.create('orders', 'billing', { backoff: { baseMs: 60_000 } })
  await rheo.groups.create('orders', 'audit', { paused: true })
  await rheo.groups.create('users', 'mail')
  for (const partition of [0, 1]) {
    await rheo.appendMany(
      'orders',
      Array.from({ length: 10 }, (_, n) => ({ partition, payload: { n } })),
    )
  }
  const { leases } = await rheo.fetch('orders', 'billing', { partition: 0, limit: 8 })
  const [acked, nacked, rejected, released] = leases
  await rheo.ack(acked!)
  await rheo.nack(nacked!)
  await rheo.reject(rejected!)
  await rheo.release(released!)
  local.clock.advance(1_500)
  return local
}

/** What Prometheus reads of it. */
export async function scrape(local: Local): Promise<string> {
  const response = await local.fetch('/v1/metrics')
  if (!response.ok) throw new Error(await response.text())
  return response.text()
}
