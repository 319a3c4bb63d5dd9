import { type Clock, sleep } from '../clock.ts'
import { type Fetched, type FetchNowOptions, fetchLeases } from '../fetch.ts'
import type { Send } from '../request.ts'
import type { GroupRef } from '../settle.ts'
import { Backoff } from './backoff.ts'
import type { OnConsumeEvent } from './event.ts'
import type { Held, HeldLeases } from './held-leases.ts'

export interface FeedOptions<P> extends GroupRef {
  /** Makes one try of a call. */
  readonly send: Send
  readonly clock: Clock
  readonly held: HeldLeases<P>
  readonly emit: OnConsumeEvent
  /** How long a fetch waits for work. */
  readonly pollMs: number
  /** What every fetch says beside its limit. */
  readonly fetch: Omit<FetchNowOptions, 'limit'>
}

/** An empty answer that comes so much earlier than asked was no wait, and the next fetch must not follow at once. */
const MIN_WAIT_MS = 100

/** A poll that is younger than this may be on its way back with leases; an older one is parked at the server. */
const PARKED_MS = 250

/** Takes leases from the server, and never fails: what goes wrong is told, and slows it down (S10.5). */
export class Feed<P> {
  readonly #options: FeedOptions<P>
  readonly #backoff: Backoff
  readonly #stop = new AbortController()
  #pauseMs = 0
  #polledAtMs = 0
  #stopping: unknown

  constructor(options: FeedOptions<P>) {
    this.#options = options
    this.#backoff = new Backoff(options.clock)
  }

  /** Whether a fetch has to wait because of what happened before. */
  get isPausing(): boolean {
    return this.#pauseMs > 0
  }

  /** The fetch that goes with a settle. */
  fetchOf(limit: number): FetchNowOptions {
    return { ...this.#options.fetch, limit }
  }

  /** Waits for work and takes up to `limit`; gives nothing after a failure or its end, having paused. */
  async poll(limit: number): Promise<Held<P>[]> {
    const { send, clock, stream, group, pollMs } = this.#options
    const { signal } = this.#stop
    try {
      if (this.#pauseMs > 0) await sleep(clock, this.#pauseMs, signal)
      this.#pauseMs = 0
    } catch {
      return []
    }
    const sentAtMs = clock.now()
    this.#polledAtMs = sentAtMs
    try {
      const body = { ...this.fetchOf(limit), waitMs: pollMs, signal }
      const fetched = await fetchLeases<P>(send, stream, group, body)
      const isEarly = clock.now() - sentAtMs < Math.min(pollMs / 2, MIN_WAIT_MS) || pollMs < MIN_WAIT_MS
      if (fetched.leases.length === 0 && isEarly) this.#pauseMs = this.#backoff.next()
      else this.#backoff.reset()
      return this.accept(fetched, sentAtMs)
    } catch (error) {
      if (!signal.aborted) this.refuse(error)
      return []
    }
  }

  /** Takes what a fetch gave that was sent at `sentAtMs`. */
  accept({ leases, reason }: Fetched<P>, sentAtMs: number): Held<P>[] {
    this.#options.emit({ type: 'fetched', count: leases.length, ...(reason === undefined ? {} : { reason }) })
    return this.#options.held.add(leases, sentAtMs)
  }

  /** Takes note of a fetch that failed. */
  refuse(error: unknown): void {
    this.#options.emit({ type: 'error', during: 'fetch', error })
    const askedMs = (error as { retryAfterMs?: number | null }).retryAfterMs ?? 0
    this.#pauseMs = Math.max(askedMs, this.#backoff.next())
  }

  /** Ends it. A poll that may be on its way back with leases is given the time to arrive, and they are the caller's. */
  stop(): void {
    const { clock } = this.#options
    const leftMs = this.#polledAtMs + PARKED_MS - clock.now()
    if (leftMs <= 0 || this.#pauseMs > 0) this.kill()
    else this.#stopping = clock.setTimeout(() => this.kill(), leftMs)
  }

  /** Ends it at once. */
  kill(): void {
    this.#options.clock.clearTimeout(this.#stopping)
    this.#stop.abort('stop')
  }
}
