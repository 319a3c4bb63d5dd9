import type { Connection } from '../connection.ts'
import { errorOf } from '../errors.ts'
import { settleMany } from '../settle.ts'
import { type OnConsumeEvent, tell } from './event.ts'
import { Feed } from './feed.ts'
import { type Held, HeldLeases } from './held-leases.ts'
import { type ConsumeOptions, consumerIdOf, demandOf, pollMsOf } from './options.ts'
import { Settling } from './settling.ts'

/** How a drain ended: with so many leases still unsettled; 0 unless its time was over. */
export interface Drained {
  readonly unsettled: number
}

/** What an intake asks of what it feeds. */
export interface Outlet {
  /** Something has changed: there may be a lease to take with `next`, or the end has come. */
  onChange(): void
  /** Whether there is work that is not over when its lease is lost. */
  isBusy(): boolean
  /** The last thing that happens; `reason` is the signal's when that ended it. */
  onClose(reason: unknown): void
}

/** What consumers and lease streams have in common: the leases held, where they come from, and how it all ends. */
export class Intake<P> {
  readonly consumerId: string
  readonly held: HeldLeases<P>
  readonly settling: Settling<P>
  readonly emit: OnConsumeEvent
  state: 'open' | 'draining' | 'closed' = 'open'
  readonly #connection: Connection
  readonly #options: ConsumeOptions
  readonly #maxDemand: number
  readonly #feed: Feed<P>
  readonly #outlet: Outlet
  /** Leased and not taken yet, in the order in which they came. */
  #ready: Held<P>[] = []
  #isFetching = false
  #drained: ((unsettled: number) => void) | undefined

  constructor(connection: Connection, options: ConsumeOptions, maxDemand: number, outlet: Outlet) {
    const { clock, once: send } = connection
    const { stream, group, leaseMs, partitions } = options
    this.consumerId = consumerIdOf(options, clock)
    this.#connection = connection
    this.#options = options
    this.#maxDemand = demandOf(maxDemand)
    this.#outlet = outlet
    const emit = tell(options.onEvent)
    this.emit = emit
    const held = new HeldLeases<P>({
      clock,
      emit,
      renew: (leases, timeoutMs) => settleMany(send, 'renew', { stream, group }, leases, { timeoutMs }),
      onLose: (one) => {
        this.#ready = this.#ready.filter((other) => other !== one)
      },
      onChange: () => this.advance(),
    })
    this.held = held
    const common = { send, clock, held, emit, stream, group }
    const fetch = { leaseMs, partitions, consumerId: this.consumerId }
    this.#feed = new Feed({ ...common, pollMs: pollMsOf(options.pollMs), fetch })
    this.settling = new Settling(common)
  }

  /** Goes on once it is known that nobody else consumes the group. */
  begin(): void {
    this.#options.signal?.addEventListener('abort', this.#kill, { once: true })
    this.advance()
  }

  /** How many more leases may be held. */
  get free(): number {
    return this.#maxDemand - this.held.size
  }

  /** Whether leases wait that may be live once a renewal has told. */
  get hasReady(): boolean {
    return this.#ready.length > 0
  }

  /** The next lease whose time is not over. */
  next(): Held<P> | undefined {
    const index = this.#ready.findIndex((one) => this.held.isLive(one))
    return index === -1 ? undefined : this.#ready.splice(index, 1)[0]
  }

  /** Does what can be done now. Called after every change; calling it once more does nothing. */
  advance(): void {
    if (this.state === 'closed') return
    this.#outlet.onChange()
    if (this.settling.waiting > 0 && !this.settling.isSending) void this.#settle()
    const isIdle = !this.#isFetching && !this.settling.isSending && this.settling.waiting === 0
    if (this.state !== 'draining' || !isIdle) return
    if (this.held.unsettled === 0 && !this.#outlet.isBusy()) this.#close('drained')
  }

  /** Waits for work and takes as much as may be held, unless a call is in flight that fetches or makes room. */
  async poll(): Promise<void> {
    if (this.state !== 'open' || this.#isFetching || this.settling.isSending || this.free <= 0) return
    this.#isFetching = true
    const leases = await this.#feed.poll(this.free)
    this.#isFetching = false
    this.#take(leases)
    this.advance()
  }

  async #settle(): Promise<void> {
    // When it is busy, the places that become free are filled by the same call.
    const canFetch = this.state === 'open' && !this.#isFetching && !this.#feed.isPausing
    this.#isFetching ||= canFetch
    const fetched = await this.settling.send((items) =>
      canFetch ? this.#feed.fetchOf(Math.min(this.free + items, MAX_FETCH)) : undefined,
    )
    if (canFetch) this.#isFetching = false
    if (fetched !== null && this.state !== 'closed') {
      const { answer, sentAtMs } = fetched
      if ('error' in answer) this.#feed.refuse(answer.error)
      else this.#take(this.#feed.accept(answer, sentAtMs))
    }
    this.advance()
  }

  #take(leases: readonly Held<P>[]): void {
    if (this.state === 'open') this.#ready.push(...leases)
    else for (const one of leases) this.settling.add(one, { outcome: 'release' })
  }

  /** No more fetching; what nobody has taken is given back. */
  end(): void {
    this.state = 'draining'
    this.#feed.stop()
    this.#take(this.#ready.splice(0))
    this.advance()
  }

  async drain(timeoutMs: number): Promise<Drained> {
    const { stream, group } = this.#options
    if (this.state !== 'open') {
      throw errorOf('already_draining', { detail: `${stream}/${group}`, data: { stream, group } })
    }
    const { clock } = this.#connection
    const unsettled = await new Promise<number>((resolve) => {
      const timer = clock.setTimeout(() => resolve(this.held.unsettled), timeoutMs)
      this.#drained = (left) => {
        clock.clearTimeout(timer)
        resolve(left)
      }
      this.end()
    })
    this.emit({ type: 'drained', unsettled })
    return { unsettled }
  }

  readonly #kill = (): void => this.#close(this.#options.signal?.reason)

  #close(reason: unknown): void {
    const { unsettled } = this.held
    this.state = 'closed'
    this.#ready = []
    this.#feed.kill()
    this.settling.clear()
    this.held.clear(reason)
    this.#options.signal?.removeEventListener('abort', this.#kill)
    this.#drained?.(unsettled)
    this.#outlet.onClose(reason)
  }
}

/** Leases of one fetch. */
const MAX_FETCH = 1_000
