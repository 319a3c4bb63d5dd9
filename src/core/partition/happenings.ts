import type { Cause } from '../delivery.ts'
import type { GroupHappening } from '../happening.ts'
import { type Range, width } from '../runs.ts'
import { frontierOf } from './frontier.ts'
import type { PartitionStore } from './store.ts'

/** What commands and time have done to groups, until it is taken. Lost with a fault: nothing depends on it. */
export class Happenings {
  readonly #store: PartitionStore
  readonly #redelivered = new Map<number, number>()
  readonly #buried = new Map<number, Map<Cause, number>>()
  /** Frontiers as they were last known. */
  readonly #frontiers = new Map<number, number>()
  /** Groups whose frontier is another than that. */
  readonly #moved = new Set<number>()

  constructor(store: PartitionStore) {
    this.#store = store
  }

  redelivered(group: number, range: Range): void {
    this.#redelivered.set(group, (this.#redelivered.get(group) ?? 0) + width(range))
  }

  buried(group: number, range: Range, cause: Cause): void {
    const causes = this.#buried.get(group) ?? new Map<Cause, number>()
    this.#buried.set(group, causes.set(cause, (causes.get(cause) ?? 0) + width(range)))
  }

  /** Deliveries are about to become terminal. Only the first behind the frontier lets it advance. */
  ending(group: number, { first, last }: Range): void {
    const next = this.#frontier(group) + 1
    if (first <= next && next <= last) this.#moved.add(group)
  }

  /** Deliveries from `first` on are about to be open again. */
  reopening(group: number, first: number): void {
    if (first <= this.#frontier(group)) this.#moved.add(group)
  }

  /** The group is about to start over. */
  restarting(group: number): void {
    this.#frontier(group)
    this.#moved.add(group)
  }

  /** All that has happened since it was last taken. */
  take(): GroupHappening[] {
    const taken: GroupHappening[] = []
    if (this.#redelivered.size + this.#buried.size + this.#moved.size === 0) return taken
    for (const id of new Set([...this.#redelivered.keys(), ...this.#buried.keys(), ...this.#moved])) {
      const group = this.#store.groups.byId(id)?.name
      if (group === undefined) continue
      const redelivered = this.#redelivered.get(id)
      if (redelivered !== undefined) taken.push({ event: 'redelivery', group, count: redelivered })
      for (const [cause, count] of this.#buried.get(id) ?? []) taken.push({ event: 'dead_letter', group, count, cause })
      if (!this.#moved.has(id)) continue
      const from = this.#frontiers.get(id)!
      this.#frontiers.delete(id)
      const to = this.#frontier(id)
      if (from !== to) taken.push({ event: 'frontier', group, from, to })
    }
    this.#forgetTaken()
    return taken
  }

  clear(): void {
    this.#frontiers.clear()
    this.#forgetTaken()
  }

  #forgetTaken(): void {
    this.#redelivered.clear()
    this.#buried.clear()
    this.#moved.clear()
  }

  #frontier(group: number): number {
    const known = this.#frontiers.get(group) ?? frontierOf(this.#store.groups.edges(group))
    this.#frontiers.set(group, known)
    return known
  }
}
