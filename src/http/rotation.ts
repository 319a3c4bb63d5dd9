import { Lru } from './lru.ts'

/**
 * Where the fetches of a group begin among the partitions: one further with each fetch, so that every partition comes
 * first in turn. Each isolate begins anywhere, or all of them would favour partition 0 after every start.
 */
export class Rotation {
  readonly #turns: Lru<number>

  constructor(bound: number) {
    this.#turns = new Lru(bound)
  }

  /** The partitions in the order in which the next fetch asks them. */
  next(streamUid: string, group: string, partitions: readonly number[]): number[] {
    const key = `${streamUid}/${group}`
    const turn = this.#turns.get(key) ?? crypto.getRandomValues(new Uint16Array(1))[0]!
    this.#turns.set(key, turn + 1)
    const start = turn % partitions.length
    return [...partitions.slice(start), ...partitions.slice(0, start)]
  }
}
