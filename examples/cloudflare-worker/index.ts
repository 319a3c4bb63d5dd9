// A Worker that produces when it is called, and consumes when its cron trigger fires, both over a service binding.
import { Rheo, type SettleItem, type StreamEvent } from 'rheo-edge/client'

interface Env {
  readonly RHEO: Fetcher
  /** A token with the scopes `append` and `consume`. */
  readonly RHEO_TOKEN: string
}

interface Order {
  readonly customer: string
  readonly total: number
}

const billing = { stream: 'orders', group: 'billing' }
/** A cron run may last 15 minutes; what is leased after that would only expire. */
const RUN_MS = 10 * 60_000

const rheoOf = ({ RHEO, RHEO_TOKEN: token }: Env): Rheo => new Rheo({ fetch: RHEO.fetch.bind(RHEO), token })

export default {
  async fetch(request, env) {
    const order = await request.json<Order>()
    // The caller's key goes on, so that a caller who tries again orders once.
    const idempotencyKey = request.headers.get('idempotency-key') ?? crypto.randomUUID()
    const event = { type: 'placed', key: order.customer, payload: order }
    const { id, duplicate } = await rheoOf(env).append('orders', event, { idempotencyKey })
    return Response.json({ id, duplicate }, { status: 202 })
  },

  async scheduled(_, env) {
    const rheo = rheoOf(env)
    const deadlineMs = Date.now() + RUN_MS
    let { leases } = await rheo.fetch<Order>(billing.stream, billing.group, { limit: 100 })
    while (leases.length > 0) {
      const items = await Promise.all(
        leases.map(async ({ leaseId, event }): Promise<SettleItem> => {
          try {
            await bill(event)
            return { leaseId, outcome: 'ack' }
          } catch (error) {
            return { leaseId, outcome: 'nack', reason: String(error), delayMs: 60_000 }
          }
        }),
      )
      // One call settles a batch and takes the next.
      const limit = Date.now() < deadlineMs ? 100 : null
      const { fetched } = await rheo.settle<Order>(billing, items, limit === null ? {} : { fetch: { limit } })
      leases = fetched !== undefined && 'leases' in fetched ? fetched.leases : []
    }
  },
} satisfies ExportedHandler<Env>

/** Idempotent by the event's id, since it may be handled twice. */
async function bill({ id, payload }: StreamEvent<Order>): Promise<void> {
  if (payload.total < 0) throw new Error('a negative total')
  console.log(`billed ${id}`)
}
