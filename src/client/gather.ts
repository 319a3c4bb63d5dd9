import { RheoError } from './errors.ts'
import type { Code } from './failure.ts'
import { endOfTurn } from './turn.ts'

/** What became of one item. */
export type Outcome<R> = { readonly ok: true; readonly value: R } | { readonly ok: false; readonly error: unknown }

export interface GatherOptions<I, R> {
  readonly maxItems: number
  /** Bound of the weights of a request's items; one item always goes. */
  readonly maxWeight: number
  weigh(item: I): number
  /** Sends items as one request and gives their outcomes in order. A rejection is the failure of each. */
  send(items: readonly I[]): Promise<readonly Outcome<R>[]>
  /** Called when nothing is in flight and nothing waits. */
  onIdle(): void
}

interface Waiting<I, R> {
  readonly item: I
  settle(outcome: Outcome<R>): void
}

/**
 * Joins what is asked in one turn, or while a request is in flight, into one request: no timer, so that one caller alone
 * waits for nothing, and 64 callers at once go at the speed of batches. Requests follow one another, so order is kept.
 */
export class Gather<I, R> {
  readonly #options: GatherOptions<I, R>
  #waiting: Waiting<I, R>[] = []
  #isSending = false

  constructor(options: GatherOptions<I, R>) {
    this.#options = options
  }

  /** Gives the item's own result. An abort takes it out while it waits; once it is sent, it only ends the waiting. */
  add(item: I, signal?: AbortSignal): Promise<R> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const waiting: Waiting<I, R> = {
        item,
        settle: (outcome) => {
          signal?.removeEventListener('abort', onAbort)
          if (outcome.ok) resolve(outcome.value)
          else reject(outcome.error)
        },
      }
      const onAbort = (): void => {
        this.#waiting = this.#waiting.filter((one) => one !== waiting)
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', onAbort, { once: true })
      this.#waiting.push(waiting)
      if (!this.#isSending) void this.#sendAll()
    })
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true
    while (this.#waiting.length > 0) {
      await endOfTurn()
      await this.#deliver(this.#take())
    }
    this.#isSending = false
    this.#options.onIdle()
  }

  #take(): Waiting<I, R>[] {
    const { maxItems, maxWeight, weigh } = this.#options
    let weight = 0
    let count = 0
    for (const { item } of this.#waiting) {
      weight += weigh(item)
      if (count > 0 && (count === maxItems || weight > maxWeight)) break
      count += 1
    }
    return this.#waiting.splice(0, count)
  }

  /** Sends a batch. What was refused because of something in it is sent again in parts, until the fault stands alone. */
  async #deliver(batch: readonly Waiting<I, R>[]): Promise<void> {
    if (batch.length === 0) return
    const outcomes = await this.#ask(batch)
    const doubtful: Waiting<I, R>[] = []
    let refusal: RheoError | undefined
    for (const [index, waiting] of batch.entries()) {
      const outcome = outcomes[index]!
      if (batch.length > 1 && !outcome.ok && isRefusal(outcome.error)) {
        doubtful.push(waiting)
        refusal = outcome.error
      } else waiting.settle(outcome)
    }
    if (refusal === undefined) return
    const named = doubtful.length === batch.length ? indexIn(refusal) : null
    const parts =
      named === null
        ? [doubtful.slice(0, doubtful.length >> 1), doubtful.slice(doubtful.length >> 1)]
        : [doubtful.slice(0, named), doubtful.slice(named, named + 1), doubtful.slice(named + 1)]
    for (const part of parts) await this.#deliver(part)
  }

  async #ask(batch: readonly Waiting<I, R>[]): Promise<readonly Outcome<R>[]> {
    try {
      return await this.#options.send(batch.map(({ item }) => item))
    } catch (error) {
      return batch.map(() => ({ ok: false, error }))
    }
  }
}

/** With these nothing was done for the item, and perhaps because of another. */
const refusals: readonly Code[] = ['invalid_request', 'invalid_partition', 'payload_too_large', 'id_conflict']

const isRefusal = (error: unknown): error is RheoError => error instanceof RheoError && refusals.includes(error.code)

/** The item that a refusal names, as in `events[3].key`. */
function indexIn({ data }: RheoError): number | null {
  const { field = '' } = data as { field?: string }
  const index = /^(?:events|items)\[(\d+)\]/.exec(field)?.[1]
  return index === undefined ? null : Number(index)
}
