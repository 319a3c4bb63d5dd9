import type { Answer, Call, In, Out, Ref } from './calls.ts'

interface Held {
  readonly claim: number
  readonly consumerId: string | null
  expiresAtMs: number
}

interface Seen {
  readonly acked: Set<number>
  readonly live: Map<number, Held>
  frontier: number
  /** Whether something was reopened: then it is not known from the answers alone who holds what. */
  reopened: boolean
}

/**
 * What must hold of any implementation, told from its own answers alone:
 *
 * 1. no fetch gives a delivery that somebody holds, nor one that has been acked, nor one twice;
 * 2. whoever is told ok held the lease, and a settle by receipt counts exactly what was held;
 * 3. 0 <= frontier <= high watermark, lag is their difference, and without a replay the frontier never goes back;
 * 4. the frontier ends at the first hole: holes begin right behind it, ascend, and are maximal;
 * 5. what is leased, delayed, available or dead in one view is so in every other view.
 */
export class Watch {
  readonly #groups = new Map<string, Seen>()
  readonly #claims: { group: string; sequences: number[] }[] = []

  /** Looks at one answer at `nowMs`; throws a text that says which rule is broken. */
  see(call: Call, answer: Answer<unknown>, nowMs: number): void {
    if ('refused' in answer) return
    const { value } = answer
    if (call.type === 'fetch') this.#fetched(call, value as Out<'fetch'>, nowMs)
    if (call.type === 'settle' || call.type === 'renew') this.#settled(call, value as Out<'settle'>, nowMs)
    if (call.type === 'settleClaims') this.#settledClaims(call, value as Out<'settleClaims'>, nowMs)
    if (call.type === 'releaseConsumer') this.#released(call, value as Out<'releaseConsumer'>, nowMs)
    if (call.type === 'lag') this.#lag(call.group, value as Out<'lag'>)
    if (call.type === 'replay' && !call.dryRun) this.#reopened(call.group, value as Out<'lag'>)
    if (call.type === 'redrive' || call.type === 'reset') this.#reopened(call.group, value as Out<'lag'>)
  }

  /** Holds all views of one group, taken at the same time, against each other and against what was answered before. */
  views(group: string, views: Views, nowMs: number): void {
    const { acked, live, reopened } = this.#group(group)
    const { lag, holes, info, leases, deadLetters } = views
    this.#lag(group, lag)
    must(info.lag.frontier === lag.frontier && info.lag.highWatermark === lag.highWatermark, 'two lags at one time')
    must(holes.frontier === lag.frontier && holes.highWatermark === lag.highWatermark, 'two frontiers at one time')

    let behind = lag.frontier
    const counts: Record<string, number> = { leased: 0, delayed: 0, available: 0, undelivered: 0 }
    for (const [index, { first, last, state, attempt }] of holes.holes.entries()) {
      const previous = holes.holes[index - 1]
      must(index > 0 ? first > behind : first === behind + 1, 'the holes do not begin behind the frontier and ascend')
      must(last >= first && last <= lag.highWatermark, 'a hole ends before it begins or beyond the log')
      const joins = previous?.last === first - 1 && previous.state === state && previous.attempt === attempt
      must(!joins, 'two neighbouring holes are one')
      must(state in counts, `a hole is ${state}`)
      counts[state]! += last - first + 1
      behind = last
      for (let sequence = first; sequence <= last; sequence++) must(!acked.has(sequence), `acked ${sequence} is a hole`)
    }
    must(holes.holes.length > 0 === lag.lag > 0, 'lag without a hole, or a hole without lag')
    if (!holes.more) {
      must(counts.leased === info.inFlight, 'in flight counts what is not leased')
      must(counts.delayed === info.delayed && counts.available === info.available, 'counts differ from the holes')
    }
    must(leases.length === info.inFlight, 'in flight differs from the list of leases')
    must(deadLetters.length === info.deadLetters, 'the count of dead letters differs from their list')
    for (const { sequence } of deadLetters) must(!acked.has(sequence), `acked ${sequence} is a dead letter`)
    const held = [...live].filter(([, lease]) => isHeld(lease, nowMs)).map(([sequence]) => sequence)
    const listed = leases.map(({ sequence }) => sequence)
    must(
      reopened || `${held.sort((a, b) => a - b)}` === `${listed}`,
      'the list of leases is not what was handed out and kept',
    )
  }

  #fetched({ group, limit }: In<'fetch'>, { leases, reason }: Out<'fetch'>, nowMs: number) {
    const { acked, live, reopened } = this.#group(group)
    must(leases.length > 0 === (reason === null), 'an empty fetch without a reason, or a reason beside leases')
    must(leases.length <= limit, 'more leases than asked for')
    let last = 0
    for (const { claim, sequence, attempt, consumerId, expiresAtMs } of leases) {
      must(sequence > last, 'leases do not ascend')
      must(!acked.has(sequence), `acked ${sequence} was leased again`)
      must(reopened || !isHeld(live.get(sequence), nowMs), `${sequence} was leased while somebody held it`)
      must(attempt >= 1, 'a lease is no attempt')
      live.set(sequence, { claim, consumerId, expiresAtMs })
      last = sequence
    }
    if (leases.length > 0) this.#claims.push({ group, sequences: leases.map(({ sequence }) => sequence) })
  }

  #settled(call: Call<'settle'> | Call<'renew'>, { results }: Out<'settle'>, nowMs: number) {
    const { acked, live, reopened } = this.#group(call.group)
    for (const [index, { lease }] of call.items.entries()) {
      const result = results[index]!
      if (!result.ok) continue
      const { claim, sequence } = lease as Exclude<Ref, { text: string }>
      const held = live.get(sequence!)
      must(held !== undefined && held.claim === claim && isHeld(held, nowMs), `ok for ${sequence}, which is not held`)
      if (call.type === 'renew') held.expiresAtMs = result.untilMs!
      else live.delete(sequence!)
      if (result.state === 'acked' && !reopened) acked.add(sequence!)
    }
  }

  #settledClaims({ group, receipts, outcome }: In<'settleClaims'>, { results }: Out<'settleClaims'>, nowMs: number) {
    const { acked, live, reopened } = this.#group(group)
    for (const [index, result] of results.entries()) {
      const receipt = receipts[index]!
      const claim = 'text' in receipt || receipt.sequence !== null ? -1 : receipt.claim
      const { sequences } = this.#claims[claim] ?? { sequences: [] }
      const held = sequences.filter((sequence) => {
        const lease = live.get(sequence)
        return isHeld(lease, nowMs) && lease.claim === claim
      })
      const isOwn = this.#claims[claim]?.group === group
      const isRight = result.ok ? isOwn && result.count === held.length : !isOwn || held.length === 0
      must(reopened || isRight, 'a receipt counts wrongly')
      if (!result.ok) continue
      must(result.count > 0 && result.count + result.lost === sequences.length, 'settled and lost are not the claim')
      for (const sequence of held) {
        live.delete(sequence)
        if (outcome === 'ack' && !reopened) acked.add(sequence)
      }
    }
  }

  #released({ group, consumerId }: In<'releaseConsumer'>, { released }: Out<'releaseConsumer'>, nowMs: number) {
    const { live, reopened } = this.#group(group)
    const held = [...live].filter(([, lease]) => isHeld(lease, nowMs) && lease.consumerId === consumerId)
    must(reopened || released === held.length, 'released another number than was held')
    for (const [sequence] of held) live.delete(sequence)
  }

  /** From here on only what one answer says by itself, and what views say of each other, is held against the rules. */
  #reopened(group: string, lag: Out<'lag'>) {
    const seen = this.#group(group)
    seen.reopened = true
    seen.frontier = Math.min(seen.frontier, lag.frontier)
    this.#lag(group, lag)
    seen.acked.clear()
  }

  #lag(group: string, { frontier, highWatermark, lag }: Out<'lag'>) {
    const seen = this.#group(group)
    must(frontier >= 0 && frontier <= highWatermark, 'the frontier is not within the log')
    must(lag === highWatermark - frontier, 'lag is not high watermark minus frontier')
    must(frontier >= seen.frontier, 'the frontier went back')
    seen.frontier = frontier
  }

  #group(name: string): Seen {
    const known = this.#groups.get(name) ?? { acked: new Set(), live: new Map(), frontier: 0, reopened: false }
    this.#groups.set(name, known)
    return known
  }
}

export interface Views {
  readonly lag: Out<'lag'>
  readonly holes: Out<'holes'>
  readonly info: Out<'groupInfo'>
  readonly leases: Out<'leases'>['leases']
  readonly deadLetters: Out<'deadLetters'>['deadLetters']
}

const isHeld = (lease: Held | undefined, nowMs: number): lease is Held =>
  lease !== undefined && lease.expiresAtMs > nowMs

function must(holds: boolean, rule: string): asserts holds {
  if (!holds) throw new Error(`broken rule: ${rule}`)
}
