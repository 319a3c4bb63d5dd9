import { Gather, type Outcome } from './gather.ts'

/** How requests are joined, beside what is sent: one gather for each key, and none while its key is idle. */
export class Gathers<I, R> {
  readonly #byKey = new Map<string, Gather<I, R>>()
  readonly #maxWeight: number
  readonly #weigh: (item: I) => number

  constructor(maxWeight: number, weigh: (item: I) => number) {
    this.#maxWeight = maxWeight
    this.#weigh = weigh
  }

  add(
    key: string,
    item: I,
    send: (items: readonly I[]) => Promise<readonly Outcome<R>[]>,
    signal: AbortSignal | undefined,
  ): Promise<R> {
    let gather = this.#byKey.get(key)
    if (gather === undefined) {
      const onIdle = () => void this.#byKey.delete(key)
      gather = new Gather({ maxItems: MAX_ITEMS, maxWeight: this.#maxWeight, weigh: this.#weigh, send, onIdle })
      this.#byKey.set(key, gather)
    }
    return gather.add(item, signal)
  }
}

/** Events of a batch, and items of a settle call: the server's limit of both. */
const MAX_ITEMS = 1_000
