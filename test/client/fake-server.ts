import type { Fetch } from '../../src/client/index.ts'
import type { VirtualClock } from './virtual-clock.ts'

/** A call as the fake server received it. */
export interface Call {
  readonly method: string
  /** The last part of its path: `fetch`, `settle`, `renew`, `events`, … */
  readonly verb: string
  readonly path: string
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever was sent
  readonly body: any
  readonly headers: Record<string, string>
  readonly atMs: number
}

/** What happens to a call instead of, or around, its answer. */
export interface Plan {
  /** How long the request is on its way. */
  readonly thereMs?: number
  /** How long the answer is on its way. */
  readonly backMs?: number
  /** The call is not carried out, and answered like this. */
  readonly answer?: { readonly status: number; readonly body?: unknown; readonly headers?: Record<string, string> }
  /** The call is not carried out (`before`) or carried out (`after`), and the connection breaks. */
  readonly breaks?: 'before' | 'after'
}

interface Delivery {
  readonly sequence: number
  state: 'open' | 'leased' | 'acked' | 'rejected'
  attempt: number
  leaseId: string
  expiresAtMs: number
  lengthMs: number
  dueAtMs: number
  reason: string | undefined
}

/** A problem as the server words it. */
export const problem = (status: number, code: string, data: object = {}) => ({
  status,
  body: { type: `/docs/errors#${code}`, title: code, status, code, detail: `it is ${code}`, ...data },
})

/** One group of one partition by the rules of S4, on a virtual clock, behind a `fetch`. */
export class FakeServer {
  readonly calls: Call[] = []
  readonly deliveries: Delivery[] = []
  leaseMs = 10_000
  /** Says what happens to a call; nothing unless given. */
  plan: (call: Call) => Plan | undefined = () => undefined
  readonly #clock: VirtualClock
  readonly #parked = new Set<() => void>()
  #leases = 0

  constructor(clock: VirtualClock) {
    this.#clock = clock
  }

  /** Appends so many events. */
  append(count: number): void {
    for (let n = 0; n < count; n++) {
      const sequence = this.deliveries.length + 1
      this.deliveries.push({
        sequence,
        state: 'open',
        attempt: 0,
        leaseId: '',
        expiresAtMs: 0,
        lengthMs: 0,
        dueAtMs: 0,
        reason: undefined,
      })
    }
    for (const wake of [...this.#parked]) wake()
  }

  /** The calls of one verb. */
  of(verb: string): Call[] {
    return this.calls.filter((call) => call.verb === verb)
  }

  /** How many deliveries are in each state, expiries applied. */
  get states(): Record<string, number> {
    this.#expire()
    const states: Record<string, number> = {}
    for (const { state } of this.deliveries) states[state] = (states[state] ?? 0) + 1
    return states
  }

  delivery(sequence: number): Delivery {
    return this.deliveries[sequence - 1]!
  }

  /** Takes a lease away, as an operator or an expiry elsewhere would. */
  steal(sequence: number): void {
    const delivery = this.delivery(sequence)
    delivery.leaseId = 'somebody-else'
    delivery.expiresAtMs = this.#clock.now() + 3_600_000
  }

  readonly fetch: Fetch = async (url, { method, headers, body, signal }) => {
    const { pathname } = new URL(url)
    const call: Call = {
      method,
      verb: pathname.split('/').at(-1)!,
      path: pathname,
      body: body === undefined ? undefined : JSON.parse(body),
      headers,
      atMs: this.#clock.now(),
    }
    this.calls.push(call)
    const plan = this.plan(call) ?? {}
    return new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      this.#carryOut(call, plan, signal).then(resolve, reject)
    })
  }

  async #carryOut(call: Call, { thereMs = 0, backMs = 0, answer, breaks }: Plan, signal: AbortSignal) {
    if (thereMs > 0) await this.#clock.sleep(thereMs)
    if (breaks === 'before') throw new TypeError('fetch failed')
    const { status, body, headers = {} } = answer ?? { status: 200, body: await this.#answer(call, signal) }
    if (backMs > 0) await this.#clock.sleep(backMs)
    if (breaks === 'after') throw new TypeError('fetch failed')
    const names = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
    return {
      status,
      headers: { get: (name: string) => names.get(name.toLowerCase()) ?? null },
      text: async () => (typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body)),
    }
  }

  async #answer({ verb, body }: Call, signal: AbortSignal): Promise<unknown> {
    if (verb === 'fetch') return this.#fetchWaiting(body, signal)
    if (verb === 'settle') {
      const results = body.items.map((item: { leaseId: string }) => this.#settle(item))
      return { ...counted(results), ...(body.fetch === undefined ? {} : this.#lease(body.fetch)) }
    }
    if (verb === 'renew') return counted(body.leases.map((item: { leaseId: string }) => this.#renew(item)))
    if (body?.leases !== undefined) {
      return counted(body.leases.map((item: { leaseId: string }) => this.#settle({ ...item, outcome: verb })))
    }
    return {}
  }

  async #fetchWaiting(body: { limit: number; leaseMs?: number; waitMs?: number }, signal: AbortSignal) {
    const untilMs = this.#clock.now() + (body.waitMs ?? 0)
    for (;;) {
      const fetched = this.#lease(body)
      if (fetched.leases.length > 0 || this.#clock.now() >= untilMs || signal.aborted) return fetched
      await this.#park(untilMs)
    }
  }

  /** Until something is appended or settled, a lease ends, or the time is over. */
  #park(untilMs: number): Promise<void> {
    const nowMs = this.#clock.now()
    const times = this.deliveries
      .map(({ state, expiresAtMs, dueAtMs }) => (state === 'leased' ? expiresAtMs : dueAtMs))
      .filter((atMs) => atMs > nowMs)
    return new Promise((resolve) => {
      const wake = () => {
        this.#parked.delete(wake)
        this.#clock.clearTimeout(timer)
        resolve()
      }
      const timer = this.#clock.later(wake, Math.min(untilMs, ...times) - nowMs)
      this.#parked.add(wake)
    })
  }

  #lease({ limit, leaseMs = this.leaseMs }: { limit: number; leaseMs?: number }) {
    this.#expire()
    const nowMs = this.#clock.now()
    const open = this.deliveries.filter(({ state, dueAtMs }) => state === 'open' && dueAtMs <= nowMs).slice(0, limit)
    const leases = open.map((delivery) => {
      this.#leases += 1
      Object.assign(delivery, {
        state: 'leased',
        attempt: delivery.attempt + 1,
        leaseId: `lease-${this.#leases}`,
        expiresAtMs: nowMs + leaseMs,
        lengthMs: leaseMs,
      })
      return this.#leaseBody(delivery, nowMs)
    })
    return leases.length > 0 ? { leases } : { leases, reason: 'caught_up' }
  }

  #leaseBody({ sequence, attempt, leaseId, expiresAtMs }: Delivery, nowMs: number) {
    const eventId = `e${sequence}`
    const event = {
      id: eventId,
      stream: 's',
      partition: 0,
      sequence,
      type: null,
      key: null,
      timestamp: new Date(nowMs).toISOString(),
      payload: { n: sequence },
      metadata: {},
    }
    const leasedAt = new Date(nowMs).toISOString()
    const expiresAt = new Date(expiresAtMs).toISOString()
    const names = { stream: 's', group: 'g', partition: 0, sequence, eventId, attempt, consumerId: null }
    return { leaseId, receipt: 'r', ...names, leasedAt, expiresAt, event }
  }

  #held(leaseId: string): Delivery | undefined {
    this.#expire()
    return this.deliveries.find((delivery) => delivery.state === 'leased' && delivery.leaseId === leaseId)
  }

  #settle(item: { leaseId: string; outcome?: string; reason?: string; delayMs?: number }) {
    const delivery = this.#held(item.leaseId)
    if (delivery === undefined) return { leaseId: item.leaseId, ok: false, code: 'stale_lease' }
    delivery.reason = item.reason
    if (item.outcome === 'ack') delivery.state = 'acked'
    else if (item.outcome === 'reject') delivery.state = 'rejected'
    else {
      delivery.state = 'open'
      delivery.dueAtMs = this.#clock.now() + (item.delayMs ?? 0)
      if (item.outcome === 'release') delivery.attempt -= 1
    }
    for (const wake of [...this.#parked]) wake()
    const state = delivery.state === 'open' ? 'available' : delivery.state
    return { leaseId: item.leaseId, ok: true, state }
  }

  #renew({ leaseId }: { leaseId: string }) {
    const delivery = this.#held(leaseId)
    if (delivery === undefined) return { leaseId, ok: false, code: 'stale_lease' }
    delivery.expiresAtMs = this.#clock.now() + delivery.lengthMs
    return { leaseId, ok: true, expiresAt: new Date(delivery.expiresAtMs).toISOString() }
  }

  #expire(): void {
    for (const delivery of this.deliveries) {
      if (delivery.state === 'leased' && delivery.expiresAtMs <= this.#clock.now()) delivery.state = 'open'
    }
  }
}

function counted(results: readonly { readonly ok: boolean }[]) {
  const settled = results.filter(({ ok }) => ok).length
  return { results, settled, failed: results.length - settled }
}
