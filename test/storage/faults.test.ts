import { describe, expect, it } from 'vitest'
import { defaultGroupOptions } from '../../src/core/group.ts'
import type { Append, Command, Outcome, ReplaySelector } from '../../src/core/partition/commands.ts'
import { PartitionMachine } from '../../src/core/partition/machine.ts'
import type { Condition } from '../../src/core/query/condition.ts'
import { everything } from '../../src/core/query/query.ts'
import { termsOfLine } from '../../src/core/query/terms.ts'
import { openPartitionStore } from '../../src/storage/partition.ts'
import { openNodeSql } from '../../src/storage/sql-node.ts'
import { FaultySql } from './faulty-sql.ts'

const TABLES = ['batches', 'segments', 'eventIds', 'groups', 'timed', 'ready', 'done', 'tries', 'deadLetters']
const address = { tenant: 't', stream: 's', uid: 'u', partition: 0 }
const line = (n: number): string => `{"type":null,"key":null,"payload":{"n":${n}},"metadata":{}}`

const append = (count: number, more: Partial<Append> = {}): Command => {
  const lines = Array.from({ length: count }, (_, index) => line(index)).join('\n')
  const terms = Uint32Array.from(lines.split('\n').flatMap(termsOfLine))
  const nothing = { ids: [], times: [], terms, idempotency: null, expectedSequence: null } as const
  return { type: 'append', append: { lines, count, atMs: 1_000, ...nothing, ...more } }
}

const token = (letter: string): string => letter.repeat(22)

const fetch = (letter: string, limit: number): Command => ({
  type: 'fetch',
  fetch: { group: 'g', limit, leaseMs: 100, consumerId: 'c', token: token(letter), maxBytes: 1_000_000 },
})

const settle = (
  outcome: Outcome,
  letter: string,
  sequences: readonly number[],
  delayMs: number | null = null,
): Command => ({
  type: 'settle',
  group: 'g',
  items: sequences.map((sequence) => ({
    leaseId: `0.${sequence}.${token(letter)}`,
    receipt: null,
    outcome,
    reason: 'because',
    delayMs,
    leaseMs: null,
  })),
})

const install: Command<'installGroup'> = {
  type: 'installGroup',
  install: {
    uid: 'g',
    name: 'g',
    revision: 1,
    options: { ...defaultGroupOptions, maxAttempts: 2 },
    start: 2,
    epoch: 0,
  },
}

/** Acked, rejected and open deliveries, one of them with a second attempt. */
const settled: [Command, number][] = [
  [append(9), 1_000],
  [install, 1_000],
  [fetch('A', 5), 2_000],
  [settle('ack', 'A', [3, 6]), 2_010],
  [settle('reject', 'A', [4, 5]), 2_010],
  [settle('nack', 'A', [7]), 2_010],
  [fetch('B', 1), 2_020],
]

const replay = (selector: ReplaySelector, resetAttempts = false): Command => ({
  type: 'replay',
  replay: { group: 'g', selector, resetAttempts, dryRun: false },
})

const odd: Condition[] = [{ field: { of: 'payload', path: ['n'] }, operator: 'in', operand: [1, 3, 5, 7] }]

/** What has happened before, and the command whose every statement fails once. */
const cases: Record<string, { before: [Command, number][]; command: [Command, number] }> = {
  'an append': { before: [], command: [append(3), 1_000] },
  'an append with chosen ids and an idempotency key': {
    before: [[append(3, { ids: [[0, 'a']] }), 1_000]],
    command: [append(3, { ids: [[1, 'b']], idempotency: { key: 'k', fingerprint: 'f' } }), 1_000],
  },
  'the first install of a group': { before: [[append(9), 1_000]], command: [install, 1_000] },
  'a change of options': {
    before: [
      [append(9), 1_000],
      [install, 1_000],
    ],
    command: [{ type: 'installGroup', install: { ...install.install, revision: 2 } } as Command, 1_000],
  },
  'a fetch of new events': {
    before: [
      [append(9), 1_000],
      [install, 1_000],
    ],
    command: [fetch('A', 4), 2_000],
  },
  'a fetch of reopened and new events': {
    before: [
      [append(9), 1_000],
      [install, 1_000],
      [fetch('A', 4), 2_000],
      [settle('nack', 'A', [3, 5]), 2_010],
    ],
    command: [fetch('B', 4), 2_020],
  },
  'a mixed settle': {
    before: [
      [append(9), 1_000],
      [install, 1_000],
      [fetch('A', 6), 2_000],
    ],
    command: [
      {
        type: 'settle',
        group: 'g',
        items: (['ack', 'nack', 'reject', 'release', 'renew'] as const).map((outcome, index) => ({
          leaseId: `0.${index + 3}.${token('A')}`,
          receipt: null,
          outcome,
          reason: null,
          delayMs: outcome === 'nack' ? 50 : null,
          leaseMs: null,
        })),
      },
      2_010,
    ],
  },
  'a settle that dead-letters': {
    before: [
      [append(9), 1_000],
      [install, 1_000],
      [fetch('A', 4), 2_000],
      [settle('nack', 'A', [3, 4, 5]), 2_010],
      [fetch('B', 3), 2_020],
    ],
    command: [settle('nack', 'B', [3, 5]), 2_030],
  },
  'a settle of two whole claims': {
    before: [
      [append(9), 1_000],
      [install, 1_000],
      [fetch('A', 3), 2_000],
      [fetch('B', 3), 2_000],
    ],
    command: [
      {
        type: 'settleClaims',
        claims: {
          group: 'g',
          receipts: [`0.3.5.3.${token('A')}`, `0.6.8.3.${token('B')}`],
          outcome: 'reject',
          reason: null,
          delayMs: null,
        },
      },
      2_010,
    ],
  },
  'an expiry that reopens and dead-letters': {
    before: [
      [append(9), 1_000],
      [install, 1_000],
      [fetch('A', 3), 2_000],
      [settle('nack', 'A', [3, 4, 5]), 2_010],
      [fetch('B', 5), 2_020],
    ],
    command: [{ type: 'expire' }, 5_000],
  },
  'the release of a consumer': {
    before: [
      [append(9), 1_000],
      [install, 1_000],
      [fetch('A', 3), 2_000],
    ],
    command: [{ type: 'releaseConsumer', group: 'g', consumerId: 'c' }, 2_010],
  },
  'a replay from a sequence': {
    before: settled,
    command: [replay({ kind: 'after', sequence: 1 }, true), 2_050],
  },
  'a replay of what a query matches': {
    before: settled,
    command: [
      replay({
        kind: 'matches',
        selection: { ...everything, conditions: odd },
        limit: null,
      }),
      2_050,
    ],
  },
  'a redrive of all dead letters': {
    before: settled,
    command: [{ type: 'redrive', group: 'g', eventIds: null, sequences: null }, 2_050],
  },
  'a reset': {
    before: settled,
    command: [{ type: 'installGroup', install: { ...install.install, revision: 2, epoch: 1, start: 4 } }, 2_050],
  },
  'the removal of a group': {
    before: settled,
    command: [{ type: 'removeGroup', group: 'g' }, 2_050],
  },
  'an append that closes a segment': {
    before: [[append(4_095), 1_000]],
    command: [append(2), 1_000],
  },
}

function prepared(before: readonly [Command, number][]) {
  const file = openNodeSql(':memory:')
  const sql = new FaultySql(file)
  const store = openPartitionStore(sql)
  const machine = new PartitionMachine(store, address)
  for (const [command, nowMs] of before) {
    const answer = machine.run(command, nowMs)
    if (answer.status !== 'done') throw new Error(JSON.stringify(answer))
  }
  const dump = () => TABLES.map((table) => file.all(`select * from ${table}`))
  return { sql, machine, dump }
}

describe('a fault at any statement leaves nothing changed, and the command succeeds when repeated', () => {
  for (const [name, { before, command }] of Object.entries(cases)) {
    it(name, () => {
      const intended = prepared(before)
      intended.sql.failAt(Infinity)
      const answer = intended.machine.run(...command)
      expect(answer.status).toBe('done')
      const statements = intended.sql.statements
      expect(statements).toBeGreaterThan(1)

      for (let n = 1; n <= statements; n++) {
        const { sql, machine, dump } = prepared(before)
        const untouched = dump()
        sql.failAt(n)
        expect(() => machine.run(...command), `statement ${n}`).toThrow(`fault at statement ${n}`)
        expect(dump(), `after a fault at statement ${n}`).toEqual(untouched)
        sql.failAt(Infinity)
        expect(machine.run(...command), `repeated after a fault at statement ${n}`).toEqual(answer)
        expect(dump(), `after the repeat`).toEqual(intended.dump())
      }
    })
  }
})
