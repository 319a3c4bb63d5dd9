import { describe, expect, it } from 'vitest'
import { defaultGroupOptions } from '../../src/core/group.ts'
import { limits, partitionBytes } from '../../src/core/limits.ts'
import type { Answer, Command, CommandName, CommandOut, SettleItem } from '../../src/core/partition/commands.ts'
import { PartitionMachine } from '../../src/core/partition/machine.ts'
import { openPartitionStore } from '../../src/storage/partition.ts'
import { openNodeSql } from '../../src/storage/sql-node.ts'
import { appendOf, NOW_MS } from './open-partition.ts'

const ADDRESS = { tenant: 't', stream: 's', uid: 'u', partition: 0 }

function open() {
  const machine = new PartitionMachine(openPartitionStore(openNodeSql(':memory:')), ADDRESS)
  const run = <N extends CommandName>(command: Command<N>): CommandOut<N> => outOf(machine.run(command, NOW_MS))
  const append = (count: number, freeBytes?: number) => machine.run(appendOf(count), NOW_MS, freeBytes)
  const install = { uid: 'g', name: 'g', revision: 1, options: defaultGroupOptions, start: 0, epoch: 0 }
  run({ type: 'installGroup', install })
  let tokens = 0
  const fetch = (limit: number) => {
    const token = `${++tokens}`.padStart(22, '_')
    const fetch = { group: 'g', limit, leaseMs: null, consumerId: null, token, maxBytes: 8_388_608 }
    const { leases, reason } = run({ type: 'fetch', fetch })
    return { leases: JSON.parse(`[${leases}]`) as { leaseId: string; sequence: number }[], reason }
  }
  const settle = (outcome: 'ack' | 'nack', leases: readonly { leaseId: string }[]) => {
    const items = leases.map(
      ({ leaseId }): SettleItem => ({
        leaseId,
        receipt: null,
        outcome,
        reason: null,
        delayMs: outcome === 'nack' ? 60_000 : null,
        leaseMs: null,
      }),
    )
    return run({ type: 'settle', group: 'g', items })
  }
  return { run, append, fetch, settle }
}

function outOf<T>(answer: Answer<T>): T {
  if (answer.status !== 'done') throw new Error(JSON.stringify(answer))
  return answer.value
}

const isEven = ({ sequence }: { sequence: number }): boolean => sequence % 2 === 0

describe('API Limits: open runs of a group', () => {
  it('are 100 000; then there are no new events until some are settled, and what blocks is named', () => {
    const { run, append, fetch, settle } = open()
    for (let left = limits.openRuns + 2_000; left > 0; left -= 1_000) outOf(append(1_000))
    // Every second lease is put off: a thousand leases become a thousand runs of one delivery.
    for (let runs = 1_000; runs < limits.openRuns; runs += 1_000) settle('nack', fetch(1_000).leases.filter(isEven))
    // One claim is one run, and splitting it leaves the group one run below its bound.
    const { leases } = fetch(1_000)
    settle('nack', leases.filter(isEven).slice(0, -1))
    const { leases: within } = fetch(3)
    expect(within).toHaveLength(3)
    // Their claim is the last run there may be.
    expect(fetch(10)).toEqual({ leases: [], reason: expect.any(String) })
    expect(run({ type: 'holes', group: 'g', maxRanges: 1 }).blockedBy).toMatchObject({ sequence: 1, state: 'leased' })
    expect(append(1)).toMatchObject({ status: 'done' })
    settle('ack', within)
    expect(fetch(1).leases).toHaveLength(1)
    expect(fetch(10).leases).toEqual([])
    settle('ack', leases)
    expect(fetch(10).leases).toHaveLength(10)
  })
})

describe('API Limits: the size of a partition', () => {
  it('is that of the table, or what a deployment says', () => {
    expect(partitionBytes(undefined)).toBe(limits.partitionBytes)
    expect(partitionBytes('1000000')).toBe(1_000_000)
  })

  it('takes an append that just fits, and answers partition_full for a byte more', () => {
    const fits = (freeBytes: number): boolean => open().append(10, freeBytes).status === 'done'
    let least = 0
    for (let step = 65_536; step >= 1; step /= 2) if (!fits(least + step)) least += step
    least += 1
    expect(least).toBeGreaterThan(10 * 2)
    expect([fits(least - 1), fits(least), fits(least + 1)]).toEqual([false, true, true])
  })

  it('bounds appends alone: what is there is fetched, settled and read as ever', () => {
    const { run, append, fetch, settle } = open()
    outOf(append(3))
    const full = { status: 'refused', failure: { code: 'partition_full', partition: 0 } }
    for (const freeBytes of [0, -1, -1_000_000]) expect(append(1, freeBytes)).toMatchObject(full)
    const { leases } = fetch(3)
    expect(settle('ack', leases).results.every(({ ok }) => ok)).toBe(true)
    expect(run({ type: 'read', after: 0, limit: 10, maxBytes: 1_000_000 })).toMatchObject({
      count: 3,
      highWatermark: 3,
    })
    expect(run({ type: 'lag', group: 'g' })).toMatchObject({ frontier: 3, lag: 0 })
  })
})

describe('API Limits: idempotency keys of a partition', () => {
  it('then a new one is overloaded, a repeat and an append without one are not, until some are old', () => {
    const machine = new PartitionMachine(openPartitionStore(openNodeSql(':memory:')), ADDRESS, { idempotencyKeys: 2 })
    const append = (keys: readonly (string | null)[], nowMs: number) =>
      machine
        .append(
          keys.map((key) => appendOf(1, { idempotency: key === null ? null : { key, fingerprint: '' } }).append),
          nowMs,
        )
        .map((answer) => (answer.status === 'refused' ? answer.failure.code : answer.status))
    expect(append(['a'], NOW_MS)).toEqual(['done'])
    expect(append(['b', 'c', 'a', 'b', null], NOW_MS)).toEqual(['done', 'overloaded', 'done', 'done', 'done'])
    expect(append(['c'], NOW_MS + limits.idempotencyMs)).toEqual(['overloaded'])
    expect(append(['c'], NOW_MS + 1.5 * limits.idempotencyMs)).toEqual(['done'])
  })
})
