import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { defaultGroupOptions } from '../../src/core/group.ts'
import type { Command, Outcome } from '../../src/core/partition/commands.ts'
import { PartitionMachine } from '../../src/core/partition/machine.ts'
import { openPartitionStore } from '../../src/storage/partition.ts'
import { openNodeSql } from '../../src/storage/sql-node.ts'

/* docs/internals/storage.md draws a ledger over time; here it is drawn from the tables themselves. */

type Row = { first: number; last: number; token: string | null; attempts: number }

const NOW_MS = 1_000

/** A partition in memory with one group of two attempts, and its tables laid open. */
class Ledger {
  readonly #sql = openNodeSql(':memory:')
  readonly #machine = new PartitionMachine(openPartitionStore(this.#sql), {
    tenant: 't',
    stream: 's',
    uid: 'u',
    partition: 0,
  })
  #claims = 0

  constructor(events: number) {
    const lines = Array.from({ length: events }, () => '{"type":null,"key":null,"payload":{},"metadata":{}}')
    const nothing = { ids: [], times: [], terms: new Uint32Array(), idempotency: null, expectedSequence: null }
    this.run({ type: 'append', append: { lines: lines.join('\n'), count: events, atMs: NOW_MS, ...nothing } })
    const options = { ...defaultGroupOptions, maxAttempts: 2 }
    this.run({ type: 'installGroup', install: { uid: 'g', name: 'g', revision: 1, options, start: 0, epoch: 0 } })
  }

  run(command: Command): void {
    expect(this.#machine.run(command, NOW_MS).status).toBe('done')
  }

  fetch(limit: number): void {
    const token = String.fromCharCode(65 + this.#claims++).repeat(22)
    this.run({ type: 'fetch', fetch: { group: 'g', limit, leaseMs: 1_000, consumerId: null, token, maxBytes: 1e6 } })
  }

  /** Settles whoever's leases these are now, which is what their holders would do. */
  settle(outcome: Outcome, sequences: readonly number[]): void {
    const timed = this.rows('timed')
    const items = sequences.flatMap((sequence) => {
      const lease = timed.find(({ first, last, token }) => first <= sequence && sequence <= last && token !== null)
      const nothing = { receipt: null, reason: null, delayMs: null, leaseMs: null }
      return lease === undefined ? [] : [{ leaseId: `0.${sequence}.${lease.token}`, outcome, ...nothing }]
    })
    this.run({ type: 'settle', group: 'g', items })
  }

  replay(sequence: number): void {
    const selector = { kind: 'after', sequence } as const
    this.run({ type: 'replay', replay: { group: 'g', selector, resetAttempts: false, dryRun: false } })
  }

  rows(table: 'timed' | 'ready' | 'done' | 'tries'): Row[] {
    return this.#sql.all<Row>(`select * from ${table} order by last`)
  }

  get cursor(): number {
    return this.#sql.all<{ cursor: number }>('select cursor from groups')[0]!.cursor
  }

  get frontier(): number {
    const answer = this.#machine.run({ type: 'lag', group: 'g' }, NOW_MS)
    return answer.status === 'done' ? answer.value.frontier : Number.NaN
  }

  close(): void {
    this.#sql.close()
  }
}

const story: [what: string, step: (ledger: Ledger) => void][] = [
  ['create at the beginning', () => {}],
  ['fetch 6', (ledger) => ledger.fetch(6)],
  ['ack 3', (ledger) => ledger.settle('ack', [3])],
  ['ack 1, 2', (ledger) => ledger.settle('ack', [1, 2])],
  ['nack 5', (ledger) => ledger.settle('nack', [5])],
  ['fetch 3', (ledger) => ledger.fetch(3)],
  ['ack 4, 6', (ledger) => ledger.settle('ack', [4, 6])],
  ['nack 5, no attempt is left', (ledger) => ledger.settle('nack', [5])],
  ['ack 7, 8', (ledger) => ledger.settle('ack', [7, 8])],
  ['replay from 0', (ledger) => ledger.replay(0)],
]

const runText = ({ first, last }: Row): string => (first === last ? `[${first}]` : `[${first}-${last}]`)

it('the drawn ledger is what the tables hold', () => {
  const ledger = new Ledger(8)
  const columns = [28, 25, 8, 6, 8, 8]
  const row = (cells: readonly string[]): string =>
    cells
      .map((cell, index) => cell.padEnd(columns[index] ?? 0))
      .join('')
      .trimEnd()
  const drawn = [row(['what happens', 'timed', 'ready', 'done', 'tries', 'cursor', 'frontier'])]
  for (const [what, step] of story) {
    step(ledger)
    const timed = ledger.rows('timed').map((run) => runText(run) + (run.token![0] === 'A' ? '' : "'"))
    const tries = ledger.rows('tries').map((run) => `${runText(run)}=${run.attempts}`)
    const others = [ledger.rows('ready').map(runText), ledger.rows('done').map(runText), tries]
    const lists = [timed, ...others].map((list) => list.join(' '))
    drawn.push(row([what, ...lists, `${ledger.cursor}`, `${ledger.frontier}`]))
  }
  ledger.close()
  const page = readFileSync(new URL('../../docs/internals/storage.md', import.meta.url), 'utf8')
  const [, block] = /```\n(what happens[\s\S]*?)\n```/.exec(page) ?? []
  expect(block?.split('\n')).toEqual(drawn)
})
