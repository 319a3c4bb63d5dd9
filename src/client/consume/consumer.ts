import type { Connection } from '../connection.ts'
import { errorOf } from '../errors.ts'
import type { Lease } from '../lease.ts'
import { settleMany } from '../settle.ts'
import { tell } from './event.ts'
import { Feed } from './feed.ts'
import { type HandleOptions, handle } from './handle.ts'
import { type Held, HeldLeases } from './held-leases.ts'
import { bounded, type ConsumerOptions, consumerIdOf, demandOf, pollMsOf } from './options.ts'
import type { Ownership } from './ownership.ts'
import { Settling } from './settling.ts'

/** How a drain ended: with so many leases still unsettled; 0 unless its time was over. */
export interface Drained {
  readonly unsettled: number
}

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

/** Starts a consumer; see `Rheo.consumer`. */
export async function startConsumer<P, S>(
  connection: Connection,
  ownership: Ownership,
  options: ConsumerOptions<P, S>,
): Promise<Consumer> {
  const resolved = {
    concurrency: bounded('concurrency', options.concurrency ?? 1, 1, 1_000),
    maxDemand: demandOf(options.maxDemand ?? Math.min(2 * (options.concurrency ?? 1), 1_000)),
    pollMs: pollMsOf(options.pollMs),
  }
  options.signal?.throwIfAborted()
  const disown = ownership.take(options)
  try {
    const setup = (await options.setup?.()) as S
    options.signal?.throwIfAborted()
    return new RunningConsumer(connection, options, resolved, frozen(setup), disown)
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

interface Resolved {
  readonly concurrency: number
  readonly maxDemand: number
  readonly pollMs: number
}

class RunningConsumer<P, S> implements Consumer {
  readonly stream: string
  readonly group: string
  readonly consumerId: string
  readonly closed: Promise<void>
  readonly #connection: Connection
  readonly #options: ConsumerOptions<P, S>
  readonly #resolved: Resolved
  readonly #handling: HandleOptions<P, S>
  readonly #held: HeldLeases<P>
  readonly #feed: Feed<P>
  readonly #settling: Settling<P>
  readonly #emit: ReturnType<typeof tell>
  readonly #disown: () => void
  #resolveClosed!: () => void
  /** Leased and seen by no handler, in the order in which they came. */
  #ready: Held<P>[] = []
  #running = 0
  #isFetching = false
  #state: 'running' | 'draining' | 'closed' = 'running'
  #drained: ((unsettled: number) => void) | undefined

  constructor(
    connection: Connection,
    options: ConsumerOptions<P, S>,
    resolved: Resolved,
    setup: S,
    disown: () => void,
  ) {
    const { stream, group, leaseMs, partitions, handler, handlerTimeoutMs, signal } = options
    const { clock, once: send } = connection
    this.stream = stream
    this.group = group
    this.consumerId = consumerIdOf(options, clock)
    this.#connection = connection
    this.#options = options
    this.#resolved = resolved
    this.#disown = disown
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve
    })
    const emit = tell(options.onEvent)
    this.#emit = emit
    const held = new HeldLeases<P>({
      clock,
      emit,
      renew: (leases, timeoutMs) => settleMany(send, 'renew', { stream, group }, leases, { timeoutMs }),
      onLose: (one) => {
        this.#ready = this.#ready.filter((other) => other !== one)
      },
      onChange: () => this.#advance(),
    })
    this.#held = held
    const fetch = { leaseMs, partitions, consumerId: this.consumerId }
    this.#feed = new Feed({ send, clock, held, emit, stream, group, pollMs: resolved.pollMs, fetch })
    this.#settling = new Settling({ send, clock, held, emit, stream, group })
    this.#handling = {
      clock,
      handler,
      handlerTimeoutMs,
      setup,
      onTimeout: (one, error) => {
        held.setMode(one, 'unrenewed')
        emit({ type: 'error', during: 'handler', error, lease: one.lease as Lease })
        one.abort.abort(error)
      },
      onThrow: (one, error) => emit({ type: 'error', during: 'handler', error, lease: one.lease as Lease }),
    }
    signal?.addEventListener('abort', this.#kill, { once: true })
    this.#advance()
  }

  get held(): number {
    return this.#held.size
  }

  get running(): number {
    return this.#running
  }

  async drain(timeoutMs: number): Promise<Drained> {
    const { stream, group } = this
    if (this.#state !== 'running') {
      throw errorOf('already_draining', { detail: `${stream}/${group} is drained already`, data: { stream, group } })
    }
    this.#state = 'draining'
    this.#feed.stop()
    for (const one of this.#ready.splice(0)) this.#settling.add(one, { outcome: 'release' })
    const { clock } = this.#connection
    const unsettled = await new Promise<number>((resolve) => {
      const timer = clock.setTimeout(() => resolve(this.#held.unsettled), timeoutMs)
      this.#drained = (left) => {
        clock.clearTimeout(timer)
        resolve(left)
      }
      this.#advance()
    })
    this.#emit({ type: 'drained', unsettled })
    return { unsettled }
  }

  /** Starts whatever can be started now. Called after every change; calling it once more does nothing. */
  #advance(): void {
    if (this.#state === 'closed') return
    this.#startHandlers()
    if (this.#settling.waiting > 0 && !this.#settling.isSending) void this.#settle()
    const free = this.#free()
    const isIdle = !this.#isFetching && !this.#settling.isSending
    if (this.#state === 'running' && isIdle && free > 0) void this.#poll(free)
    const isEmpty = this.#running === 0 && this.#held.unsettled === 0 && isIdle
    if (this.#state === 'draining' && isEmpty && this.#settling.waiting === 0) this.#close('drained')
  }

  #free(): number {
    return this.#resolved.maxDemand - this.#held.size
  }

  #startHandlers(): void {
    while (this.#running < this.#resolved.concurrency) {
      // A lease whose time is over waits for the renewal that tells whether it is lost.
      const index = this.#ready.findIndex((one) => this.#held.isLive(one))
      if (index === -1) return
      const [one] = this.#ready.splice(index, 1)
      void this.#run(one!)
    }
  }

  async #run(one: Held<P>): Promise<void> {
    this.#running += 1
    const outcome = await handle(one, this.#handling)
    this.#running -= 1
    if (this.#held.has(one)) this.#settling.add(one, outcome)
    this.#advance()
  }

  async #settle(): Promise<void> {
    // When it is busy, the places that become free are filled by the same call.
    const canFetch = this.#state === 'running' && !this.#isFetching && !this.#feed.isPausing
    const fetchOf = (items: number) => (canFetch ? this.#feed.fetchOf(this.#free() + items) : undefined)
    this.#isFetching ||= canFetch
    const fetched = await this.#settling.send(fetchOf)
    if (canFetch) this.#isFetching = false
    if (fetched !== null && this.#state !== 'closed') {
      const { answer, sentAtMs } = fetched
      if ('error' in answer) this.#feed.refuse(answer.error)
      else this.#take(this.#feed.accept(answer, sentAtMs))
    }
    this.#advance()
  }

  async #poll(limit: number): Promise<void> {
    this.#isFetching = true
    const leases = await this.#feed.poll(limit)
    this.#isFetching = false
    this.#take(leases)
    this.#advance()
  }

  #take(leases: readonly Held<P>[]): void {
    if (this.#state === 'running') this.#ready.push(...leases)
    else for (const one of leases) this.#settling.add(one, { outcome: 'release' })
  }

  #close(reason: unknown): void {
    const { unsettled } = this.#held
    this.#state = 'closed'
    this.#ready = []
    this.#feed.kill()
    this.#settling.clear()
    this.#held.clear(reason)
    this.#options.signal?.removeEventListener('abort', this.#kill)
    this.#disown()
    this.#drained?.(unsettled)
    this.#resolveClosed()
  }

  readonly #kill = (): void => {
    if (this.#state !== 'closed') this.#close(this.#options.signal?.reason)
  }
}
