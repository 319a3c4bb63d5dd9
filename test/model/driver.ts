import type { Answer, Call, CallName, Out } from './calls.ts'
import { START_MS, type Step } from './commands.ts'
import { Watch } from './invariants.ts'
import { Reference } from './reference.ts'
import { Resolver } from './resolver.ts'
import { Trace, textOf } from './trace.ts'

/**
 * One partition behind whatever interface, with a clock that starts at `START_MS` and is moved by hand. It translates
 * calls to its interface and answers back: which real lease id belongs to which claim and sequence is its affair.
 */
export interface Driver {
  /** Calls that its interface does not have; scripts go on without them. */
  readonly unsupported: ReadonlySet<CallName>
  run(call: Call): Answer<unknown> | Promise<Answer<unknown>>
  advance(ms: number): void | Promise<void>
  /** Forgets all that is in memory. */
  evict(): void | Promise<void>
  /** Lets go of the storage as well, and opens it again. */
  restart(): void | Promise<void>
  /** Looks at what the calls do not show; called when all the rest has been compared, throws when it differs. */
  audit?(reference: Reference): void | Promise<void>
}

export interface Script {
  readonly steps: readonly Step[]
  /**
   * All that can be seen is compared after every so many steps, and at the end. Looking lets what is due happen, so
   * scripts that seldom look find faults that others hide.
   */
  readonly lookEvery: number
}

/**
 * Plays a script on the reference model and on a driver and compares every answer. Throws at the first difference,
 * with all calls so far. Returns the number of steps.
 */
export async function checkScript(script: Script, driver: Driver): Promise<number> {
  const play = new Play(driver)
  for (const [index, step] of script.steps.entries()) {
    await play.step(step)
    if ((index + 1) % script.lookEvery === 0) await play.look()
  }
  await play.step({ do: 'read', after: Number.MAX_SAFE_INTEGER, limit: 1_000 })
  await play.look()
  return script.steps.length
}

class Play {
  readonly #driver: Driver
  readonly #reference = new Reference()
  readonly #resolver = new Resolver(this.#reference)
  readonly #watch = new Watch()
  readonly #trace = new Trace()
  #nowMs = START_MS

  constructor(driver: Driver) {
    this.#driver = driver
  }

  async step(step: Step): Promise<void> {
    if (step.do === 'advance') await this.#advance(step.ms)
    else if (step.do === 'advanceToDue') await this.#advance(this.#untilDue() + step.offMs)
    else if (step.do === 'evict' || step.do === 'restart') {
      this.#trace.add(step.do)
      await this.#driver[step.do]()
    } else {
      const call = this.#resolver.call(step)
      if (call === null) return
      this.#trace.add(textOf(call))
      await this.#call(call)
    }
  }

  /** Compares the end of the log and all that can be seen of every group. */
  async look(): Promise<void> {
    this.#trace.add('look')
    await this.#call({ type: 'status' })
    await this.#call({ type: 'read', after: Math.max(0, this.#reference.events.length - 10), limit: 1_000 })
    for (const group of this.#reference.groups.keys()) {
      const lag = await this.#call({ type: 'lag', group })
      const holes = await this.#call({ type: 'holes', group, maxRanges: 1_000 })
      const info = await this.#call({ type: 'groupInfo', group })
      const leases = await this.#call({ type: 'leases', group, consumerId: null, pageSize: 1_000 })
      const dead = await this.#call({ type: 'deadLetters', group, pageSize: 1_000 })
      if (lag === null || holes === null || info === null || leases === null || dead === null) continue
      const views = { lag, holes, info, leases: leases.leases, deadLetters: dead.deadLetters }
      this.#guard(() => this.#watch.views(group, views, this.#nowMs))
    }
    try {
      await this.#driver.audit?.(this.#reference)
    } catch (fault) {
      this.#trace.fail(String(fault))
    }
  }

  /** Time moves forward only: of a clock that goes back there is a test of its own. */
  async #advance(ms: number): Promise<void> {
    if (ms <= 0) return
    this.#trace.add(`advance ${ms}`)
    this.#nowMs += ms
    await this.#driver.advance(ms)
  }

  #untilDue(): number {
    const dues = this.#reference.duesFrom(this.#nowMs)
    return dues.length === 0 ? 0 : Math.min(...dues) - this.#nowMs
  }

  async #call<N extends CallName>(call: Call<N>): Promise<Out<N> | null> {
    const asked = call as Call
    if (this.#driver.unsupported.has(asked.type)) return null
    const expected = this.#reference.run(asked, this.#nowMs)
    let actual: Answer<unknown>
    try {
      actual = await this.#driver.run(asked)
    } catch (fault) {
      return this.#trace.fail(`${textOf(asked)}: ${fault instanceof Error ? fault.stack : fault}`)
    }
    this.#trace.hold(() => textOf(asked), expected, actual)
    this.#guard(() => this.#watch.see(asked, actual, this.#nowMs))
    return 'value' in actual ? (actual.value as Out<N>) : null
  }

  #guard(check: () => void): void {
    try {
      check()
    } catch (fault) {
      this.#trace.fail(String(fault))
    }
  }
}
