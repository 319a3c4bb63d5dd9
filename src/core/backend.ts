import type { CatalogCommand, CatalogCommandName, CatalogOut } from './catalog/commands.ts'
import type { Address, Answer, Command, CommandName, CommandOut } from './partition/commands.ts'

/** What the storage counted for a call; one row written for each alarm set or deleted. */
export interface Cost {
  readonly rowsRead: number
  readonly rowsWritten: number
}

/** A partition's answer to a command. */
export interface Reply<T> {
  readonly answer: Answer<T>
  readonly cost: Cost
}

/** A catalog's answer; `objects` counts the partitions it called, itself left out. */
export interface CatalogReply<T> extends Reply<T> {
  readonly objects: number
}

/**
 * How a waiting fetch was woken: there may be work (or the group has gone), the time is over, or the partition has
 * as many waiters as it takes.
 */
export type Woken = 'work' | 'timeout' | 'full'

/** Who is told of a partition that is watched. */
export interface Watcher {
  /** The high watermark has moved, to here at least. Several moves may be told as one. */
  told(highWatermark: number): void
  /** The watch has ended, and nobody has closed it; `isGone` when the partition has gone with its stream. */
  ended(isGone: boolean): void
}

/** A watch that has begun: all beyond `highWatermark` will be told. */
export interface Watch {
  readonly highWatermark: number
  close(): void
}

/**
 * The objects behind the HTTP edge: Durable Objects in production, the same machines in a process elsewhere.
 * `testNowMs` is the caller's clock in test time, null otherwise.
 *
 * A call that rejects has an unknown outcome unless the error says `notStarted: true`: then nothing was done.
 * `overloaded: true` on the error marks an object that refuses load.
 */
export interface Backend {
  partition<N extends CommandName>(
    address: Address,
    command: Command<N>,
    testNowMs: number | null,
  ): Promise<Reply<CommandOut<N>>>
  /** Resolves when the group may have work in the partition, at the latest after `waitMs` of real time. */
  wait(address: Address, group: string, waitMs: number, testNowMs: number | null, signal: AbortSignal): Promise<Woken>
  /**
   * Watches a partition's high watermark, at no cost to the partition while that stands still. `moved` when there is no
   * such partition (any more), `full` when it has as many watchers as it takes.
   */
  watch(address: Address, testNowMs: number | null, watcher: Watcher): Promise<Watch | 'moved' | 'full'>
  catalog<N extends CatalogCommandName>(
    tenant: string,
    command: CatalogCommand<N>,
    testNowMs: number | null,
  ): Promise<CatalogReply<CatalogOut<N>>>
}
