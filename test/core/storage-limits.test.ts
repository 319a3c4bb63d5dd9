import { describe, expect, it } from 'vitest'
import { limits, partitionBytes } from '../../src/core/limits.ts'
import { appendOf, Partition, settleOf } from './open-partition.ts'

describe('a full partition', () => {
  it('answers partition_full for what would be written, and everything else goes on', () => {
    const partition = new Partition()
    partition.append(5, { ids: [[0, 'a']], idempotency: { key: 'k', fingerprint: 'f' } })
    partition.install('g')
    const full = { status: 'refused', failure: { code: 'partition_full', partition: 0 } }
    expect(partition.answer(appendOf(1), 0)).toMatchObject(full)
    expect(partition.answer(appendOf(1), -1_000)).toMatchObject(full)
    // A repeat writes nothing, so there is room for it.
    expect(partition.answer(appendOf(1, { ids: [[0, 'a']] }), 0)).toMatchObject({ status: 'done' })
    const repeat = appendOf(5, { ids: [[0, 'a']], idempotency: { key: 'k', fingerprint: 'f' } })
    expect(partition.answer(repeat, 0)).toMatchObject({ status: 'done', value: { first: 1 } })
    expect(partition.settle('g', 'ack', partition.fetch('g', 5))).toEqual([true, true, true, true, true])
    expect(partition.run({ type: 'lag', group: 'g' })).toEqual({ frontier: 5, highWatermark: 5, lag: 0 })
  })

  it('S2.4 takes a request whole or not at all, and of several as many as there is room for', () => {
    const partition = new Partition()
    const one = appendOf(1).append
    const room = one.lines.length * 3
    expect(partition.answer(appendOf(4), room)).toMatchObject({ failure: { code: 'partition_full' } })
    const answers = partition.machine.append([appendOf(2).append, appendOf(2).append, one], partition.nowMs, room)
    expect(answers.map(({ status }) => status)).toEqual(['done', 'refused', 'done'])
    expect(partition.run({ type: 'status' })).toMatchObject({ highWatermark: 3 })
  })

  it('is full at the size of RHEO_PARTITION_MAX_BYTES, which stays below the platform’s 10 GB unless it is set', () => {
    expect(partitionBytes('1000000')).toBe(1_000_000)
    for (const none of [undefined, '', '0', '-1', '1e9', '10 GB', '1'.repeat(20)]) {
      expect(partitionBytes(none)).toBe(limits.partitionBytes)
    }
    expect(limits.partitionBytes).toBeLessThan(10_000_000_000)
  })
})

describe('a group with as many open runs as it may have', () => {
  it('gets no new events before some are settled: in_flight_limit, and holes name the first', {
    timeout: 120_000,
  }, () => {
    const partition = new Partition()
    partition.install('g', { leaseMs: 3_600_000 })
    partition.install('other')
    // Every second of the leased ones acked: each of the others is a run of its own.
    for (let batch = 0; batch < 2 * (limits.openRuns / 1_000); batch++) {
      partition.append(1_000)
      const leases = partition.fetch('g', 1_000)
      expect(leases).toHaveLength(1_000)
      partition.settle(
        'g',
        'ack',
        leases.filter(({ sequence }) => sequence % 2 === 0),
      )
    }
    partition.append(10)
    expect(partition.run(partition.fetchOf('g', 10))).toMatchObject({ count: 0, reason: 'in_flight_limit' })
    expect(partition.machine.hasWork('g', partition.nowMs)).toBe(false)
    const { blockedBy } = partition.run({ type: 'holes', group: 'g', maxRanges: 1 })
    expect(blockedBy).toMatchObject({ sequence: 1, state: 'leased' })
    expect(partition.fetch('other', 1_000)).toHaveLength(1_000)

    // The same after a start, when they are counted anew; what is open again is still given.
    partition.restart()
    expect(partition.run(partition.fetchOf('g', 10))).toMatchObject({ count: 0, reason: 'in_flight_limit' })
    const token = '1'.padStart(22, '_')
    const leases = [1, 3].map((sequence) => ({ leaseId: `0.${sequence}.${token}` }) as never)
    partition.run(settleOf('g', 'release', leases.slice(0, 1)))
    expect(partition.fetch('g', 10).map(({ sequence }) => sequence)).toEqual([1])
    partition.run(settleOf('g', 'ack', leases.slice(1)))
    expect(partition.fetch('g', 10)).toHaveLength(10)
  })
})
