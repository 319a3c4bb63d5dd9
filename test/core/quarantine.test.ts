import { describe, expect, it } from 'vitest'
import type { Command } from '../../src/core/partition/commands.ts'
import { NOW_MS, Partition, settleOf } from './open-partition.ts'

/** A group with leases, a delay, an open delivery, a dead letter and acked ones; another one beside it. */
function used() {
  const partition = new Partition()
  partition.append(20)
  for (const group of ['bad', 'good']) {
    partition.install(group, { leaseMs: 1_000, backoff: { baseMs: 500, factor: 1, maxMs: 500 } })
    const leases = partition.fetch(group, 12)
    partition.settle(group, 'ack', leases.slice(0, 2))
    partition.settle(group, 'nack', leases.slice(2, 4))
    partition.settle(group, 'release', leases.slice(5, 6))
    partition.settle(group, 'reject', leases.slice(8, 9))
  }
  return partition
}

const damages: Record<string, [statement: string, detail: RegExp]> = {
  'a run that ends before it begins': [
    'update timed set first = last + 1 where groupId = 1',
    /run from \d+ to \d+ cannot be/,
  ],
  'runs that overlap': ['update ready set first = first - 2 where groupId = 1', /available run from 4 to 6|leased run/],
  'a lease without a token': ["update timed set token = null where groupId = 1 and state = 'leased'", /leased run/],
  'a state that is none': [
    "update timed set state = 'lost' where groupId = 1 and state = 'delayed'",
    /lost run from 3 to 4/,
  ],
  'a due time that is none': ["update timed set dueMs = 'soon' where groupId = 1 and state = 'leased'", /leased run/],
  'a terminal state that is none': ["update done set state = 'gone' where groupId = 1", /gone run from 9 to 9/],
  'runs beyond the cursor': ['update groups set cursor = 5 where id = 1', /run from \d+ to \d+ cannot be/],
  'a cursor beyond the log': [
    'update groups set cursor = 99 where id = 1',
    /its cursor 99 is not within the log, which ends at 20/,
  ],
  'a cursor that is none': ["update groups set cursor = 'x' where id = 1", /its cursor x/],
  'attempts that are none': [
    'insert into tries (groupId, last, first, attempts) values (1, 2, 1, -1)',
    /attempts run from 1 to 2/,
  ],
  'options that cannot be read': [
    'update groups set options = \'{"maxAttempts":\' where id = 1',
    /its options cannot be read/,
  ],
  'options that are none': [
    'update groups set options = \'{"maxAttempts":0}\' where id = 1',
    /its options cannot be read/,
  ],
  'a dead letter without its text': [
    'delete from deadLetters where groupId = 1',
    /1 of its deliveries are rejected, and 0 dead letters/,
  ],
}

const commandsOf = (partition: Partition, group: string): Command[] => [
  partition.fetchOf(group, 1),
  settleOf(group, 'ack', [{ leaseId: `0.5.${'1'.padStart(22, '_')}` } as never]),
  { type: 'settleClaims', claims: { group, receipts: [], outcome: 'ack', reason: null, delayMs: null } },
  { type: 'lag', group },
  { type: 'holes', group, maxRanges: 10 },
  { type: 'groupInfo', group },
  { type: 'leases', group, consumerId: null, after: 0, limit: 10 },
  { type: 'releaseConsumer', group, consumerId: 'c' },
  { type: 'deadLetters', group, after: 0, limit: 10, maxBytes: 1_000 },
  { type: 'replay', replay: { group, selector: { kind: 'after', sequence: 0 }, resetAttempts: false, dryRun: false } },
  { type: 'redrive', group, eventIds: null, sequences: null },
]

const TABLES = ['groups', 'timed', 'ready', 'done', 'tries', 'deadLetters']

describe('a group whose rows cannot be is in quarantine', () => {
  for (const [name, [statement, detail]] of Object.entries(damages)) {
    it(`${name}: found on start, its calls answer failed, all else goes on`, () => {
      const partition = used()
      partition.sql.run(statement)
      partition.restart()
      const rows = () =>
        TABLES.map((table) =>
          partition.sql.all(`select * from ${table} where ${table === 'groups' ? 'id' : 'groupId'} = 1`),
        )
      const before = rows()
      for (const atMs of [NOW_MS, NOW_MS + 60_000]) {
        partition.nowMs = atMs
        for (const command of commandsOf(partition, 'bad')) {
          const answer = partition.answer(command)
          expect(answer, command.type).toMatchObject({ status: 'refused', failure: { code: 'failed' } })
          const { failure } = answer as { failure: { detail: string } }
          expect(failure.detail).toMatch(detail)
          expect(failure.detail).toContain('bad is in quarantine')
        }
        expect(partition.machine.hasWork('bad', atMs)).toBe(true)
        partition.run({ type: 'expire' })
        partition.append(1)
        expect(partition.run({ type: 'groupInfo', group: 'good' })).toMatchObject({ deadLetters: 1 })
      }
      expect(rows()).toEqual(before)
      expect(partition.fetch('good', 100)).toHaveLength(19)
      expect(partition.reports).toHaveLength(1)
      const { deliveries } = partition.run({ type: 'event', id: 'evt_u_0_1', sequence: 1, withGroups: true })!
      expect(deliveries.map(({ group }) => group)).toEqual(['good'])
    })
  }

  it('a reset, or deleting it and creating another one, ends the quarantine', () => {
    const partition = used()
    partition.sql.run('update timed set first = last + 1 where groupId in (1, 2)')
    partition.restart()
    partition.install('bad', {}, { revision: 2, epoch: 1 })
    expect(partition.fetch('bad', 100)).toHaveLength(20)
    partition.run({ type: 'removeGroup', group: 'good' })
    expect(partition.answer({ type: 'lag', group: 'good' })).toEqual({ status: 'moved' })
    partition.install('better')
    expect(partition.fetch('better', 100)).toHaveLength(20)
  })

  it('options that are sent anew end the quarantine of options that could not be read, and what was due happens', () => {
    const partition = used()
    partition.sql.run("update groups set options = '' where uid = 'bad'")
    partition.restart()
    partition.nowMs += 60_000
    partition.run({ type: 'expire' })
    partition.install('bad', {}, { revision: 2 })
    expect(partition.run({ type: 'groupInfo', group: 'bad' })).toMatchObject({ inFlight: 0, delayed: 0, available: 9 })
  })

  it('rows that are damaged under a running machine are found when a command meets a fault in them', () => {
    const partition = used()
    partition.run({ type: 'lag', group: 'bad' })
    partition.sql.run("update timed set state = 'lost' where groupId = 1 and state = 'delayed'")
    partition.nowMs += 60_000
    partition.run({ type: 'expire' })
    expect(partition.answer(partition.fetchOf('bad', 20))).toMatchObject({ failure: { code: 'failed' } })
    expect(partition.fetch('good', 100)).toHaveLength(17)
  })
})

describe('a damaged log passes no event over', () => {
  const spoilt: Record<string, [statement: string, detail: RegExp]> = {
    'a row that is gone': ['delete from batches where last = 20', /holds no event at sequence (11|20)/],
    'a row that has lost a line': [
      'update batches set lines = substr(lines, 1, 100) where last = 20',
      /sequences 11 to 20 cannot be read/,
    ],
    'a row that holds something else': [
      "update batches set lines = replace(lines, '{\"type\"', 'x') where last = 20",
      /sequences 11 to 20 cannot be read/,
    ],
  }
  for (const [name, [statement, detail]] of Object.entries(spoilt)) {
    it(`${name}: what needs it answers failed, the rest and later appends go on`, () => {
      const partition = new Partition()
      for (let batch = 0; batch < 3; batch++) partition.append(10)
      partition.install('g')
      partition.sql.run(statement)
      partition.restart()
      const everything = { conditions: [], fromMs: null, toMs: null, after: 0, until: null }
      const order = { by: 'sequence', descending: false } as const
      const query = {
        selection: everything,
        order,
        position: null,
        highWatermark: null,
        limit: 100,
        maxBytes: 1e6,
        maxLooked: 1e6,
      }
      const failing: Command[] = [
        partition.fetchOf('g', 15),
        { type: 'read', after: 0, limit: 15, maxBytes: 1e6 },
        { type: 'query', query },
        { type: 'query', query: { ...query, order: { by: 'sequence', descending: true } } },
      ]
      for (const command of failing) {
        const answer = partition.answer(command)
        expect(answer, command.type).toMatchObject({ status: 'refused', failure: { code: 'failed' } })
        expect((answer as { failure: { detail: string } }).failure.detail).toMatch(detail)
      }
      expect(partition.run({ type: 'groupInfo', group: 'g' })).toMatchObject({ inFlight: 0 })
      expect(partition.fetch('g', 10).map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
      partition.append(1)
      expect(partition.run({ type: 'read', after: 20, limit: 100, maxBytes: 1e6 })).toMatchObject({ count: 11 })
    })
  }
})
