import { endOf, type History, type Lease, landedAt, mayHaveLanded, type Reopening, type Settle } from './history.ts'

/** All that clients know of one delivery: one event on its way to one group. */
export interface Delivery {
  readonly group: string
  readonly partition: number
  readonly sequence: number
  readonly number: number
  readonly leases: Lease[]
  readonly settles: Settle[]
}

const keyOf = (group: string, partition: number, sequence: number): string => `${group}/${partition}/${sequence}`

/** A history by deliveries, with what the checks ask of one. */
export class Deliveries {
  readonly history: History
  readonly #deliveries = new Map<string, Delivery>()
  readonly #reopenings: ReadonlyMap<string, readonly Reopening[]>

  constructor(history: History) {
    this.history = history
    this.#reopenings = Map.groupBy(history.reopenings, ({ group }) => group)
    for (const lease of history.leases) this.#of(lease).leases.push(lease)
    for (const settle of history.settles) this.#of(settle.lease).settles.push(settle)
  }

  all(): Iterable<Delivery> {
    return this.#deliveries.values()
  }

  at(group: string, partition: number, sequence: number): Delivery | undefined {
    return this.#deliveries.get(keyOf(group, partition, sequence))
  }

  /** Whether a replay, reset or redrive may have reached a delivery between two steps. */
  mayReopen(
    delivery: Pick<Delivery, 'group' | 'partition' | 'sequence' | 'number'>,
    after: number,
    before: number,
    isMeant: (reopening: Reopening) => boolean = () => true,
  ): boolean {
    return (this.#reopenings.get(delivery.group) ?? []).some(
      (one) => isMeant(one) && one.sent < before && endOf(one) > after && one.covers(delivery),
    )
  }

  /** Whether something may have ended a lease before a step, other than its own expiry. */
  mayHaveEnded(delivery: Delivery, lease: Lease, before: number, besides?: Settle): boolean {
    const settled = delivery.settles.some(
      (settle) =>
        settle !== besides &&
        settle.lease === lease &&
        settle.outcome !== 'renew' &&
        settle.sent < before &&
        mayHaveLanded(settle),
    )
    const released = this.history.releases.some(
      ({ group, consumerId, sent }) => group === lease.group && consumerId === lease.consumerId && sent < before,
    )
    return settled || released || this.mayReopen(delivery, lease.fetch.sent, before)
  }

  /** The settles by which a delivery surely came to an end, and that nothing can have reopened before a step. */
  ended(delivery: Delivery, before: number): Settle[] {
    return delivery.settles.filter((settle) => {
      const landed = landedAt(settle)
      const ends = settle.outcome === 'ack' || settle.outcome === 'reject'
      return ends && landed !== null && landed < before && !this.mayReopen(delivery, settle.sent, before)
    })
  }

  /** The least or greatest number of attempts that the group may ever have been given. */
  maxAttempts(group: string, which: 'least' | 'most'): number {
    const all = this.history.rules.filter((rule) => rule.group === group).map(({ maxAttempts }) => maxAttempts)
    return which === 'least' ? Math.min(...all) : Math.max(...all)
  }

  #of({ group, partition, sequence, number }: Lease): Delivery {
    const key = keyOf(group, partition, sequence)
    const known = this.#deliveries.get(key)
    if (known !== undefined) return known
    const delivery = { group, partition, sequence, number, leases: [], settles: [] }
    this.#deliveries.set(key, delivery)
    return delivery
  }
}

export const textOf = ({ group, partition, sequence }: Pick<Delivery, 'group' | 'partition' | 'sequence'>): string =>
  `${group} ${partition}/${sequence}`
