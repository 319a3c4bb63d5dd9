import { Gather, type Outcome } from './gather.ts'

/** Asks for something under a key, and gives its own result. */
export type Gathering<I, R> = (
  key: string,
  item: I,
  send: (items: readonly I[]) => Promise<readonly Outcome<R>[]>,
  signal: AbortSignal | undefined,
) => Promise<R>

/** Events of a batch, and items of a settle call: the server's limit of both. */
const MAX_ITEMS = 1_000

/** One gather for each key, and none while its key is idle. */
export function gathers<I, R>(maxWeight: number, weigh: (item: I) => number): Gathering<I, R> {
  const byKey = new Map<string, Gather<I, R>>()
  return (key, item, send, signal) => {
    let gather = byKey.get(key)
    if (gather === undefined) {
      const onIdle = () => void byKey.delete(key)
      gather = new Gather({ maxItems: MAX_ITEMS, maxWeight, weigh, send, onIdle })
      byKey.set(key, gather)
    }
    return gather.add(item, signal)
  }
}
