import { type Clock, systemClock } from '../clock.ts'
import type { JsonObject } from '../event.ts'
import type { Lease } from '../lease.ts'
import { acknowledge, type Settles } from './acknowledge.ts'
import { Batcher } from './batcher.ts'
import type { LeaseStream } from './lease-stream.ts'
import { bounded } from './options.ts'
import { ack, isOutcome, type Outcome, outcomeOf, outcomeOfThrow } from './outcome.ts'

/** A processed lease on its way to a batch. */
export interface Processed<P, T> {
  readonly lease: Lease<P>
  /** What the processor made of its event. */
  readonly value: T
}

export interface BatchOptions<P, T> {
  /** How many make a batch: 1 to 1 000, and no more than the stream's `maxDemand` can ever fill. */
  readonly size: number
  /** How long the first of a batch waits for the others, in milliseconds. */
  readonly timeoutMs: number
  /** How many batches are worked on at once; 1 unless given. */
  readonly concurrency?: number | undefined
  /** Works on a batch: an outcome for each in order, or nothing for ack of all. A throw is a retry of all. */
  readonly handler: (batch: readonly Processed<P, T>[]) => Promise<readonly Outcome[] | undefined> | undefined
}

export interface PipelineOptions<P = JsonObject, T = unknown> {
  /**
   * Works on one lease. An outcome settles it, and a throw is a retry with its reason; any other value goes to the batch.
   */
  readonly processor: (lease: Lease<P>, context: { readonly signal: AbortSignal }) => T | Outcome | Promise<T | Outcome>
  /** How many processors run at once; 1 unless given. */
  readonly concurrency?: number | undefined
  /** Without it every processor has to give an outcome. */
  readonly batch?: BatchOptions<P, T> | undefined
  /** Told of what was thrown, and of settles that failed. What they need has been done. */
  readonly onError?: ((error: unknown, lease: Lease<P>) => void) | undefined
  /** For tests. */
  readonly clock?: Clock | undefined
}

/**
 * Runs a lease stream through processors, and what they give through batches by size and time; settles everything.
 * Resolves when the stream has ended and all is settled or lost. Drain the stream to end it.
 *
 * @example
 * const leases = rheo.leases({ stream: 'orders', group: 'warehouse', maxDemand: 500 })
 * await pipeline(rheo, leases, {
 *   concurrency: 8,
 *   processor: (lease) => rowOf(lease.event),
 *   batch: { size: 100, timeoutMs: 1_000, handler: async (batch) => void (await insert(batch.map(({ value }) => value))) },
 * })
 */
export async function pipeline<P = JsonObject, T = unknown>(
  rheo: Settles,
  leases: LeaseStream<P>,
  options: PipelineOptions<P, T>,
): Promise<void> {
  const { processor, batch, onError = () => undefined, clock = systemClock } = options
  const concurrency = bounded('concurrency', options.concurrency ?? 1, 1, 1_000)
  const settling = new Set<Promise<void>>()
  const settle = (lease: Lease<P>, outcome: Outcome): Promise<void> => {
    const settled = acknowledge(rheo, lease, outcome)
      .catch((error) => onError(error, lease))
      .finally(() => settling.delete(settled))
    settling.add(settled)
    return settled
  }
  const batcher =
    batch === undefined
      ? null
      : new Batcher<Processed<P, T>>({
          clock,
          size: bounded('batch.size', batch.size, 1, 1_000),
          timeoutMs: bounded('batch.timeoutMs', batch.timeoutMs, 0, 2 ** 31 - 1),
          concurrency: bounded('batch.concurrency', batch.concurrency ?? 1, 1, 1_000),
          work: (processed) => workOn(processed, batch, leases, settle, onError),
        })

  const process = async (lease: Lease<P>): Promise<void> => {
    const signal = leases.signalOf(lease)
    let value: T | Outcome
    try {
      value = await processor(lease, { signal })
    } catch (error) {
      onError(error, lease)
      value = outcomeOfThrow(error)
    }
    // What was lost meanwhile is somebody else's.
    if (signal.aborted) return
    // Not awaited: a processor's next lease need not wait until this one is settled, and settles gather.
    if (batcher === null || isOutcome(value)) void settle(lease, outcomeOf(value))
    else await batcher.add({ lease, value: value as T })
  }

  const reader = leases.getReader()
  const work = async (): Promise<void> => {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      await process(value)
    }
  }
  try {
    await Promise.all(Array.from({ length: concurrency }, work))
  } finally {
    await batcher?.end()
    await Promise.all(settling)
  }
}

async function workOn<P, T>(
  processed: readonly Processed<P, T>[],
  { handler }: BatchOptions<P, T>,
  leases: LeaseStream<P>,
  settle: (lease: Lease<P>, outcome: Outcome) => Promise<void>,
  onError: (error: unknown, lease: Lease<P>) => void,
): Promise<void> {
  const live = processed.filter(({ lease }) => !leases.signalOf(lease).aborted)
  if (live.length === 0) return
  let outcomeAt: (index: number) => Outcome
  try {
    const outcomes = await handler(live)
    outcomeAt = outcomes === undefined ? () => ack : (index) => outcomeOf(outcomes[index])
  } catch (error) {
    for (const { lease } of live) onError(error, lease)
    outcomeAt = () => outcomeOfThrow(error)
  }
  await Promise.all(live.map(({ lease }, index) => settle(lease, outcomeAt(index))))
}
