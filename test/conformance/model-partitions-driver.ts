import type { Answer, CallName, In, Out } from '../model/calls.ts'
import type { Clock } from './clock.ts'
import { HttpDriver } from './model-driver.ts'
import type { Shares, Together } from './model-partitions.ts'
import { ModelRequests, plain } from './model-requests.ts'
import { claimsRequest, toItems } from './model-settle.ts'
import { given, must, type PartitionWords, Refused, toResult, toSelector, toStart } from './model-words.ts'
import type { Problem } from './problem.ts'
import type { Stream } from './stream.ts'
import type * as wire from './wire.ts'

/** What the wire tells of each partition, by its number. */
type ByPartition<T> = { partitions: Record<string, T> }

/** All partitions of a stream over HTTP in one request, and each of them by a driver of its own. */
export class HttpPartitionsDriver {
  readonly partitions: readonly HttpDriver[]
  readonly #requests: ModelRequests
  readonly #clock: Clock

  constructor(stream: Stream, clock: Clock, partitionCount: number) {
    this.#requests = new ModelRequests(stream)
    this.#clock = clock
    this.partitions = Array.from(
      { length: partitionCount },
      (_, partition) => new HttpDriver(this.#requests, clock, partition, partitionCount),
    )
  }

  advance(ms: number): void {
    this.#clock.advance(ms)
  }

  run(shares: Shares): Promise<Answer<Together>> {
    const methods = this as unknown as Partial<Record<CallName, (shares: Shares) => Promise<Together>>>
    return plain(async () => {
      const { type } = shares[0]!
      if (methods[type] !== undefined) return methods[type](shares)
      // What is said of a group as a whole is said by any of the drivers.
      const answer = await this.partitions[0]!.run(shares[0]!)
      if ('refused' in answer) throw new Refused(answer.refused)
      return { shares: shares.map(() => answer.value) }
    })
  }

  /** One batch over all partitions: what is not entirely in says what became of each event (S2.4). */
  async append(shares: Shares<'append'>): Promise<Together> {
    const sent = shares.flatMap(({ events }, partition) => events.map((event) => ({ event, partition })))
    const inputs = sent.map(({ event, partition }) => ({ ...this.#words(partition).toInput(event), partition }))
    type Body = { events: wire.StreamEvent[]; results: AppendResult[] } & Problem
    const { status, body } = await this.#requests.stream.send<Body>('POST', '/events', { body: { events: inputs } })
    const results = status < 400 ? body.events.map((event): AppendResult => ({ event })) : body.results
    must(Array.isArray(results) && results.length === sent.length, `each event has its result: ${body.code}`)
    const answers = shares.map(({ events }, partition) => {
      const own = results.filter((_, index) => sent[index]!.partition === partition)
      const codes = new Set(own.map(({ code }) => code))
      must(codes.size === 1, 'a batch is atomic per partition')
      const [code] = codes
      if (code !== undefined) return { refused: { code } }
      const stored = own.map(({ event, duplicate }) => ({
        ...event!,
        duplicate: duplicate ?? event!.duplicate ?? false,
      }))
      return { value: this.#words(partition).appended(events, stored) }
    })
    return { shares: answers }
  }

  async status(shares: Shares<'status'>): Promise<Together> {
    const { partitions } = await this.#requests.got<wire.StreamInfo>('GET', '')
    must(Object.keys(partitions).length === shares.length, 'a stream tells of each partition')
    return { shares: Object.values(partitions).map(({ highWatermark }) => ({ highWatermark })) }
  }

  // Groups

  async createGroup(shares: Shares<'createGroup'>): Promise<Together> {
    const { group, options } = shares[0]!
    const starts = await this.#requests.createGroup(group, options, startOf(shares))
    return { shares: shares.map((_, partition) => ({ start: starts[partition]! })) }
  }

  async reset(shares: Shares<'reset'>): Promise<Together> {
    const body = { confirm: true, ...startOf(shares) }
    const { partitions } = await this.#requests.got<wire.GroupLag>('POST', `/groups/${shares[0]!.group}/reset`, body)
    return { shares: Object.values(partitions) }
  }

  // Delivery

  async fetch([{ group, limit, leaseMs, consumerId }]: readonly [In<'fetch'>]): Promise<Together> {
    const body = { limit, ...given({ leaseMs, consumerId }) }
    const { leases, reason = null } = await this.#requests.got<wire.Fetched>('POST', `/groups/${group}/fetch`, body)
    return { shares: this.#each(leases, (words, own) => words.fetched(group, own)), sum: reason }
  }

  async settle(shares: Shares<'settle'>): Promise<Together> {
    const items = shares.map((share, partition) => toItems(this.#words(partition), share))
    return this.#inParts(items, await this.#requests.settleItems(shares[0]!.group, items.flat()))
  }

  async renew(shares: Shares<'renew'>): Promise<Together> {
    const items = shares.map((share, partition) => toItems(this.#words(partition), share))
    return this.#inParts(items, await this.#requests.settleItems(shares[0]!.group, items.flat()))
  }

  async settleClaims(shares: Shares<'settleClaims'>): Promise<Together> {
    const receipts = shares.map((share, at) => share.receipts.map((receipt) => this.#words(at).toText(receipt)))
    const [share] = shares
    const request = claimsRequest(receipts.flat(), share!)
    const results = await this.#requests.settleRequest(share!.group, request)
    return this.#inParts(
      receipts,
      results.map((result) => toResult(share!.outcome, result)),
    )
  }

  /** Results of a request that was put together from parts, apart again. */
  #inParts(parts: readonly (readonly unknown[])[], results: readonly unknown[]): Together {
    const left = [...results]
    return { shares: parts.map(({ length }) => ({ results: left.splice(0, length) })) }
  }

  async releaseConsumer([share]: Shares<'releaseConsumer'>): Promise<Together> {
    const { released } = await this.partitions[0]!.releaseConsumer(share!)
    return { sum: released }
  }

  // What can be seen

  async lag([share]: Shares<'lag'>): Promise<Together> {
    const { partitions, lag } = await this.#requests.got<wire.GroupLag>('GET', `/groups/${share!.group}/lag`)
    return { shares: Object.values(partitions), sum: lag }
  }

  async holes([share]: Shares<'holes'>): Promise<Together> {
    type Holes = ByPartition<wire.PartitionHoles>
    const { partitions } = await this.#requests.got<Holes>('GET', `/groups/${share!.group}/holes`)
    const each = Object.entries(partitions)
    return { shares: each.map(([partition, holes]) => this.#words(partition).toHoles(holes, share!.maxRanges)) }
  }

  async groupInfo([share]: Shares<'groupInfo'>): Promise<Together> {
    const info = await this.#requests.got<wire.GroupInfo>('GET', `/groups/${share!.group}`)
    const { lag, inFlight, delayed, available, deadLetters, oldestUnsettled } = info
    let oldest: object | null = null
    if (oldestUnsettled !== null) {
      const { partition, sequence, eventId, timestamp, state } = oldestUnsettled
      const id = this.#words(partition).plainId(eventId)
      oldest = { partition, sequence, eventId: id, timestampMs: Date.parse(timestamp), state }
    }
    const sum = { lag: lag.lag, inFlight, delayed, available, deadLetters, oldestUnsettled: oldest }
    return { shares: Object.values(lag.partitions), sum }
  }

  async leases([share]: Shares<'leases'>): Promise<Together> {
    const { group, consumerId, pageSize: limit } = share!
    const leases = await this.#requests.pages<wire.ListedLease>(group, 'leases', 'leases', { consumerId, limit })
    return { shares: this.#each(leases, (words, own) => ({ leases: own.map((lease) => words.toListedLease(lease)) })) }
  }

  async deadLetters([share]: Shares<'deadLetters'>): Promise<Together> {
    const { group, pageSize: limit } = share!
    const letters = await this.#requests.pages<wire.DeadLetter>(group, 'dead-letters', 'deadLetters', { limit })
    const toLetters = (words: PartitionWords, own: readonly wire.DeadLetter[]) => ({
      deadLetters: own.map((letter) => words.toDeadLetter(letter)),
    })
    return { shares: this.#each(letters, toLetters) }
  }

  // Replay and redrive

  async replay(shares: Shares<'replay'>): Promise<Together> {
    const { group, selector, resetAttempts, dryRun } = shares[0]!
    const sequences = shares.map((share) => (share.selector.kind === 'after' ? share.selector.sequence : null))
    const selected = selector.kind === 'after' ? { fromSequence: { ...sequences } } : toSelector(selector)
    type Replayed = { reopened: number } & ByPartition<Out<'replay'>>
    const body = { ...selected, resetAttempts, dryRun }
    const { reopened, partitions } = await this.#requests.got<Replayed>('POST', `/groups/${group}/replay`, body)
    return { shares: Object.values(partitions), sum: reopened }
  }

  async redrive(shares: Shares<'redrive'>): Promise<Together> {
    const ids = shares.flatMap(
      ({ eventIds }, partition) => eventIds?.map((id) => this.#words(partition).toId(id)) ?? [],
    )
    const body = shares[0]!.eventIds === null ? { all: true } : { eventIds: [...new Set(ids)] }
    type Redriven = { redriven: number } & ByPartition<Out<'redrive'>>
    const suffix = `/groups/${shares[0]!.group}/dead-letters/redrive`
    const { redriven, partitions } = await this.#requests.got<Redriven>('POST', suffix, body)
    return { shares: Object.values(partitions), sum: redriven }
  }

  #words(partition: number | string): PartitionWords {
    return this.partitions[Number(partition)]!.words
  }

  /** A list over partitions, which must be in their order, as the list of each. */
  #each<T extends { partition: number }, R>(list: readonly T[], read: (words: PartitionWords, own: T[]) => R): R[] {
    return this.partitions.map(({ words }) =>
      read(
        words,
        list.filter(({ partition }) => partition === words.partition),
      ),
    )
  }
}

interface AppendResult {
  readonly event?: wire.StreamEvent
  readonly duplicate?: boolean
  readonly code?: string
}

/** Sequences differ by partition and go as a map; every other start is the same for all. */
function startOf(shares: Shares<'createGroup'> | Shares<'reset'>): Record<string, unknown> {
  const [first] = shares.map(({ start }) => start)
  const sequences = shares.map(({ start }) => (start.kind === 'after' ? start.sequence : null))
  return first!.kind === 'after' ? { startAfter: { ...sequences } } : toStart(first!)
}
