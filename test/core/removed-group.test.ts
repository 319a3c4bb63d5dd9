import { describe, expect, it } from 'vitest'
import { Partition } from './open-partition.ts'

describe('S8.16 a group that is gone', () => {
  it('does not come back by an install that was long on its way', () => {
    const partition = new Partition()
    partition.append(3)
    partition.install('g')
    partition.fetch('g', 1)
    partition.run({ type: 'removeGroup', group: 'g' })
    partition.install('g')
    expect(partition.answer({ type: 'lag', group: 'g' })).toEqual({ status: 'moved' })
    partition.restart()
    partition.install('g', {}, { revision: 9, epoch: 9 })
    expect(partition.answer(partition.fetchOf('g', 1))).toEqual({ status: 'moved' })
  })

  it('does not come by an install that the removal has overtaken', () => {
    const partition = new Partition()
    partition.run({ type: 'removeGroup', group: 'g' })
    partition.install('g')
    expect(partition.answer({ type: 'lag', group: 'g' })).toEqual({ status: 'moved' })
  })

  it('is not among the groups of an event, and leaves nothing to what is created after it', () => {
    const partition = new Partition()
    partition.append(3)
    partition.install('g', { leaseMs: 100 })
    partition.fetch('g', 3)
    partition.run({ type: 'removeGroup', group: 'g' })
    partition.install('h', { leaseMs: 5_000 })
    const leases = partition.fetch('h', 3)
    partition.nowMs += 100
    partition.run({ type: 'expire' })
    expect(partition.settle('h', 'ack', leases)).toEqual([true, true, true])
    const found = partition.run({ type: 'event', id: 'evt_u_0_1', sequence: 1, withGroups: true })
    expect(found!.deliveries.map(({ group }) => group)).toEqual(['h'])
  })

  it('is remembered among the last thousand, which is as many as a partition keeps', () => {
    const partition = new Partition()
    for (let number = 0; number < 1_500; number++) partition.run({ type: 'removeGroup', group: `g${number}` })
    partition.install('g1499')
    expect(partition.answer({ type: 'lag', group: 'g1499' })).toEqual({ status: 'moved' })
    expect(partition.sql.all<{ count: number }>('select count(*) as count from groups')[0]!.count).toBeLessThan(1_010)
  })
})

describe('S2.7 an idempotency key', () => {
  it('is remembered over an eviction when the clocks of Worker and partition are an hour apart', () => {
    for (const apartMs of [-3_600_000, 3_600_000]) {
      const partition = new Partition()
      const idempotency = { key: 'k', fingerprint: 'f' }
      partition.append(1, { idempotency, atMs: partition.nowMs + apartMs })
      partition.restart()
      partition.nowMs += 500_000
      partition.append(1, { idempotency, atMs: partition.nowMs + apartMs })
      expect(partition.run({ type: 'status' })).toMatchObject({ highWatermark: 1 })
    }
  })
})
