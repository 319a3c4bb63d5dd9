import type { Answer, Call, CallName, In, Out } from '../model/calls.ts'
import type { Driver } from '../model/driver.ts'
import type { Clock } from './clock.ts'
import { type ModelRequests, plain, query } from './model-requests.ts'
import { claimsRequest, toItems } from './model-settle.ts'
import {
  given,
  must,
  PartitionWords,
  Refused,
  toDelivery,
  toResult,
  toSelector,
  toStart,
  type WireDelivery,
} from './model-words.ts'
import type { Problem } from './problem.ts'
import type * as wire from './wire.ts'

type Methods = {
  [N in Exclude<CallName, 'resolveStart' | 'expire'>]: (input: In<N> & { readonly type: N }) => Promise<Out<N>>
}

const NO_CONTENT = 204

/** One partition of a stream over HTTP. Calls that go to all partitions are right only where it is the only one. */
export class HttpDriver implements Driver, Methods {
  readonly unsupported: ReadonlySet<CallName> = new Set(['resolveStart', 'expire'])
  readonly words: PartitionWords
  readonly #requests: ModelRequests
  readonly #clock: Clock
  /** The scope of a call; empty where there is only one partition. */
  readonly #scope: { partition?: number }

  constructor(requests: ModelRequests, clock: Clock, partition = 0, partitionCount = 1) {
    this.#requests = requests
    this.#clock = clock
    this.words = new PartitionWords(requests.stream.name, partition)
    this.#scope = partitionCount === 1 ? {} : { partition }
  }

  async run(call: Call): Promise<Answer<unknown>> {
    const methods = this as unknown as Record<string, (input: Call) => Promise<unknown>>
    const answer = await plain(() => methods[call.type]!(call))
    if (!('refused' in answer) || !('partitions' in answer.refused)) return answer
    must(`${answer.refused.partitions}` === this.#key, 'a refusal names the partitions that it is about')
    return { refused: { ...answer.refused, partitions: [0] } }
  }

  advance(ms: number) {
    this.#clock.advance(ms)
  }

  // The server keeps what it keeps; a black box is neither evicted nor restarted from here.
  evict() {}
  restart() {}

  // The log

  async append({ events, idempotencyKey, expectedSequence }: In<'append'>): Promise<Out<'append'>> {
    const inputs = events.map((event) => ({ ...this.words.toInput(event), ...this.#scope }))
    const form = inputs.length === 1 ? inputs[0] : { events: inputs }
    const headers: Record<string, string> = idempotencyKey === null ? {} : { 'Idempotency-Key': idempotencyKey }
    const answer = await this.#requests.stream.send<
      { event?: wire.StreamEvent; events?: wire.StreamEvent[] } & Problem
    >('POST', '/events', { body: { ...form, ...given({ expectedSequence }) }, headers })
    if (answer.status >= 400) throw new Refused(this.#plainProblem(answer.body))
    const { event, events: many = [{ ...event!, duplicate: 'duplicate' in answer.body }] } = answer.body
    const appended = this.words.appended(events, many)
    const status = appended.events.every(({ duplicate }) => duplicate) ? 200 : 201
    must(answer.status === status, `an append answers ${status}`)
    return appended
  }

  /** One after the other, for nothing keeps the order of requests that are under way together. */
  async appends({ requests }: In<'appends'>): Promise<Out<'appends'>> {
    const answers: Answer<Out<'append'>>[] = []
    for (const { agoMs, ...request } of requests) {
      this.#clock.advance(-agoMs)
      answers.push(await plain(() => this.append(request)))
      this.#clock.advance(agoMs)
    }
    return { answers }
  }

  async read({ after, limit }: In<'read'>): Promise<Out<'read'>> {
    type Page = { events: wire.StreamEvent[]; nextAfter: number | null; highWatermark: number }
    const page = await this.#requests.got<Page>('GET', `/events?${query({ ...this.#scope, after, limit })}`)
    const { highWatermark } = page
    const events = page.events.map((event) => this.words.toEvent(event))
    const last = events.at(-1)?.sequence ?? after
    must(page.nextAfter === (last < highWatermark ? last : null), 'nextAfter is null at the high watermark')
    return { events, highWatermark }
  }

  async status(): Promise<Out<'status'>> {
    const info = await this.#requests.got<wire.StreamInfo>('GET', '')
    const { firstSequence, highWatermark } = info.partitions[this.#key]!
    must(firstSequence === 1, 'the first sequence is 1')
    return { highWatermark }
  }

  async event({ id }: In<'event'>): Promise<Out<'event'>> {
    const path = `/events/${encodeURIComponent(this.words.toId(id))}?${query({ ...this.#scope, groups: true })}`
    type Found = { event: wire.StreamEvent; groups: WireDelivery[] } & Problem
    const answer = await this.#requests.stream.send<Found>('GET', path)
    if (answer.status === 404 && answer.body.code === 'event_not_found') return { found: null }
    must(answer.status === 200, answer.where)
    const byAge = [...this.#requests.groups.keys()]
    const groups = answer.body.groups.toSorted((a, b) => byAge.indexOf(a.group) - byAge.indexOf(b.group))
    const found = { event: this.words.toEvent(answer.body.event), deliveries: groups.map(toDelivery) }
    return { found } as Out<'event'>
  }

  // Groups

  async createGroup({ group, start, options }: In<'createGroup'>): Promise<Out<'createGroup'>> {
    const starts = await this.#requests.createGroup(group, options, toStart(start))
    return { start: starts[this.#key]! }
  }

  async patchGroup({ group, patch }: In<'patchGroup'>): Promise<Out<'patchGroup'>> {
    const patched = await this.#requests.got<wire.GroupOptions>('PATCH', `/groups/${group}`, patch)
    for (const name of Object.keys(patch) as (keyof typeof patch)[]) {
      must(JSON.stringify(patched[name]) === JSON.stringify(patch[name]), `a patch answers with the new ${name}`)
    }
    return {}
  }

  /** A creation that comes once more is refused once it is done, and changes nothing. */
  async repeatCreate({ group }: In<'repeatCreate'>): Promise<Out<'repeatCreate'>> {
    const body = this.#requests.groups.get(group)
    if (body === undefined) return this.#requests.got('GET', `/groups/${group}/lag`)
    const { code } = await this.#requests.got<Problem>('POST', '/groups', body, 409)
    must(code === 'already_exists', 'a group is created once')
    return {}
  }

  async removeGroup({ group }: In<'removeGroup'>): Promise<Out<'removeGroup'>> {
    await this.#requests.got('DELETE', `/groups/${group}?confirm=true`, undefined, NO_CONTENT)
    this.#requests.groups.delete(group)
    return {}
  }

  async reset({ group, start }: In<'reset'>): Promise<Out<'reset'>> {
    const body = { confirm: true, ...toStart(start), ...this.#scope }
    const { partitions } = await this.#requests.got<wire.GroupLag>('POST', `/groups/${group}/reset`, body)
    return partitions[this.#key]!
  }

  // Delivery

  async fetch({ group, limit, leaseMs, consumerId }: In<'fetch'>): Promise<Out<'fetch'>> {
    const body = { limit, ...given({ leaseMs, consumerId }), ...this.#scope }
    const { leases, reason = null } = await this.#requests.got<wire.Fetched>('POST', `/groups/${group}/fetch`, body)
    return { leases: this.words.fetched(group, leases), reason: reason as Out<'fetch'>['reason'] }
  }

  async settle(call: In<'settle'> & { type: 'settle' }): Promise<Out<'settle'>> {
    return { results: await this.#requests.settleItems(call.group, toItems(this.words, call)) }
  }

  async renew(call: In<'renew'> & { type: 'renew' }): Promise<Out<'renew'>> {
    return { results: await this.#requests.settleItems(call.group, toItems(this.words, call)) }
  }

  async settleClaims(call: In<'settleClaims'>): Promise<Out<'settleClaims'>> {
    const receipts = call.receipts.map((receipt) => this.words.toText(receipt))
    const results = await this.#requests.settleRequest(call.group, claimsRequest(receipts, call))
    return { results: results.map((result) => toResult(call.outcome, result)) } as Out<'settleClaims'>
  }

  releaseConsumer({ group, consumerId }: In<'releaseConsumer'>): Promise<Out<'releaseConsumer'>> {
    return this.#requests.got('POST', `/groups/${group}/leases/release`, { consumerId })
  }

  // What can be seen

  async lag({ group }: In<'lag'>): Promise<Out<'lag'>> {
    const { partitions } = await this.#requests.got<wire.GroupLag>('GET', `/groups/${group}/lag`)
    return partitions[this.#key]!
  }

  async holes({ group, maxRanges }: In<'holes'>): Promise<Out<'holes'>> {
    type Holes = { partitions: Record<string, wire.PartitionHoles> }
    const { partitions } = await this.#requests.got<Holes>('GET', `/groups/${group}/holes?${query(this.#scope)}`)
    return this.words.toHoles(partitions[this.#key]!, maxRanges)
  }

  async groupInfo({ group }: In<'groupInfo'>): Promise<Out<'groupInfo'>> {
    const { lag, inFlight, delayed, available, deadLetters, oldestUnsettled } =
      await this.#requests.got<wire.GroupInfo>('GET', `/groups/${group}`)
    const oldest = oldestUnsettled && this.#toOldest(oldestUnsettled)
    const info = { inFlight, delayed, available, deadLetters, oldestUnsettled: oldest }
    return { lag: lag.partitions[this.#key]!, ...info } as Out<'groupInfo'>
  }

  #toOldest({ partition, eventId, timestamp, ageMs, ...rest }: NonNullable<wire.GroupInfo['oldestUnsettled']>) {
    const timestampMs = Date.parse(timestamp)
    must(partition === this.words.partition, 'the oldest event says where it is')
    must(ageMs === Math.max(0, Date.parse(this.#clock.now()) - timestampMs), 'its age is counted from its timestamp')
    return { ...rest, eventId: this.words.plainId(eventId), timestampMs }
  }

  async leases({ group, consumerId, pageSize }: In<'leases'>): Promise<Out<'leases'>> {
    const leases = await this.#requests.pages<wire.ListedLease>(group, 'leases', 'leases', {
      consumerId,
      limit: pageSize,
    })
    return { leases: leases.map((lease) => this.words.toListedLease(lease)) }
  }

  async deadLetters({ group, pageSize }: In<'deadLetters'>): Promise<Out<'deadLetters'>> {
    const scope = { ...this.#scope, limit: pageSize }
    const letters = await this.#requests.pages<wire.DeadLetter>(group, 'dead-letters', 'deadLetters', scope)
    return { deadLetters: letters.map((letter) => this.words.toDeadLetter(letter)) }
  }

  // Replay and redrive

  async replay({ group, selector, resetAttempts, dryRun }: In<'replay'>): Promise<Out<'replay'>> {
    const body = { ...toSelector(selector), ...this.#scope, resetAttempts, dryRun }
    type Replayed = { reopened: number; partitions: Record<string, Out<'replay'>> }
    const { reopened, partitions } = await this.#requests.got<Replayed>('POST', `/groups/${group}/replay`, body)
    const replayed = partitions[this.#key]!
    must(reopened === replayed.reopened && Object.keys(partitions).length === 1, 'a replay tells of its scope')
    return replayed
  }

  async redrive({ group, eventIds }: In<'redrive'>): Promise<Out<'redrive'>> {
    const body = eventIds === null ? { all: true } : { eventIds: eventIds.map((id) => this.words.toId(id)) }
    type Redriven = { redriven: number; partitions: Record<string, Out<'redrive'>> }
    const { redriven, partitions } = await this.#requests.got<Redriven>(
      'POST',
      `/groups/${group}/dead-letters/redrive`,
      body,
    )
    must(redriven === partitions[this.#key]!.redriven, 'a redrive counts its partitions together')
    return partitions[this.#key]!
  }

  get #key(): string {
    return `${this.words.partition}`
  }

  #plainProblem(problem: Problem): Problem {
    return typeof problem.id === 'string' ? { ...problem, id: this.words.plainId(problem.id) } : problem
  }
}
