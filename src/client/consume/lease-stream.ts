import type { Connection } from '../connection.ts'
import type { JsonObject } from '../event.ts'
import type { Lease } from '../lease.ts'
import { type Drained, Intake } from './intake.ts'
import type { LeaseBook } from './lease-book.ts'
import { bounded, type ConsumeOptions, LEASES_PER_HANDLER } from './options.ts'
import type { Ownership } from './ownership.ts'

export interface LeaseStreamOptions extends ConsumeOptions {
  /**
   * How long a lease is renewed after it was read, in milliseconds; ten times its length unless given. What is not
   * settled by then is left to expire.
   */
  readonly holdMs?: number | undefined
}

/** What a lease stream can do beside being read. */
export interface LeaseStreamControl {
  /** How its leases are listed. */
  readonly consumerId: string
  /** How many leases it holds, those that nobody has read included. */
  readonly held: number
  /** Aborts when the lease is lost; aborted already for a lease that the stream does not hold. */
  signalOf(lease: Pick<Lease, 'leaseId'>): AbortSignal
  /**
   * Ends the stream: fetches no more, gives back what nobody has read, and waits until everything that was read is
   * settled, renewing it meanwhile, or for `timeoutMs`.
   *
   * @throws AlreadyDrainingError
   */
  drain(timeoutMs: number): Promise<Drained>
}

/** Leases as they are wanted; see `Rheo.leases`. */
export type LeaseStream<P = JsonObject> = ReadableStream<Lease<P>> & LeaseStreamControl

/** What a stream holds unless it is told otherwise: enough to batch a fetch, few enough to lose with the process. */
const DEFAULT_DEMAND = 10

/** Opens a lease stream; see `Rheo.leases`. */
export function openLeaseStream<P>(
  connection: Connection,
  ownership: Ownership,
  book: LeaseBook,
  options: LeaseStreamOptions,
): LeaseStream<P> {
  const { holdMs, signal, maxDemand = DEFAULT_DEMAND } = options
  if (holdMs !== undefined) bounded('holdMs', holdMs, 1, Number.MAX_SAFE_INTEGER)
  signal?.throwIfAborted()
  let controller: ReadableStreamDefaultController<Lease<P>>
  let wake: () => void = () => {}

  const intake: Intake<P> = new Intake<P>(connection, options, maxDemand, {
    onChange: () => wake(),
    isBusy: () => false,
    onClose(reason) {
      disown()
      closeBook()
      if (signal?.aborted && !isOver) controller.error(reason)
      wake()
    },
  })
  const disown = ownership.take(options)
  const closeBook = book.open(intake.held)
  /** Closed or cancelled: nothing may be put in any more. */
  let isOver = false

  /** Called when somebody wants a lease, and not again before it is there. */
  const pull = async (): Promise<void> => {
    while (intake.state === 'open') {
      const held = intake.next()
      if (held !== undefined) {
        held.renewUntilMs = connection.clock.now() + (holdMs ?? LEASES_PER_HANDLER * held.lengthMs)
        controller.enqueue(held.lease)
        return
      }
      // What is ready but not known to be live waits for its renewal, and a full stream for a settle.
      if (!intake.hasReady && intake.free > 0) await intake.poll()
      else {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    }
  }

  const stream = new ReadableStream<Lease<P>>(
    {
      start(one) {
        controller = one as ReadableStreamDefaultController<Lease<P>>
      },
      pull,
      cancel() {
        isOver = true
        // There is no reader any more, so the group may have another.
        disown()
        if (intake.state === 'open') intake.end()
      },
    },
    // Nothing is taken ahead by the stream itself: a lease that nobody reads would only grow old in its queue.
    { highWaterMark: 0 },
  )
  intake.begin()
  const control: LeaseStreamControl = {
    consumerId: intake.consumerId,
    get held() {
      return intake.held.size
    },
    signalOf: ({ leaseId }) => intake.held.get(leaseId)?.abort.signal ?? AbortSignal.abort(),
    async drain(timeoutMs) {
      const drained = intake.drain(timeoutMs)
      if (!isOver && intake.state !== 'open') {
        isOver = true
        controller.close()
      }
      return drained
    },
  }
  return Object.defineProperties(stream, Object.getOwnPropertyDescriptors(control)) as LeaseStream<P>
}
