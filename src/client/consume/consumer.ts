import type { Connection } from '../connection.ts'
import type { Lease } from '../lease.ts'
import { type HandleOptions, handle } from './handle.ts'
import type { Held } from './held-leases.ts'
import { type Drained, Intake } from './intake.ts'
import { bounded, type ConsumerOptions } from './options.ts'
import type { Ownership } from './ownership.ts'

/** A running consumer of one group. */
export interface Consumer {
  readonly stream: string
  readonly group: string
  /** How its leases are listed. */
  readonly consumerId: string
  /** How many leases it holds, those that wait included. */
  readonly held: number
  /** How many handlers are running. */
  readonly running: number
  /** Resolves when it has ended, by a drain or by its signal. It never rejects, and ends for no other reason. */
  readonly closed: Promise<void>
  /**
   * Stops fetching, gives back what no handler has seen, and waits for the rest, renewing and settling meanwhile.
   * Answers when nothing is left, or after `timeoutMs`; what is left then goes on in the background.
   *
   * @example process.once('SIGTERM', () => void consumer.drain(25_000).then(() => process.exit(0)))
   * @throws AlreadyDrainingError
   */
  drain(timeoutMs: number): Promise<Drained>
}

/** A longer timer would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Starts a consumer; see `Rheo.consumer`. */
export async function startConsumer<P, S>(
  connection: Connection,
  ownership: Ownership,
  options: ConsumerOptions<P, S>,
): Promise<Consumer> {
  const concurrency = bounded('concurrency', options.concurrency ?? 1, 1, 1_000)
  bounded('handlerTimeoutMs', options.handlerTimeoutMs ?? 1, 1, MAX_TIMER_MS)
  options.signal?.throwIfAborted()
  const disown = ownership.take(options)
  try {
    const setup = (await options.setup?.()) as S
    options.signal?.throwIfAborted()
    return run(connection, options, concurrency, frozen(setup), disown)
  } catch (error) {
    disown()
    throw error
  }
}

/** A plain object cannot be changed by the handlers that share it; what has a class of its own is left alone. */
function frozen<S>(setup: S): S {
  const isPlain = typeof setup === 'object' && setup !== null && Object.getPrototypeOf(setup) === Object.prototype
  return isPlain ? Object.freeze({ ...setup }) : setup
}

function run<P, S>(
  connection: Connection,
  options: ConsumerOptions<P, S>,
  concurrency: number,
  setup: S,
  disown: () => void,
): Consumer {
  const { stream, group, handler, handlerTimeoutMs, maxDemand = Math.min(2 * concurrency, 1_000) } = options
  let running = 0
  let resolveClosed: () => void
  const closed = new Promise<void>((resolve) => {
    resolveClosed = resolve
  })

  const intake: Intake<P> = new Intake<P>(connection, options, maxDemand, {
    onChange() {
      while (running < concurrency) {
        const held = intake.next()
        if (held === undefined) break
        void work(held)
      }
      // What is ready to be settled goes first, and fetches on its way.
      if (intake.settling.waiting === 0) void intake.poll()
    },
    isBusy: () => running > 0,
    onClose() {
      disown()
      resolveClosed()
    },
  })

  const handling: HandleOptions<P, S> = {
    clock: connection.clock,
    handler,
    handlerTimeoutMs,
    setup,
    onTimeout(held, error) {
      intake.held.setMode(held, 'unrenewed')
      handling.onThrow(held, error)
      held.abort.abort(error)
    },
    onThrow: (held, error) => intake.emit({ type: 'error', during: 'handler', error, lease: held.lease as Lease }),
  }

  async function work(held: Held<P>): Promise<void> {
    running += 1
    const outcome = await handle(held, handling)
    running -= 1
    intake.settling.add(held, outcome)
    intake.advance()
  }

  intake.begin()
  return {
    stream,
    group,
    consumerId: intake.consumerId,
    closed,
    get held() {
      return intake.held.size
    },
    get running() {
      return running
    },
    drain: (timeoutMs) => intake.drain(timeoutMs),
  }
}
