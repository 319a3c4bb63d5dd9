import type { Client } from './client.ts'
import type { Journal } from './journal.ts'
import type { Random } from './random.ts'
import { settleAtRandom } from './settle.ts'
import type { Fetched } from './wire.ts'

/** Statuses of an object that cannot answer right now. */
const refusals = [503, 504]

export type Consumer = {
  client: Client
  journal: Journal
  random: Random
  stream: string
  group: string
  consumerId: string
  partitionCount: number
  isOver: () => boolean
}

/** Fetches and settles until it is over. Leases are short, so that those lost in a kill come back during the run. */
export async function consume(consumer: Consumer): Promise<void> {
  const { random, consumerId, partitionCount } = consumer
  while (!consumer.isOver()) {
    const scope = random.chance(0.25) ? { partition: random.integer(0, partitionCount - 1) } : {}
    const leaseMs = random.integer(200, 600)
    const body = { limit: random.integer(1, 15), leaseMs, consumerId, waitMs: random.integer(0, 1) * 50, ...scope }
    const fetched = await fetchLeases(consumer, body)
    if (fetched === null) continue
    await settleAtRandom(consumer, fetched.leases)
  }
}

/** Fetches once and enters what came into the journal; null when no answer came: its leases, if any, will expire. */
export async function fetchLeases(
  { client, journal, stream, group }: Pick<Consumer, 'client' | 'journal' | 'stream' | 'group'>,
  body: object,
): Promise<Fetched | null> {
  const sentAt = journal.step()
  const answer = await client.once<Fetched>({ path: `/streams/${stream}/groups/${group}/fetch`, body })
  if (answer === null || refusals.includes(answer.status)) return null
  if (answer.status !== 200) {
    journal.faults.push(`fetch of ${group}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return null
  }
  for (const lease of answer.body.leases) journal.delivery(lease).leased.push({ lease, sentAt })
  return answer.body
}
