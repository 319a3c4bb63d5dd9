import type { Clock } from '../clock.ts'
import type { Held } from './held-leases.ts'
import { type ConsumerOptions, type HandlerContext, LEASES_PER_HANDLER } from './options.ts'
import { type Outcome, outcomeOf, outcomeOfThrow } from './outcome.ts'

export interface HandleOptions<P, S> {
  readonly clock: Clock
  readonly handler: ConsumerOptions<P, S>['handler']
  readonly handlerTimeoutMs: number | undefined
  readonly setup: S
  /** The handler has used up its time. */
  onTimeout(held: Held<P>, error: Error): void
  onThrow(held: Held<P>, error: unknown): void
}

/** Runs the handler on one event. Resolves when it has ended, whatever became of the lease. */
export async function handle<P, S>(held: Held<P>, options: HandleOptions<P, S>): Promise<Outcome> {
  const { clock, handler, setup, onTimeout, onThrow } = options
  const { lease, lengthMs, abort } = held
  const timeoutMs = options.handlerTimeoutMs ?? LEASES_PER_HANDLER * lengthMs
  const timer = clock.setTimeout(() => {
    onTimeout(held, new Error(`the handler is over ${timeoutMs} ms`))
  }, timeoutMs)
  const context: HandlerContext<P, S> = Object.freeze({
    attempt: lease.attempt,
    lease,
    signal: abort.signal,
    setup,
  })
  try {
    return outcomeOf(await handler(lease.event, context))
  } catch (error) {
    onThrow(held, error)
    return outcomeOfThrow(error)
  } finally {
    clock.clearTimeout(timer)
  }
}
