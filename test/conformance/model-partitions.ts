import type { Answer, Call, CallName, Out } from '../model/calls.ts'
import { Reference } from '../model/reference.ts'

/** A call as it concerns each partition; all of them have one type and one group. */
export type Shares<N extends CallName = CallName> = readonly Call<N>[]

/** What a call to all partitions answers: what it is in each, or their sum where the wire only tells that. */
export type Together = { readonly shares: readonly unknown[]; readonly sum?: unknown } | { readonly sum: unknown }

const total = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0)

/** A stream of several partitions by the letter of S2 to S5: a reference model for each of them. */
export class PartitionsReference {
  readonly partitions: readonly Reference[]

  constructor(partitionCount: number) {
    this.partitions = Array.from({ length: partitionCount }, () => new Reference())
  }

  run(shares: Shares, nowMs: number): Answer<Together> {
    const { type } = shares[0]!
    if (type === 'createGroup' || type === 'reset') {
      const refused = this.#refusedStart(shares as Shares<'createGroup' | 'reset'>, nowMs)
      if (refused !== null) return { refused }
    }
    if (type === 'replay') return this.#replay(shares as Shares<'replay'>, nowMs)
    const answers = shares.map((share, partition) => this.partitions[partition]!.run(share, nowMs))
    // Whether a batch is in is decided for each partition (S2.4); of all else a refusal is the same everywhere.
    if (type === 'append') return { value: { shares: answers.map(codeOnly) } }
    const refused = answers.find((answer) => 'refused' in answer)
    if (refused !== undefined) return refused as Answer<never>
    return {
      value: together(
        type,
        answers.map((answer) => (answer as { value: unknown }).value),
      ),
    }
  }

  /** A start beyond the end of any partition is refused before anything is written (S3.9). */
  #refusedStart(shares: Shares<'createGroup' | 'reset'>, nowMs: number) {
    const { type, group } = shares[0]!
    if (type === 'reset' && !this.partitions[0]!.groups.has(group)) return null
    const partitions = shares.flatMap(({ start }, partition) =>
      'refused' in this.partitions[partition]!.run({ type: 'resolveStart', start }, nowMs) ? [partition] : [],
    )
    return partitions.length === 0 ? null : { code: 'invalid_start', partitions }
  }

  /**
   * What a fetch from all partitions gives (S3.4), told by how many deliveries each claim took from each partition:
   * with which partition it begins, and how often it comes to one, is the server's affair.
   */
  fetch(share: Call<'fetch'>, taken: readonly (readonly number[])[], nowMs: number): Answer<Together> {
    const dry = this.partitions.map((reference) => {
      reference.run({ type: 'expire' }, nowMs)
      return fetchable(reference, share.group)
    })
    const given = Math.min(share.limit, total(dry))
    if (total(taken.flat()) !== given) return { value: { sum: `${given} deliveries, not ${JSON.stringify(taken)}` } }
    const answers = this.partitions.map((reference, partition) => {
      // A partition that gave nothing is asked only when none gave anything: for the reason.
      const limits = given === 0 ? [1] : taken[partition]!
      return limits.map((limit) => reference.run({ ...share, limit }, nowMs))
    })
    const refused = answers.flat().find((answer) => 'refused' in answer)
    if (refused !== undefined) return refused as Answer<never>
    const fetched = answers.map((claims) => claims.map((answer) => (answer as { value: Out<'fetch'> }).value))
    const reasons = ['paused', 'in_flight_limit', 'all_delayed', 'all_leased', 'caught_up']
    const sum = given > 0 ? null : reasons.find((name) => fetched.flat().some(({ reason }) => reason === name))
    return { value: { shares: fetched.map((claims) => claims.flatMap(({ leases }) => leases)), sum } }
  }

  /** A limit takes the first matches by sequence, then partition; a time has to be in range of any partition (S5.2). */
  #replay(shares: Shares<'replay'>, nowMs: number): Answer<Together> {
    const { group } = shares[0]!
    if (!this.partitions[0]!.groups.has(group)) return { refused: { code: 'group_not_found' } }
    const answers = this.#limited(shares, nowMs).map((share, partition) =>
      this.partitions[partition]!.run(share, nowMs),
    )
    if (answers.every((answer) => 'refused' in answer)) return answers[0] as Answer<never>
    const replayed = answers.map((answer, partition) => {
      if ('value' in answer) return answer.value as Out<'replay'>
      return { reopened: 0, ...this.partitions[partition]!.lag({ group }) }
    })
    return { value: together('replay', replayed) }
  }

  #limited(shares: Shares<'replay'>, nowMs: number): Shares<'replay'> {
    const { group, selector } = shares[0]!
    if (selector.kind !== 'type' || selector.limit === null) return shares
    const matches = this.partitions.flatMap((reference, partition) => {
      reference.run({ type: 'expire' }, nowMs)
      const selected = reference.selected(selector)
      const offered = reference.group(group).deliveries.filter(({ state }) => state !== 'undelivered')
      return offered.filter(({ sequence }) => selected(sequence)).map(({ sequence }) => ({ sequence, partition }))
    })
    matches.sort((a, b) => a.sequence - b.sequence || a.partition - b.partition)
    const first = matches.slice(0, selector.limit)
    return shares.map((share, partition) => {
      const limit = first.filter((match) => match.partition === partition).length
      return { ...share, selector: { ...selector, limit } }
    })
  }
}

/** How many deliveries a partition would give to a fetch without a limit. */
function fetchable(reference: Reference, group: string): number {
  const known = reference.groups.get(group)
  if (known === undefined || known.options.paused) return 0
  const count = (states: readonly string[]) => known.deliveries.filter(({ state }) => states.includes(state)).length
  const room = (known.options.maxInFlight ?? Number.POSITIVE_INFINITY) - count(['leased'])
  return Math.max(0, Math.min(room, count(['available', 'undelivered'])))
}

/** A refusal inside a batch has a code, and else only text for people. */
function codeOnly(answer: Answer<unknown>): Answer<unknown> {
  return 'refused' in answer ? { refused: { code: answer.refused.code } } : answer
}

function together(type: CallName, shares: readonly unknown[]): Together {
  switch (type) {
    case 'lag':
      return { shares, sum: total((shares as Out<'lag'>[]).map(({ lag }) => lag)) }
    case 'replay':
      return { shares, sum: total((shares as Out<'replay'>[]).map(({ reopened }) => reopened)) }
    case 'redrive':
      return { shares, sum: total((shares as Out<'redrive'>[]).map(({ redriven }) => redriven)) }
    case 'releaseConsumer':
      return { sum: total((shares as Out<'releaseConsumer'>[]).map(({ released }) => released)) }
    case 'groupInfo':
      return infoOf(shares as Out<'groupInfo'>[])
    default:
      return { shares }
  }
}

/** Counts are told for the group as a whole, and the oldest event is the one with the lowest timestamp. */
function infoOf(infos: readonly Out<'groupInfo'>[]): Together {
  const sum = (count: (info: Out<'groupInfo'>) => number) => total(infos.map(count))
  const oldest = infos
    .flatMap(({ oldestUnsettled }, partition) => (oldestUnsettled === null ? [] : [{ ...oldestUnsettled, partition }]))
    .sort((a, b) => a.timestampMs - b.timestampMs || a.partition - b.partition)
  return {
    shares: infos.map(({ lag }) => lag),
    sum: {
      lag: sum(({ lag }) => lag.lag),
      inFlight: sum(({ inFlight }) => inFlight),
      delayed: sum(({ delayed }) => delayed),
      available: sum(({ available }) => available),
      deadLetters: sum(({ deadLetters }) => deadLetters),
      oldestUnsettled: oldest[0] ?? null,
    },
  }
}
