import { defaultGroupOptions, type GroupOptions } from '../../src/core/group.ts'
import type { Append, Command, CommandName, CommandOut, Outcome } from '../../src/core/partition/commands.ts'
import { PartitionMachine } from '../../src/core/partition/machine.ts'
import type { Settings } from '../../src/core/partition/settings.ts'
import type { PartitionStore } from '../../src/core/partition/store.ts'
import { openPartitionStore } from '../../src/storage/partition.ts'
import { openNodeSql } from '../../src/storage/sql-node.ts'

export const NOW_MS = Date.UTC(2026, 2, 15, 12)
const address = { tenant: 't', stream: 's', uid: 'u', partition: 0 }
const LINE = '{"type":null,"key":null,"payload":{"n":1},"metadata":{}}'

export interface Lease {
  readonly leaseId: string
  readonly sequence: number
  readonly attempt: number
  readonly leasedAt: string
}

/** A partition over a database in memory that a test can look into, spoil and start again. */
export class Partition {
  readonly sql = openNodeSql(':memory:')
  readonly reports: string[] = []
  nowMs = NOW_MS
  machine!: PartitionMachine
  readonly #spoil: (store: PartitionStore) => PartitionStore
  #tokens = 0

  /** `spoil` may put something between the machine and its store. */
  constructor(spoil: (store: PartitionStore) => PartitionStore = (store) => store) {
    this.#spoil = spoil
    this.restart()
  }

  /** Lets go of all that is in memory. */
  restart(settings: Partial<Settings> = {}): void {
    const report = (detail: string) => void this.reports.push(detail)
    const store = this.#spoil(openPartitionStore(this.sql))
    this.machine = new PartitionMachine(store, address, { trustsStoredTimes: true, report, ...settings })
  }

  answer<N extends CommandName>(command: Command<N>, freeBytes?: number) {
    return this.machine.run(command, this.nowMs, freeBytes)
  }

  run<N extends CommandName>(command: Command<N>): CommandOut<N> {
    const given = this.answer(command)
    if (given.status !== 'done') throw new Error(JSON.stringify(given))
    return given.value
  }

  append(count: number, more: Partial<Append> = {}): void {
    this.run(appendOf(count, { atMs: this.nowMs, ...more }))
  }

  install(group: string, options: Partial<GroupOptions> = {}, more: { revision?: number; epoch?: number } = {}): void {
    const install = { uid: group, name: group, revision: 1, epoch: 0, start: 0, ...more }
    this.run({ type: 'installGroup', install: { ...install, options: { ...defaultGroupOptions, ...options } } })
  }

  fetch(group: string, limit: number, leaseMs: number | null = null): Lease[] {
    return JSON.parse(`[${this.run(this.fetchOf(group, limit, leaseMs)).leases}]`)
  }

  fetchOf(group: string, limit: number, leaseMs: number | null = null): Command<'fetch'> {
    this.#tokens += 1
    const token = `${this.#tokens}`.padStart(22, '_')
    return { type: 'fetch', fetch: { group, limit, leaseMs, consumerId: 'c', token, maxBytes: 8_000_000 } }
  }

  settle(group: string, outcome: Outcome, leases: readonly Lease[]): boolean[] {
    return this.run(settleOf(group, outcome, leases)).results.map(({ ok }) => ok)
  }
}

export const settleOf = (group: string, outcome: Outcome, leases: readonly Lease[]): Command<'settle'> => ({
  type: 'settle',
  group,
  items: leases.map(({ leaseId }) => ({ leaseId, receipt: null, outcome, reason: null, delayMs: null, leaseMs: null })),
})

export const appendOf = (count: number, more: Partial<Append> = {}): Command<'append'> => ({
  type: 'append',
  append: {
    lines: Array<string>(count).fill(LINE).join('\n'),
    count,
    ids: [],
    times: [],
    terms: new Uint32Array(),
    atMs: NOW_MS,
    idempotency: null,
    expectedSequence: null,
    ...more,
  },
})
