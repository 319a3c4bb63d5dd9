import type { GroupInstall } from '../../src/core/partition/commands.ts'
import type { Options } from './calls.ts'
import { groupNotFound } from './machine-wire.ts'

/** What a catalog remembers of its groups: enough to tell a partition about each of them. */
export class MachineCatalog {
  readonly #groups = new Map<string, { first: GroupInstall; now: GroupInstall }>()

  create(uid: string, options: Options, start: number): GroupInstall {
    const first = { uid, name: `name of ${uid}`, revision: 1, options, start, epoch: 0 }
    this.#groups.set(uid, { first, now: first })
    return first
  }

  has(uid: string): boolean {
    return this.#groups.has(uid)
  }

  /** What was told when the group was created. */
  created(uid: string): GroupInstall {
    return this.#of(uid).first
  }

  patch(uid: string, patch: Partial<Options>): GroupInstall {
    const { now } = this.#of(uid)
    return this.#change(uid, { revision: now.revision + 1, options: { ...now.options, ...patch } })
  }

  reset(uid: string, start: number): GroupInstall {
    return this.#change(uid, { start, epoch: this.#of(uid).now.epoch + 1 })
  }

  remove(uid: string): void {
    this.#of(uid)
    this.#groups.delete(uid)
  }

  /** In the order in which the groups were created. */
  inOrder<T extends { readonly group: string }>(list: readonly T[]): T[] {
    const uids = [...this.#groups.keys()]
    return list.toSorted((a, b) => uids.indexOf(a.group) - uids.indexOf(b.group))
  }

  #change(uid: string, change: Partial<GroupInstall>): GroupInstall {
    const known = this.#of(uid)
    known.now = { ...known.now, ...change }
    return known.now
  }

  #of(uid: string): { first: GroupInstall; now: GroupInstall } {
    const known = this.#groups.get(uid)
    if (known === undefined) throw groupNotFound
    return known
  }
}
