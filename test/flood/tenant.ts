import type { WireAnswer } from './wire.ts'

/** Calls as one tenant, and parses what comes back. */
export type As = (method: string, path: string, body?: object) => Promise<WireAnswer>

export const orders = '/v1/streams/orders'
export const billing = `${orders}/groups/billing`

/** A lease as a fetch gives it, as far as a thief would use it. */
export interface Lease {
  readonly leaseId: string
  readonly receipt: string
  readonly eventId: string
}

/** What somebody who has seen all answers that a tenant ever got holds of it, apart from its token. */
export interface Loot {
  readonly leases: readonly Lease[]
  readonly eventIds: readonly string[]
  readonly cursors: readonly string[]
  readonly consumerId: string
}

/** Makes a stream with a group in the midst of its work; every text in it that is the tenant's own holds `marker`. */
export async function settleIn(as: As, marker: string, consumerId: string): Promise<Loot> {
  await expectDone(as('POST', '/v1/streams', { name: 'orders', partitionCount: 3 }))
  await expectDone(as('POST', `${orders}/groups`, { name: 'billing' }))
  await expectDone(as('POST', `${orders}/groups`, { name: 'audit', start: 'latest' }))
  const events = Array.from({ length: 30 }, (_, index) => ({
    ...{ partition: index % 3, type: `type-${marker}`, key: `key-${marker}` },
    ...{ payload: { note: marker, index }, metadata: { producer: marker } },
  }))
  const { body } = await expectDone(as('POST', `${orders}/events`, { events }))
  const fetched = await expectDone(as('POST', `${billing}/fetch`, { limit: 15, consumerId, leaseMs: 43_200_000 }))
  const leases: Lease[] = fetched.body.leases
  const one = (verb: string, index: number, more: object = {}) =>
    expectDone(as('POST', `${billing}/${verb}`, { leaseId: leases[index]!.leaseId, ...more }))
  await one('ack', 0)
  await one('ack', 5)
  await one('nack', 1, { delayMs: 60_000, reason: marker })
  for (const index of [2, 3, 7]) await one('reject', index, { reason: marker })
  const pages = [
    await expectDone(as('POST', `${orders}/query`, { limit: 1 })),
    await expectDone(as('POST', `${orders}/query`, { limit: 1, order: 'timestamp', descending: true })),
    await expectDone(as('GET', `${billing}/dead-letters?limit=1`)),
    await expectDone(as('GET', `${billing}/leases?limit=1`)),
  ]
  const eventIds = (body.events as { id: string }[]).map(({ id }) => id)
  return { leases, eventIds, cursors: pages.map((page) => page.body.nextCursor), consumerId }
}

/** All that the public API shows of such a tenant, as one text. */
export async function dump(as: As): Promise<string> {
  const paths = [
    ...['/v1/streams', orders, `${orders}/groups`, `${orders}/groups/audit`, `${orders}/groups/audit/lag`],
    ...[0, 1, 2].map((partition) => `${orders}/events?partition=${partition}&limit=1000`),
    ...['', '/lag', '/holes', '/leases', '/dead-letters'].map((view) => billing + view),
  ]
  const shown: string[] = []
  for (const path of paths) shown.push(`${path} ${(await expectDone(as('GET', path))).text}`)
  const { text } = await expectDone(as('POST', `${orders}/query`, { limit: 1_000 }))
  return [...shown, text].join('\n')
}

async function expectDone(answering: Promise<WireAnswer>): Promise<WireAnswer> {
  const answer = await answering
  if (answer.status >= 300) throw new Error(`the tenant itself is refused: ${answer.status} ${answer.text}`)
  return answer
}
