import fc from 'fast-check'
import { expect, vi } from 'vitest'
import { orNull, record } from '../model/arbitrary.ts'
import type { Call, CallName, In, Lease, Out } from '../model/calls.ts'
import { contents, defaultOptions } from '../model/commands.ts'
import { type Views, Watch } from '../model/invariants.ts'
import { Trace, textOf } from '../model/trace.ts'
import { ObjectDriver } from './object-driver.ts'

const GROUP = 'group-1'
const MAX_ATTEMPTS = 2

/** A step on the clock of the machine. Real time passes only where an alarm is waited for. */
export type RealStep =
  | { readonly do: 'append'; readonly count: number }
  | { readonly do: 'fetch'; readonly limit: number; readonly leaseMs: number }
  | { readonly do: 'settle'; readonly lease: number; readonly outcome: Outcome; readonly delayMs: number | null }
  | { readonly do: 'renew'; readonly lease: number; readonly leaseMs: number }
  | { readonly do: 'evict' | 'alarm' | 'quiet' }

type Outcome = In<'settle'>['items'][number]['outcome']

const leaseMs = fc.integer({ min: 20, max: 60 })
const step: fc.Arbitrary<RealStep> = fc.oneof(
  { weight: 3, arbitrary: record({ do: fc.constant('append' as const), count: fc.integer({ min: 1, max: 4 }) }) },
  {
    weight: 6,
    arbitrary: record({ do: fc.constant('fetch' as const), limit: fc.integer({ min: 1, max: 3 }), leaseMs }),
  },
  {
    weight: 6,
    arbitrary: record({
      do: fc.constant('settle' as const),
      lease: fc.nat(20),
      outcome: fc.constantFrom<Outcome>('ack', 'nack', 'nack', 'reject', 'release'),
      delayMs: orNull(50, fc.integer({ min: 5, max: 40 })),
    }),
  },
  { weight: 2, arbitrary: record({ do: fc.constant('renew' as const), lease: fc.nat(20), leaseMs }) },
  {
    weight: 6,
    arbitrary: fc.constantFrom<RealStep>({ do: 'alarm' }, { do: 'alarm' }, { do: 'evict' }, { do: 'quiet' }),
  },
)

/** Scripts on the clock of the machine. */
export const realScripts: fc.Arbitrary<RealStep[]> = fc.array(step, { minLength: 10, maxLength: 25, size: 'max' })

/**
 * Plays a script on the clock of the machine and holds every answer against the invariants: what exactly is answered
 * depends on how fast the machine is. Returns the number of steps.
 */
export async function playAlarmed(steps: readonly RealStep[]): Promise<number> {
  const play = new AlarmedPlay(await ObjectDriver.open(null))
  try {
    await play.begin()
    for (const step of steps) await play.step(step)
    await play.end()
  } catch (fault) {
    play.trace.fail(fault instanceof Error ? fault.message : String(fault))
  }
  return steps.length
}

class AlarmedPlay {
  readonly trace = new Trace()
  readonly #driver: ObjectDriver
  readonly #watch = new Watch()
  /** Leases that were handed out and not settled, and when the last lease of each sequence ends. */
  readonly #leases: Lease[] = []
  readonly #endsMs = new Map<number, number>()

  constructor(driver: ObjectDriver) {
    this.#driver = driver
  }

  async begin(): Promise<void> {
    await this.#append(4)
    const options = { ...defaultOptions, maxAttempts: MAX_ATTEMPTS }
    await this.#call({ type: 'createGroup', group: GROUP, start: { kind: 'earliest' }, options })
  }

  async step(step: RealStep): Promise<void> {
    switch (step.do) {
      case 'append':
        return this.#append(step.count)
      case 'fetch':
        return void (await this.#fetch(step.limit, step.leaseMs))
      case 'settle':
        return this.#settle(step)
      case 'renew':
        return this.#renew(step)
      case 'evict':
        this.trace.add('evict')
        return this.#driver.evict()
      case 'alarm':
        return this.#alarm()
      case 'quiet':
        return this.#quiet()
    }
  }

  /** Lets all that is due come, and then settles what is left: nothing is lost, and nothing acked comes back. */
  async end(): Promise<void> {
    await this.#quiet()
    for (;;) {
      const { leases, reason } = await this.#fetch(1_000, 60_000)
      if (leases.length === 0) {
        expect(reason).toBe('caught_up')
        break
      }
      for (const _ of leases) {
        await this.#settle({ lease: this.#leases.length - 1, outcome: 'ack', delayMs: null })
      }
    }
    expect(await this.#call({ type: 'lag', group: GROUP })).toMatchObject({ lag: 0 })
  }

  async #append(count: number): Promise<void> {
    const event = { id: null, timestampMs: null, content: contents[1]! }
    const events = Array.from({ length: count }, () => event)
    await this.#call({ type: 'append', events, idempotencyKey: null, expectedSequence: null })
  }

  async #fetch(limit: number, leaseMs: number): Promise<Out<'fetch'>> {
    const fetched = await this.#call({ type: 'fetch', group: GROUP, limit, leaseMs, consumerId: null })
    for (const lease of fetched.leases) {
      expect(lease.attempt, 'attempts beyond maxAttempts').toBeLessThanOrEqual(MAX_ATTEMPTS)
      expect(lease.expiresAtMs - lease.leasedAtMs).toBe(leaseMs)
      this.#leases.push(lease)
      this.#endsMs.set(lease.sequence, lease.expiresAtMs)
    }
    return fetched
  }

  async #settle({ lease: index, outcome, delayMs }: { lease: number; outcome: Outcome; delayMs: number | null }) {
    const [lease] = this.#leases.splice(index % this.#leases.length, 1)
    if (lease === undefined) return
    const item = { lease: refOf(lease), receipt: null, outcome, reason: null, delayMs }
    await this.#call({ type: 'settle', group: GROUP, items: [item] })
  }

  async #renew({ lease: index, leaseMs }: { lease: number; leaseMs: number }) {
    const lease = this.#leases[index % this.#leases.length]
    if (lease === undefined) return
    const items = [{ lease: refOf(lease), receipt: null, leaseMs }]
    const { results } = await this.#call({ type: 'renew', group: GROUP, items })
    if (results[0]!.ok) this.#endsMs.set(lease.sequence, results[0]!.untilMs!)
  }

  /** Waits until the alarm that is armed now has fired. */
  async #alarm(): Promise<void> {
    const armedMs = await this.#driver.armedMs()
    this.trace.add(`alarm ${armedMs}`)
    if (armedMs !== null) await waitUntil(async () => (await this.#driver.armedMs()) !== armedMs)
  }

  /** Waits until alarms alone have ended all leases and delays; what is seen then needs nothing more to be written. */
  async #quiet(): Promise<void> {
    this.trace.add('quiet')
    await waitUntil(() => this.#driver.isQuiet())
    const writtenBefore = this.#driver.rowsWritten
    const lag = await this.#call({ type: 'lag', group: GROUP })
    const holes = await this.#call({ type: 'holes', group: GROUP, maxRanges: 1_000 })
    const info = await this.#call({ type: 'groupInfo', group: GROUP })
    const { leases } = await this.#call({ type: 'leases', group: GROUP, consumerId: null, pageSize: 1_000 })
    const { deadLetters } = await this.#call({ type: 'deadLetters', group: GROUP, pageSize: 1_000 })
    expect(this.#driver.rowsWritten, 'rows that reads had to write').toBe(writtenBefore)
    expect(info).toMatchObject({ inFlight: 0, delayed: 0 })
    for (const { sequence, cause, deadLetteredAtMs } of deadLetters) {
      if (cause === 'lease_expired') expect(deadLetteredAtMs).toBe(this.#endsMs.get(sequence))
    }
    const views: Views = { lag, holes, info, leases, deadLetters }
    this.#watch.views(GROUP, views, Date.now())
    await this.#driver.audit()
  }

  async #call<N extends CallName>(call: Call<N>): Promise<Out<N>> {
    this.trace.add(textOf(call as Call))
    // A lease that the answer calls held was held when it was asked for; one that is handed out says when that was.
    const askedMs = Date.now()
    const answer = await this.#driver.run(call as Call)
    if ('refused' in answer) throw new Error(JSON.stringify(answer))
    const [lease] = call.type === 'fetch' ? (answer.value as Out<'fetch'>).leases : []
    this.#watch.see(call as Call, answer, lease?.leasedAtMs ?? askedMs)
    return answer.value as Out<N>
  }
}

const refOf = ({ claim, sequence }: Lease) => ({ claim, sequence })

const waitUntil = (holds: () => Promise<boolean>) => vi.waitUntil(holds, { timeout: 10_000, interval: 5 })
