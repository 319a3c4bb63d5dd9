import type { Connection } from '../connection.ts'
import { errorOf } from '../errors.ts'
import type { JsonObject } from '../event.ts'
import type { Lease } from '../lease.ts'
import { settleMany } from '../settle.ts'
import type { Drained } from './consumer.ts'
import { tell } from './event.ts'
import { Feed } from './feed.ts'
import { type Held, HeldLeases } from './held-leases.ts'
import type { LeaseBook } from './lease-book.ts'
import { bounded, type ConsumeOptions, consumerIdOf, demandOf, LEASES_PER_HANDLER, pollMsOf } from './options.ts'
import type { Ownership } from './ownership.ts'
import { Settling } from './settling.ts'

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

export function openLeaseStream<P>(
  connection: Connection,
  ownership: Ownership,
  book: LeaseBook,
  options: LeaseStreamOptions,
): LeaseStream<P> {
  options.signal?.throwIfAborted()
  const source = new LeaseSource<P>(connection, options, book)
  source.begin(ownership.take(options))
  // Nothing is taken ahead by the stream itself: a lease that nobody reads would only grow old in its queue.
  const stream = new ReadableStream<Lease<P>>(
    {
      start: (controller) => source.start(controller),
      pull: (controller) => source.pull(controller),
      cancel: () => source.cancel(),
    },
    { highWaterMark: 0 },
  )
  const control: LeaseStreamControl = {
    consumerId: source.consumerId,
    get held() {
      return source.held
    },
    signalOf: (lease) => source.signalOf(lease),
    drain: (timeoutMs) => source.drain(timeoutMs),
  }
  return Object.defineProperties(stream, Object.getOwnPropertyDescriptors(control)) as LeaseStream<P>
}

interface Controller<P> {
  enqueue(lease: Lease<P>): void
  close(): void
  error(reason: unknown): void
}

class LeaseSource<P> {
  readonly consumerId: string
  readonly #connection: Connection
  readonly #options: LeaseStreamOptions
  readonly #maxDemand: number
  readonly #held: HeldLeases<P>
  readonly #feed: Feed<P>
  readonly #settling: Settling<P>
  readonly #emit: ReturnType<typeof tell>
  readonly #book: LeaseBook
  #controller!: Controller<P>
  #disown: () => void = () => {}
  #closeBook: () => void = () => {}
  /** Leased and not read yet, in the order in which they came. */
  #ready: Held<P>[] = []
  #state: 'open' | 'ending' | 'closed' = 'open'
  #wake: () => void = () => {}
  #drained: ((unsettled: number) => void) | undefined

  constructor(connection: Connection, options: LeaseStreamOptions, book: LeaseBook) {
    const { clock, once: send } = connection
    const { stream, group, leaseMs, partitions } = options
    this.consumerId = consumerIdOf(options, clock)
    this.#connection = connection
    this.#options = options
    this.#maxDemand = demandOf(options.maxDemand ?? DEFAULT_DEMAND)
    if (options.holdMs !== undefined) bounded('holdMs', options.holdMs, 1, Number.MAX_SAFE_INTEGER)
    const pollMs = pollMsOf(options.pollMs)
    const emit = tell(options.onEvent)
    this.#emit = emit
    const held = new HeldLeases<P>({
      clock,
      emit,
      renew: (leases, timeoutMs) => settleMany(send, 'renew', { stream, group }, leases, { timeoutMs }),
      onLose: (one) => {
        this.#ready = this.#ready.filter((other) => other !== one)
      },
      onChange: () => this.#changed(),
    })
    this.#held = held
    const fetch = { leaseMs, partitions, consumerId: this.consumerId }
    this.#feed = new Feed({ send, clock, held, emit, stream, group, pollMs, fetch })
    this.#settling = new Settling({ send, clock, held, emit, stream, group })
    this.#book = book
  }

  get held(): number {
    return this.#held.size
  }

  begin(disown: () => void): void {
    this.#disown = disown
    this.#closeBook = this.#book.open(this.#held)
    this.#options.signal?.addEventListener('abort', this.#kill, { once: true })
  }

  start(controller: Controller<P>): void {
    this.#controller = controller
  }

  /** Called when somebody wants a lease, and not again before it is there. */
  async pull(controller: Controller<P>): Promise<void> {
    while (this.#state === 'open') {
      const index = this.#ready.findIndex((one) => this.#held.isLive(one))
      if (index !== -1) return this.#give(controller, this.#ready.splice(index, 1)[0]!)
      const free = this.#maxDemand - this.#held.size
      // What is ready but not known to be live waits for its renewal.
      if (this.#ready.length > 0 || free <= 0) await this.#change()
      else this.#take(await this.#feed.poll(free))
    }
  }

  #give(controller: Controller<P>, held: Held<P>): void {
    const holdMs = this.#options.holdMs ?? LEASES_PER_HANDLER * held.lengthMs
    held.renewUntilMs = this.#connection.clock.now() + holdMs
    controller.enqueue(held.lease)
  }

  #take(leases: readonly Held<P>[]): void {
    if (this.#state === 'open') this.#ready.push(...leases)
    else this.#release(leases)
  }

  #release(leases: readonly Held<P>[]): void {
    for (const one of leases) this.#settling.add(one, { outcome: 'release' })
    void this.#settling.send(() => undefined).then(() => this.#changed())
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  #changed(): void {
    this.#wake()
    if (this.#state === 'ending' && this.#held.unsettled === 0) this.#close('drained')
  }

  /** No more fetching; what was read goes on. */
  #end(): void {
    this.#state = 'ending'
    this.#feed.stop()
    this.#release(this.#ready.splice(0))
  }

  cancel(): void {
    if (this.#state === 'open') this.#end()
    // The stream has no reader any more, so the group may have another.
    this.#disown()
  }

  async drain(timeoutMs: number): Promise<Drained> {
    const { stream, group } = this.#options
    if (this.#state !== 'open') {
      throw errorOf('already_draining', { detail: `${stream}/${group} is drained already`, data: { stream, group } })
    }
    const { clock } = this.#connection
    this.#end()
    this.#controller.close()
    const unsettled = await new Promise<number>((resolve) => {
      const timer = clock.setTimeout(() => resolve(this.#held.unsettled), timeoutMs)
      this.#drained = (left) => {
        clock.clearTimeout(timer)
        resolve(left)
      }
      this.#changed()
    })
    this.#emit({ type: 'drained', unsettled })
    return { unsettled }
  }

  signalOf({ leaseId }: Pick<Lease, 'leaseId'>): AbortSignal {
    return this.#held.get(leaseId)?.abort.signal ?? AbortSignal.abort()
  }

  #close(reason: unknown): void {
    const { unsettled } = this.#held
    this.#state = 'closed'
    this.#ready = []
    this.#feed.kill()
    this.#settling.clear()
    this.#held.clear(reason)
    this.#options.signal?.removeEventListener('abort', this.#kill)
    this.#closeBook()
    this.#disown()
    this.#wake()
    this.#drained?.(unsettled)
  }

  readonly #kill = (): void => {
    if (this.#state === 'closed') return
    const { reason } = this.#options.signal!
    if (this.#state === 'open') this.#controller.error(reason)
    this.#close(reason)
  }
}

/** What a stream holds unless it is told otherwise: enough to batch a fetch, few enough to lose with the process. */
const DEFAULT_DEMAND = 10
