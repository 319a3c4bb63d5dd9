import type {
  Address,
  Appended,
  Command,
  Answer as CommandAnswer,
  CommandName,
  CommandOut,
  GroupInstall,
} from '../../src/core/partition/commands.ts'
import type { Answer, Call, CallName, In, Json, Out, Ref, SettleItem, SettleResult } from './calls.ts'
import { MachineCatalog } from './machine-catalog.ts'
import { must, plain, Refused, toSelector, Wire } from './machine-wire.ts'

const MAX_BYTES = 8_388_608

/** Commands that are sent together, one after the other; their answers come back in that order. */
export type Talk<T> = Generator<readonly Command[], T, readonly CommandAnswer<unknown>[]>

type Methods = { [N in CallName]: (input: In<N>) => Talk<Out<N>> }

/**
 * Says the calls of the model in the commands of one partition. A call is a talk: it yields commands and is given
 * their answers, so that a machine that answers at once and an object that answers later share every word of it.
 */
export class MachineTranslator implements Methods {
  readonly #wire: Wire
  readonly #claims: { receipt: string; leaseIds: Map<number, string> }[] = []
  readonly #catalog = new MachineCatalog()
  #tokens = 0
  /** The request's now. */
  nowMs = 0

  constructor(address: Address) {
    this.#wire = new Wire(address)
  }

  *call(call: Call, nowMs: number): Talk<Answer<unknown>> {
    this.nowMs = nowMs
    const talk = this[call.type].bind(this) as (input: unknown) => Talk<unknown>
    try {
      return { value: yield* talk(call) }
    } catch (fault) {
      if (fault instanceof Refused) return fault.answer
      throw fault
    }
  }

  // The log

  *append(request: In<'append'>): Talk<Out<'append'>> {
    const append = this.#wire.toAppend(request, this.nowMs)
    return this.#wire.appended(request, this.nowMs, yield* this.#ask({ type: 'append', append }))
  }

  *appends({ requests }: In<'appends'>): Talk<Out<'appends'>> {
    const sent = requests.map(({ agoMs, ...request }) => ({ request, atMs: this.nowMs - agoMs }))
    const appends = sent.map(({ request, atMs }) => this.#wire.toAppend(request, atMs))
    const given = yield appends.map((append) => ({ type: 'append', append }) as const)
    const answers = given.map((answer, index) => {
      const { request, atMs } = sent[index]!
      return plain(() => this.#wire.appended(request, atMs, this.#wire.unwrap(answer as CommandAnswer<Appended>)))
    })
    return { answers }
  }

  *read({ after, limit }: In<'read'>): Talk<Out<'read'>> {
    const { events, count, last, highWatermark } = yield* this.#ask({ type: 'read', after, limit, maxBytes: MAX_BYTES })
    const found = this.#wire.toEvents(events)
    must(found.length === count && last === (found.at(-1)?.sequence ?? after), 'count and last are of the events')
    return { events: found, highWatermark }
  }

  *status(): Talk<Out<'status'>> {
    const { firstSequence, highWatermark } = yield* this.#ask({ type: 'status' })
    must(firstSequence === 1, 'the first sequence is 1')
    return { highWatermark }
  }

  // Groups

  *resolveStart({ start }: In<'resolveStart'>): Talk<Out<'resolveStart'>> {
    return yield* this.#ask({ type: 'resolveStart', start })
  }

  *createGroup({ group, start, options }: In<'createGroup'>): Talk<Out<'createGroup'>> {
    const resolved = yield* this.resolveStart({ start })
    yield* this.#tell(this.#catalog.create(group, options, resolved.start))
    return resolved
  }

  *repeatCreate({ group }: In<'repeatCreate'>): Talk<Out<'repeatCreate'>> {
    return yield* this.#tell(this.#catalog.created(group))
  }

  *patchGroup({ group, patch }: In<'patchGroup'>): Talk<Out<'patchGroup'>> {
    return yield* this.#tell(this.#catalog.patch(group, patch))
  }

  *reset({ group, start }: In<'reset'>): Talk<Out<'reset'>> {
    const resolved = this.#catalog.has(group) ? yield* this.resolveStart({ start }) : { start: 0 }
    yield* this.#tell(this.#catalog.reset(group, resolved.start))
    return yield* this.lag({ group })
  }

  *removeGroup({ group }: In<'removeGroup'>): Talk<Out<'removeGroup'>> {
    this.#catalog.remove(group)
    return yield* this.#ask({ type: 'removeGroup', group })
  }

  *#tell(install: GroupInstall): Talk<Record<never, never>> {
    return yield* this.#ask({ type: 'installGroup', install })
  }

  // Delivery

  *fetch({ group, limit, leaseMs, consumerId }: In<'fetch'>): Talk<Out<'fetch'>> {
    const token = `${++this.#tokens}`.padStart(22, '_')
    const fetch = { group, limit, leaseMs, consumerId, token, maxBytes: MAX_BYTES }
    const { count, receipt, leases: text, reason } = yield* this.#ask({ type: 'fetch', fetch })
    const found = JSON.parse(`[${text}]`) as Record<string, Json>[]
    must(found.length === count && (receipt === null) === (count === 0), 'count and receipt are of the leases')
    if (receipt === null) return { leases: [], reason }
    const claim = this.#claims.push({ receipt, leaseIds: new Map() }) - 1
    const leases = found.map(
      ({ leaseId, receipt: own, stream, group: name, partition, leasedAt, expiresAt, ...lease }) => {
        must(
          own === receipt && stream === this.#wire.address.stream && partition === this.#wire.address.partition,
          'the lease says where it is',
        )
        must(name === `name of ${group}`, 'the lease names its group')
        this.#claims[claim]!.leaseIds.set(lease.sequence as number, leaseId as string)
        const times = { leasedAtMs: Date.parse(leasedAt as string), expiresAtMs: Date.parse(expiresAt as string) }
        return {
          ...lease,
          ...times,
          claim,
          eventId: this.#wire.plainId(lease.eventId as string),
          event: this.#wire.toEvent(lease.event as Json),
        }
      },
    )
    return { leases: leases as unknown as Out<'fetch'>['leases'], reason }
  }

  *settle({ group, items }: In<'settle'>): Talk<Out<'settle'>> {
    return yield* this.#settle(
      group,
      items.map((item) => ({ ...item, leaseMs: null })),
    )
  }

  *renew({ group, items }: In<'renew'>): Talk<Out<'renew'>> {
    return yield* this.#settle(
      group,
      items.map((item) => ({ ...item, outcome: 'renew' as const, reason: null, delayMs: null })),
    )
  }

  *#settle(
    group: string,
    items: readonly (Omit<SettleItem, 'outcome'> & {
      outcome: SettleItem['outcome'] | 'renew'
      leaseMs: number | null
    })[],
  ): Talk<Out<'settle'>> {
    const named = items.map(({ lease, receipt, ...rest }) => ({
      ...rest,
      leaseId: this.#text(lease),
      receipt: receipt === null ? null : this.#text(receipt),
    }))
    const { results } = yield* this.#ask({ type: 'settle', group, items: named })
    return {
      results: results.map((result): SettleResult => {
        if (!result.ok) return result
        const { dueAtMs: untilMs, ...rest } = result
        return { ...rest, untilMs }
      }),
    }
  }

  *settleClaims({ receipts, ...how }: In<'settleClaims'>): Talk<Out<'settleClaims'>> {
    const claims = { ...how, receipts: receipts.map((receipt) => this.#text(receipt)) }
    return yield* this.#ask({ type: 'settleClaims', claims })
  }

  *releaseConsumer({ group, consumerId }: In<'releaseConsumer'>): Talk<Out<'releaseConsumer'>> {
    return yield* this.#ask({ type: 'releaseConsumer', group, consumerId })
  }

  #text(ref: Ref): string {
    if ('text' in ref) return ref.text
    const claim = this.#claims[ref.claim]!
    return ref.sequence === null ? claim.receipt : claim.leaseIds.get(ref.sequence)!
  }

  // What can be seen

  *lag({ group }: In<'lag'>): Talk<Out<'lag'>> {
    return yield* this.#ask({ type: 'lag', group })
  }

  *holes({ group, maxRanges }: In<'holes'>): Talk<Out<'holes'>> {
    const holes = yield* this.#ask({ type: 'holes', group, maxRanges })
    const { blockedBy } = holes
    return { ...holes, blockedBy: blockedBy && { ...blockedBy, eventId: this.#wire.plainId(blockedBy.eventId) } }
  }

  *groupInfo({ group }: In<'groupInfo'>): Talk<Out<'groupInfo'>> {
    const info = yield* this.#ask({ type: 'groupInfo', group })
    const { oldestUnsettled: oldest } = info
    return { ...info, oldestUnsettled: oldest && { ...oldest, eventId: this.#wire.plainId(oldest.eventId) } }
  }

  *leases({ group, consumerId, pageSize: limit }: In<'leases'>): Talk<Out<'leases'>> {
    const ask = this.#ask.bind(this)
    const leases = yield* pages(limit, function* (after) {
      const { leases: page, more } = yield* ask({ type: 'leases', group, consumerId, after, limit })
      return { page, more }
    })
    return { leases: leases.map((lease) => ({ ...lease, eventId: this.#wire.plainId(lease.eventId) })) }
  }

  *deadLetters({ group, pageSize: limit }: In<'deadLetters'>): Talk<Out<'deadLetters'>> {
    const ask = this.#ask.bind(this)
    const letters = yield* pages(limit, function* (after) {
      const letters = yield* ask({ type: 'deadLetters', group, after, limit, maxBytes: MAX_BYTES })
      return { page: letters.deadLetters, more: letters.more }
    })
    const toLetter = ({ event, eventId, ...rest }: (typeof letters)[number]) => ({
      ...rest,
      eventId: this.#wire.plainId(eventId),
      event: this.#wire.toEvent(JSON.parse(event)),
    })
    return { deadLetters: letters.map(toLetter) }
  }

  *event({ id }: In<'event'>): Talk<Out<'event'>> {
    const [realId, sequence] = this.#wire.toPosition(id)
    const found = yield* this.#ask({ type: 'event', id: realId, sequence, withGroups: true })
    if (found === null) return { found }
    const deliveries = this.#catalog.inOrder(found.deliveries)
    return { found: { event: this.#wire.toEvent(JSON.parse(found.event)), deliveries } }
  }

  // Replay and redrive

  *replay({ selector, ...rest }: In<'replay'>): Talk<Out<'replay'>> {
    const replay = { ...rest, selector: toSelector(selector) }
    const { inRange, ...replayed } = yield* this.#ask({ type: 'replay', replay })
    if (!inRange) throw new Refused({ refused: { code: 'no_events_in_range' } })
    return replayed
  }

  *redrive({ group, eventIds }: In<'redrive'>): Talk<Out<'redrive'>> {
    if (eventIds === null) return yield* this.#ask({ type: 'redrive', group, eventIds, sequences: null })
    const ids = eventIds.map((id) => this.#wire.toPosition(id))
    return yield* this.#ask({
      type: 'redrive',
      group,
      eventIds: ids.flatMap(([id, sequence]) => (sequence === null ? [id] : [])),
      sequences: ids.flatMap(([, sequence]) => sequence ?? []),
    })
  }

  *expire(): Talk<Out<'expire'>> {
    return yield* this.#ask({ type: 'expire' })
  }

  *#ask<N extends CommandName>(command: Command<N>): Talk<CommandOut<N>> {
    const [answer] = yield [command as Command]
    return this.#wire.unwrap(answer as CommandAnswer<CommandOut<N>>)
  }
}

/** Follows a listing to its end. */
function* pages<T extends { readonly sequence: number }>(
  limit: number,
  read: (after: number) => Talk<{ page: readonly T[]; more: boolean }>,
): Talk<T[]> {
  const found: T[] = []
  for (;;) {
    const { page, more } = yield* read(found.at(-1)?.sequence ?? 0)
    must(page.length <= limit && (page.length === limit || !more), 'a page is full unless it is the last')
    must(page.length > 0 || !more, 'more is promised where there is none')
    found.push(...page)
    if (!more) return found
  }
}
