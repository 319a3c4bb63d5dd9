import type { Command, CommandName, CommandOut, GroupInstall } from '../../src/core/partition/commands.ts'
import { PartitionMachine } from '../../src/core/partition/machine.ts'
import { openPartitionStore } from '../../src/storage/partition.ts'
import { openNodeSql } from '../../src/storage/sql-node.ts'
import type { Answer, Call, CallName, In, Json, Out, Ref, SettleItem, SettleResult } from './calls.ts'
import { START_MS } from './commands.ts'
import type { Driver } from './driver.ts'
import { auditLedger } from './ledger-audit.ts'
import { auditMachine } from './machine-audit.ts'
import { MachineCatalog } from './machine-catalog.ts'
import * as wire from './machine-wire.ts'
import { address, must, Refused } from './machine-wire.ts'
import type { Reference } from './reference.ts'

const MAX_BYTES = 8_388_608

type Methods = { [N in CallName]: (input: In<N>) => Out<N> }

/** The partition machine over node:sqlite, in a file or in memory. */
export class MachineDriver implements Driver, Methods {
  readonly unsupported: ReadonlySet<CallName> = new Set()
  nowMs = START_MS
  #sql: ReturnType<typeof openNodeSql>
  #machine: PartitionMachine
  readonly #path: string
  readonly #claims: { receipt: string; leaseIds: Map<number, string> }[] = []
  readonly #catalog = new MachineCatalog()
  #tokens = 0

  /** `path` names a file, or `:memory:`, which a restart keeps open. */
  constructor(path = ':memory:') {
    this.#path = path
    this.#sql = openNodeSql(path)
    this.#machine = new PartitionMachine(openPartitionStore(this.#sql), address)
  }

  run(call: Call): Answer<unknown> {
    return wire.plain(() => (this[call.type] as (input: unknown) => unknown).call(this, call))
  }

  advance(ms: number) {
    this.nowMs += ms
  }

  evict() {
    this.#machine = new PartitionMachine(openPartitionStore(this.#sql), address)
  }

  restart() {
    if (this.#path !== ':memory:') {
      this.#sql.close()
      this.#sql = openNodeSql(this.#path)
    }
    this.evict()
  }

  close() {
    this.#sql.close()
  }

  nextDueMs(): number | null {
    return this.#machine.nextDueMs()
  }

  hasWork(group: string): boolean {
    return this.#machine.hasWork(group, this.nowMs)
  }

  audit(reference: Reference) {
    auditMachine(this, reference)
    auditLedger(this.#sql)
  }

  // The log

  append(request: In<'append'>): Out<'append'> {
    const append = wire.toAppend(request, this.nowMs)
    return wire.appended(request, this.nowMs, this.#run({ type: 'append', append }))
  }

  appends({ requests }: In<'appends'>): Out<'appends'> {
    const sent = requests.map(({ agoMs, ...request }) => ({ request, atMs: this.nowMs - agoMs }))
    const appends = sent.map(({ request, atMs }) => wire.toAppend(request, atMs))
    const answers = this.#machine.append(appends, this.nowMs).map((answer, index) => {
      const { request, atMs } = sent[index]!
      return wire.plain(() => wire.appended(request, atMs, wire.unwrap(answer)))
    })
    return { answers }
  }

  read({ after, limit }: In<'read'>): Out<'read'> {
    const { events, count, last, highWatermark } = this.#run({ type: 'read', after, limit, maxBytes: MAX_BYTES })
    const found = wire.toEvents(events)
    must(found.length === count && last === (found.at(-1)?.sequence ?? after), 'count and last are of the events')
    return { events: found, highWatermark }
  }

  status(): Out<'status'> {
    const { firstSequence, highWatermark } = this.#run({ type: 'status' })
    must(firstSequence === 1, 'the first sequence is 1')
    return { highWatermark }
  }

  // Groups

  resolveStart({ start }: In<'resolveStart'>): Out<'resolveStart'> {
    return this.#run({ type: 'resolveStart', start })
  }

  createGroup({ group, start, options }: In<'createGroup'>): Out<'createGroup'> {
    const resolved = this.resolveStart({ start })
    this.#tell(this.#catalog.create(group, options, resolved.start))
    return resolved
  }

  repeatCreate({ group }: In<'repeatCreate'>): Out<'repeatCreate'> {
    return this.#tell(this.#catalog.created(group))
  }

  patchGroup({ group, patch }: In<'patchGroup'>): Out<'patchGroup'> {
    return this.#tell(this.#catalog.patch(group, patch))
  }

  reset({ group, start }: In<'reset'>): Out<'reset'> {
    const resolved = this.#catalog.has(group) ? this.resolveStart({ start }) : { start: 0 }
    this.#tell(this.#catalog.reset(group, resolved.start))
    return this.lag({ group })
  }

  removeGroup({ group }: In<'removeGroup'>): Out<'removeGroup'> {
    this.#catalog.remove(group)
    return this.#run({ type: 'removeGroup', group })
  }

  #tell(install: GroupInstall): Record<never, never> {
    return this.#run({ type: 'installGroup', install })
  }

  // Delivery

  fetch({ group, limit, leaseMs, consumerId }: In<'fetch'>): Out<'fetch'> {
    const token = `${++this.#tokens}`.padStart(22, '_')
    const fetch = { group, limit, leaseMs, consumerId, token, maxBytes: MAX_BYTES }
    const { count, receipt, leases: text, reason } = this.#run({ type: 'fetch', fetch })
    const found = JSON.parse(`[${text}]`) as Record<string, Json>[]
    must(found.length === count && (receipt === null) === (count === 0), 'count and receipt are of the leases')
    if (receipt === null) return { leases: [], reason }
    const claim = this.#claims.push({ receipt, leaseIds: new Map() }) - 1
    const leases = found.map(
      ({ leaseId, receipt: own, stream, group: name, partition, leasedAt, expiresAt, ...lease }) => {
        must(
          own === receipt && stream === address.stream && partition === address.partition,
          'the lease says where it is',
        )
        must(name === `name of ${group}`, 'the lease names its group')
        this.#claims[claim]!.leaseIds.set(lease.sequence as number, leaseId as string)
        const times = { leasedAtMs: Date.parse(leasedAt as string), expiresAtMs: Date.parse(expiresAt as string) }
        return {
          ...lease,
          ...times,
          claim,
          eventId: wire.plainId(lease.eventId as string),
          event: wire.toEvent(lease.event as Json),
        }
      },
    )
    return { leases: leases as unknown as Out<'fetch'>['leases'], reason }
  }

  settle({ group, items }: In<'settle'>): Out<'settle'> {
    return this.#settle(
      group,
      items.map((item) => ({ ...item, leaseMs: null })),
    )
  }

  renew({ group, items }: In<'renew'>): Out<'renew'> {
    return this.#settle(
      group,
      items.map((item) => ({ ...item, outcome: 'renew' as const, reason: null, delayMs: null })),
    )
  }

  #settle(
    group: string,
    items: readonly (Omit<SettleItem, 'outcome'> & {
      outcome: SettleItem['outcome'] | 'renew'
      leaseMs: number | null
    })[],
  ): Out<'settle'> {
    const named = items.map(({ lease, receipt, ...rest }) => ({
      ...rest,
      leaseId: this.#text(lease),
      receipt: receipt === null ? null : this.#text(receipt),
    }))
    const { results } = this.#run({ type: 'settle', group, items: named })
    return {
      results: results.map((result): SettleResult => {
        if (!result.ok) return result
        const { dueAtMs: untilMs, ...rest } = result
        return { ...rest, untilMs }
      }),
    }
  }

  settleClaims({ receipts, ...how }: In<'settleClaims'>): Out<'settleClaims'> {
    const claims = { ...how, receipts: receipts.map((receipt) => this.#text(receipt)) }
    return this.#run({ type: 'settleClaims', claims })
  }

  releaseConsumer({ group, consumerId }: In<'releaseConsumer'>): Out<'releaseConsumer'> {
    return this.#run({ type: 'releaseConsumer', group, consumerId })
  }

  #text(ref: Ref): string {
    if ('text' in ref) return ref.text
    const claim = this.#claims[ref.claim]!
    return ref.sequence === null ? claim.receipt : claim.leaseIds.get(ref.sequence)!
  }

  // What can be seen

  lag({ group }: In<'lag'>): Out<'lag'> {
    return this.#run({ type: 'lag', group })
  }

  holes({ group, maxRanges }: In<'holes'>): Out<'holes'> {
    const holes = this.#run({ type: 'holes', group, maxRanges })
    const { blockedBy } = holes
    return { ...holes, blockedBy: blockedBy && { ...blockedBy, eventId: wire.plainId(blockedBy.eventId) } }
  }

  groupInfo({ group }: In<'groupInfo'>): Out<'groupInfo'> {
    const info = this.#run({ type: 'groupInfo', group })
    const { oldestUnsettled: oldest } = info
    return { ...info, oldestUnsettled: oldest && { ...oldest, eventId: wire.plainId(oldest.eventId) } }
  }

  leases({ group, consumerId, pageSize: limit }: In<'leases'>): Out<'leases'> {
    const leases = wire.pages((after) => {
      const { leases: page, more } = this.#run({ type: 'leases', group, consumerId, after, limit })
      return { page, more }
    }, limit)
    return { leases: leases.map((lease) => ({ ...lease, eventId: wire.plainId(lease.eventId) })) }
  }

  deadLetters({ group, pageSize: limit }: In<'deadLetters'>): Out<'deadLetters'> {
    const letters = wire.pages((after) => {
      const { deadLetters: page, more } = this.#run({ type: 'deadLetters', group, after, limit, maxBytes: MAX_BYTES })
      return { page, more }
    }, limit)
    const toLetter = ({ event, eventId, ...rest }: (typeof letters)[number]) => ({
      ...rest,
      eventId: wire.plainId(eventId),
      event: wire.toEvent(JSON.parse(event)),
    })
    return { deadLetters: letters.map(toLetter) }
  }

  event({ id }: In<'event'>): Out<'event'> {
    const [realId, sequence] = wire.toPosition(id)
    const found = this.#run({ type: 'event', id: realId, sequence, withGroups: true })
    if (found === null) return { found }
    const deliveries = this.#catalog.inOrder(found.deliveries)
    return { found: { event: wire.toEvent(JSON.parse(found.event)), deliveries } }
  }

  // Replay and redrive

  replay({ selector, ...rest }: In<'replay'>): Out<'replay'> {
    const replay = { ...rest, selector: wire.toSelector(selector) }
    const { inRange, ...replayed } = this.#run({ type: 'replay', replay })
    if (!inRange) throw new Refused({ refused: { code: 'no_events_in_range' } })
    return replayed
  }

  redrive({ group, eventIds }: In<'redrive'>): Out<'redrive'> {
    if (eventIds === null) return this.#run({ type: 'redrive', group, eventIds, sequences: null })
    const ids = eventIds.map(wire.toPosition)
    return this.#run({
      type: 'redrive',
      group,
      eventIds: ids.flatMap(([id, sequence]) => (sequence === null ? [id] : [])),
      sequences: ids.flatMap(([, sequence]) => sequence ?? []),
    })
  }

  expire(): Out<'expire'> {
    return this.#run({ type: 'expire' })
  }

  #run<N extends CommandName>(command: Command<N>): CommandOut<N> {
    return wire.unwrap(this.#machine.run(command, this.nowMs))
  }
}
