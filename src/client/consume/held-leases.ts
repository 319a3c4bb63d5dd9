import type { Clock } from '../clock.ts'
import { errorOf } from '../errors.ts'
import { type Lease, lengthOf } from '../lease.ts'
import type { LeaseResult, Renewed, Results } from '../settle.ts'
import { Backoff } from './backoff.ts'
import type { LostCause, OnConsumeEvent } from './event.ts'
import { ruleOf, ruleOfError } from './settle-rule.ts'

/** A lease in the hands of this process. Times are this machine's, in milliseconds since 1970. */
export interface Held<P> {
  readonly lease: Lease<P>
  /** How long it was granted for. */
  readonly lengthMs: number
  /** Aborts when the lease is lost. */
  readonly abort: AbortController
  /** Counted from when the request was sent, so that it never lies behind the server's. */
  expiresAtMs: number
  renewAtMs: number
  /** From here on it is renewed no more. */
  renewUntilMs: number
  /**
   * - `renewed`: kept alive.
   * - `unrenewed`: its handler has used up its time; what it brings before the lease ends still counts.
   * - `sent`: a settle is in flight, whose answer decides.
   * - `left`: left to expire; until then it counts as held.
   */
  mode: 'renewed' | 'unrenewed' | 'sent' | 'left'
  /** Renewals in flight that may save it. */
  renewals: number
  /** It came so late that only a renewal can tell whether it still is. */
  isUnsure: boolean
}

export interface HeldOptions<P> {
  readonly clock: Clock
  /** Renews leases in one call, by one try. */
  renew(leases: readonly Lease<unknown>[], timeoutMs: number): Promise<Results<LeaseResult<Renewed>>>
  readonly emit: OnConsumeEvent
  /** A lease is held no more, and was not settled. */
  onLose(held: Held<P>): void
  /** Something was renewed, or a place became free. */
  onChange(): void
}

/** A renewal that has hung for the length of its leases has not helped; short leases get at least this. */
const MIN_RENEW_TIMEOUT_MS = 1_000

/** The leases that a consumer or a lease stream holds: renews them, notices their end, counts them. */
export class HeldLeases<P> {
  readonly #options: HeldOptions<P>
  readonly #held = new Map<string, Held<P>>()
  readonly #backoff: Backoff
  #timer: { readonly atMs: number; readonly handle: unknown } | undefined

  constructor(options: HeldOptions<P>) {
    this.#options = options
    this.#backoff = new Backoff(options.clock)
  }

  get size(): number {
    return this.#held.size
  }

  /** How many are not just waiting for their end. */
  get unsettled(): number {
    let count = 0
    for (const held of this.#held.values()) if (held.mode !== 'left') count += 1
    return count
  }

  values(): IterableIterator<Held<P>> {
    return this.#held.values()
  }

  get(leaseId: string): Held<P> | undefined {
    return this.#held.get(leaseId)
  }

  /** Takes what a request gave that was sent at `sentAtMs`. What has used up half its time by now is renewed at once. */
  add(leases: readonly Lease<P>[], sentAtMs: number): Held<P>[] {
    const nowMs = this.#options.clock.now()
    const added = leases.map((lease): Held<P> => {
      const lengthMs = lengthOf(lease)
      const expiresAtMs = sentAtMs + lengthMs
      const held: Held<P> = {
        lease,
        lengthMs,
        abort: new AbortController(),
        expiresAtMs,
        renewAtMs: sentAtMs + lengthMs / 2,
        renewUntilMs: Number.POSITIVE_INFINITY,
        mode: 'renewed',
        renewals: 0,
        isUnsure: expiresAtMs <= nowMs,
      }
      this.#held.set(lease.leaseId, held)
      return held
    })
    this.#schedule()
    return added
  }

  /** Whether a handler may begin with it. */
  isLive(held: Held<P>): boolean {
    return held.expiresAtMs > this.#options.clock.now() && this.has(held)
  }

  has(held: Held<P>): boolean {
    return this.#held.get(held.lease.leaseId) === held
  }

  setMode(held: Held<P>, mode: Held<P>['mode']): void {
    held.mode = mode
    if (mode !== 'sent') this.#schedule()
  }

  /** Forgets what was settled. */
  remove(held: Held<P>): void {
    if (!this.has(held)) return
    this.#held.delete(held.lease.leaseId)
    if (this.#held.size === 0) this.#disarm()
    this.#options.onChange()
  }

  /** Forgets what is lost, and aborts whoever works on it. */
  lose(held: Held<P>, cause: LostCause): void {
    if (!this.has(held)) return
    const { lease } = held
    this.#held.delete(lease.leaseId)
    held.abort.abort(
      errorOf('stale_lease', { detail: `the lease is lost: ${cause}`, data: { leaseId: lease.leaseId } }),
    )
    this.#options.onLose(held)
    this.#options.emit({ type: 'lost', lease: lease as Lease, cause })
    if (this.#held.size === 0) this.#disarm()
    this.#options.onChange()
  }

  /** Forgets everything without a word: the process gives up. */
  clear(reason: unknown): void {
    const all = [...this.#held.values()]
    this.#held.clear()
    this.#disarm()
    for (const held of all) held.abort.abort(reason)
  }

  #tick(): void {
    const nowMs = this.#options.clock.now()
    const all = [...this.#held.values()]
    for (const held of all) if (held.mode === 'renewed' && held.renewUntilMs <= nowMs) held.mode = 'unrenewed'
    const renewed = all.filter(({ mode }) => mode === 'renewed')
    // One call for all, not only for those whose time it is: their times fall into step.
    if (renewed.some(({ renewAtMs }) => renewAtMs <= nowMs)) void this.#renew(renewed, nowMs)
    for (const held of all) {
      if (held.mode !== 'sent' && held.expiresAtMs <= nowMs && held.renewals === 0) this.#expire(held)
    }
    this.#schedule()
  }

  #expire(held: Held<P>): void {
    if (held.mode === 'left') this.remove(held)
    else this.lose(held, held.mode === 'unrenewed' ? 'handler_timeout' : 'expired')
  }

  async #renew(all: readonly Held<P>[], sentAtMs: number): Promise<void> {
    const { clock, renew, emit, onChange } = this.#options
    // A renewal that is sent after the end saves nothing, unless nobody knows yet whether there was an end.
    const counted = new Set(all.filter((held) => held.expiresAtMs > sentAtMs || held.isUnsure))
    for (const held of all) {
      held.renewAtMs = sentAtMs + held.lengthMs / 2
      held.isUnsure = false
      if (counted.has(held)) held.renewals += 1
    }
    const timeoutMs = Math.max(MIN_RENEW_TIMEOUT_MS, Math.min(...all.map(({ lengthMs }) => lengthMs)))
    let results: readonly LeaseResult<Renewed>[] | undefined
    let error: unknown
    try {
      results = (
        await renew(
          all.map(({ lease }) => lease),
          timeoutMs,
        )
      ).results
    } catch (thrown) {
      error = thrown
      emit({ type: 'error', during: 'renew', error })
    }
    let pauseMs: number | undefined
    let count = 0
    for (const [index, held] of all.entries()) {
      if (counted.has(held)) held.renewals -= 1
      const result = results?.[index]
      // While a settle is in flight, or after it, its answer is what counts.
      if (!this.has(held) || held.mode === 'sent') continue
      if (result?.ok === true) {
        held.expiresAtMs = Math.max(held.expiresAtMs, sentAtMs + held.lengthMs)
        count += 1
      } else if ((result === undefined ? ruleOfError(error) : ruleOf(result.code)) === 'lost') {
        this.lose(held, (result?.code ?? (error as { code: LostCause }).code) as LostCause)
      } else {
        // Soon, as the lease has at most half its time left.
        pauseMs ??= this.#backoff.next()
        held.renewAtMs = Math.min(held.renewAtMs, clock.now() + Math.min(pauseMs, held.lengthMs / 8))
      }
    }
    if (pauseMs === undefined) this.#backoff.reset()
    if (count > 0) emit({ type: 'renewed', count })
    this.#schedule()
    onChange()
  }

  /** Arms the one timer for what comes next, unless it fires before that anyway. */
  #schedule(): void {
    let atMs = Number.POSITIVE_INFINITY
    for (const held of this.#held.values()) {
      if (held.mode === 'sent') continue
      if (held.mode === 'renewed') atMs = Math.min(atMs, held.renewAtMs)
      if (held.renewals === 0) atMs = Math.min(atMs, held.expiresAtMs)
    }
    if (atMs === Number.POSITIVE_INFINITY || (this.#timer !== undefined && this.#timer.atMs <= atMs)) return
    this.#disarm()
    const { clock } = this.#options
    const handle = clock.setTimeout(
      () => {
        this.#timer = undefined
        this.#tick()
      },
      Math.max(0, atMs - clock.now()),
    )
    this.#timer = { atMs, handle }
  }

  #disarm(): void {
    if (this.#timer === undefined) return
    this.#options.clock.clearTimeout(this.#timer.handle)
    this.#timer = undefined
  }
}
