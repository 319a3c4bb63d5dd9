import fc from 'fast-check'
import { anyStep, opening, record } from '../model/arbitrary.ts'
import type { Call, Out } from '../model/calls.ts'
import { START_MS, type Step } from '../model/commands.ts'
import { Resolver } from '../model/resolver.ts'
import { Trace, textOf } from '../model/trace.ts'
import { PartitionsReference, type Shares } from './model-partitions.ts'
import type { HttpPartitionsDriver } from './model-partitions-driver.ts'

/** Steps, each for one partition or, where that is null, for all of them in one request. */
export interface PartitionsScript {
  readonly steps: readonly { readonly partition: number | null; readonly step: Step }[]
  readonly lookEvery: number
}

/** Scripts of up to `maxSteps` steps on a stream of several partitions. Most steps mean nothing without the opening. */
export const partitionsScripts = (maxSteps: number, partitionCount: number): fc.Arbitrary<PartitionsScript> => {
  const partition = fc.oneof(fc.constant(null), fc.nat(partitionCount - 1))
  const steps = fc.array(record({ partition, step: anyStep('reopening') }), { maxLength: maxSteps, size: 'max' })
  const first = opening.map((step) => ({ partition: null, step }))
  return record({ steps, lookEvery: fc.constantFrom(7, 20, 1_000, 1_000) }).map(({ steps, lookEvery }) => ({
    steps: [...first, ...steps],
    lookEvery,
  }))
}

/** Steps that always concern the whole group. */
const ofAll = new Set<Step['do']>([
  'createGroup',
  'patchGroup',
  'repeatCreate',
  'removeGroup',
  'releaseConsumer',
  'redrive',
  'lag',
  'groupInfo',
  'leases',
])
/** Steps that always concern one partition. */
const ofOne = new Set<Step['do']>(['appends', 'appendAgain', 'read', 'event'])
/** Steps that HTTP does not have. */
const ofNone = new Set<Step['do']>(['expire', 'evict', 'restart', 'resolveStart'])

/** Plays a script on a reference model of each partition and over HTTP, and compares every answer. */
export async function checkPartitions(script: PartitionsScript, driver: HttpPartitionsDriver): Promise<number> {
  const play = new PartitionsPlay(driver)
  for (const [index, { partition, step }] of script.steps.entries()) {
    await play.step(step, partition)
    if ((index + 1) % script.lookEvery === 0) await play.look()
  }
  await play.look()
  return script.steps.length
}

class PartitionsPlay {
  readonly #driver: HttpPartitionsDriver
  readonly #reference: PartitionsReference
  readonly #resolvers: readonly Resolver[]
  readonly #trace = new Trace()
  #nowMs = START_MS

  constructor(driver: HttpPartitionsDriver) {
    this.#driver = driver
    this.#reference = new PartitionsReference(driver.partitions.length)
    this.#resolvers = this.#reference.partitions.map((reference) => new Resolver(reference))
  }

  async step(step: Step, partition: number | null): Promise<void> {
    if (ofNone.has(step.do)) return
    if (step.do === 'advance') return this.#advance(step.ms)
    if (step.do === 'advanceToDue') return this.#advance(this.#untilDue() + step.offMs)
    if (ofOne.has(step.do) || (partition !== null && !ofAll.has(step.do))) return this.#one(step, partition ?? 0)
    const calls = this.#resolvers.map((resolver) => resolver.call(step))
    if (calls.includes(null)) return
    await this.#all(alike(calls as Call[]))
  }

  /** Compares the end of every partition and all that can be seen of every group. */
  async look(): Promise<void> {
    this.#trace.add('look')
    const { partitions } = this.#reference
    const all = (call: Call) => this.#all(partitions.map(() => call))
    await all({ type: 'status' })
    for (const partition of partitions.keys()) await this.#one({ do: 'read', after: 10, limit: 1_000 }, partition)
    for (const group of partitions[0]!.groups.keys()) {
      await all({ type: 'lag', group })
      await all({ type: 'holes', group, maxRanges: 1_000 })
      await all({ type: 'groupInfo', group })
      await all({ type: 'leases', group, consumerId: null, pageSize: 1_000 })
      await all({ type: 'deadLetters', group, pageSize: 1_000 })
    }
  }

  async #one(step: Step, partition: number): Promise<void> {
    const call = this.#resolvers[partition]!.call(step)
    if (call === null) return
    const what = `partition ${partition}: ${textOf(call)}`
    this.#trace.add(what)
    const expected = this.#reference.partitions[partition]!.run(call, this.#nowMs)
    this.#trace.hold(() => what, expected, await this.#guard(what, () => this.#driver.partitions[partition]!.run(call)))
  }

  async #all(shares: Shares): Promise<void> {
    const texts = new Set(shares.map(textOf))
    const what = texts.size === 1 ? `all partitions: ${[...texts]}` : shares.map(textOf).join('\n   and ')
    this.#trace.add(what)
    const actual = await this.#guard(what, () => this.#driver.run(shares))
    if (shares[0]!.type !== 'fetch')
      return this.#trace.hold(() => what, this.#reference.run(shares, this.#nowMs), actual)
    const leases =
      'value' in actual && 'shares' in actual.value ? (actual.value.shares as Out<'fetch'>['leases'][]) : []
    const taken = shares.map((_, partition) => sizesOf((leases[partition] ?? []).map(({ claim }) => claim)))
    this.#trace.hold(() => what, this.#reference.fetch(shares[0]!, taken, this.#nowMs), actual)
  }

  async #guard<T>(what: string, ask: () => Promise<T>): Promise<T> {
    try {
      return await ask()
    } catch (fault) {
      return this.#trace.fail(`${what}: ${fault instanceof Error ? fault.stack : fault}`)
    }
  }

  #advance(ms: number): void {
    if (ms <= 0) return
    this.#trace.add(`advance ${ms}`)
    this.#nowMs += ms
    this.#driver.advance(ms)
  }

  #untilDue(): number {
    const dues = this.#reference.partitions.flatMap((reference) => reference.duesFrom(this.#nowMs))
    return dues.length === 0 ? 0 : Math.min(...dues) - this.#nowMs
  }
}

/** What has to be the same in all partitions, as the first one has it. */
function alike(calls: readonly Call[]): Shares {
  const [first] = calls
  return calls.map((call): Call => {
    if (call.type === 'append') return { ...call, idempotencyKey: null, expectedSequence: null }
    if (call.type === 'createGroup' || call.type === 'reset') {
      const { start } = first as Call<'reset'>
      return start.kind === 'after' ? call : { ...call, start }
    }
    if (call.type === 'replay') {
      const { selector } = first as Call<'replay'>
      return selector.kind === 'after' ? call : { ...call, selector }
    }
    if (call.type === 'redrive' && call.eventIds !== null) return { ...call, eventIds: redriven(call, calls) }
    return call
  })
}

/** A generated id is of its own partition, and a chosen one is looked for in all of them. */
function redriven({ eventIds }: Call<'redrive'>, calls: readonly Call[]): string[] {
  const chosen = (calls as Shares<'redrive'>).flatMap((call) => call.eventIds!.filter((id) => !isGenerated(id)))
  return [...eventIds!.filter(isGenerated), ...new Set(chosen)]
}

const isGenerated = (id: string): boolean => id.startsWith('generated:')

/** How often each value of a list is in it, in the order in which they first come. */
const sizesOf = (list: readonly number[]): number[] =>
  [...new Set(list)].map((value) => list.filter((one) => one === value).length)
