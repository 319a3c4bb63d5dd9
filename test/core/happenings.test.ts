import { describe, expect, test } from 'vitest'
import { Partition } from './open-partition.ts'

const lease = { leaseMs: 1_000, maxAttempts: 2 }

/** A partition with ten events and a group that has taken all of them. */
function started(options = lease) {
  const partition = new Partition()
  partition.install('g', options)
  partition.append(10)
  const leases = partition.fetch('g', 10)
  partition.machine.takeHappenings()
  return { partition, leases }
}

describe('what happens to a group', () => {
  test('the frontier is told when it moves, from where to where, once for what was taken together', () => {
    const { partition, leases } = started()
    partition.settle('g', 'ack', leases.slice(1, 4))
    expect(partition.machine.takeHappenings()).toEqual([])
    partition.settle('g', 'ack', leases.slice(0, 1))
    partition.settle('g', 'ack', leases.slice(4, 5))
    expect(partition.machine.takeHappenings()).toEqual([{ event: 'frontier', group: 'g', from: 0, to: 5 }])
    expect(partition.machine.takeHappenings()).toEqual([])
  })

  test('a frontier that goes back with a replay or a reset is told', () => {
    const { partition, leases } = started()
    partition.settle('g', 'ack', leases)
    partition.machine.takeHappenings()
    const replay = {
      group: 'g',
      selector: { kind: 'after', sequence: 3 },
      resetAttempts: false,
      dryRun: false,
    } as const
    partition.run({ type: 'replay', replay: { ...replay, dryRun: true } })
    expect(partition.machine.takeHappenings()).toEqual([])
    partition.run({ type: 'replay', replay })
    expect(partition.machine.takeHappenings()).toEqual([{ event: 'frontier', group: 'g', from: 10, to: 3 }])
    partition.install('g', lease, { revision: 2, epoch: 1 })
    expect(partition.machine.takeHappenings()).toEqual([{ event: 'frontier', group: 'g', from: 3, to: 0 }])
  })

  test('deliveries that go out again are counted, first ones are not', () => {
    const { partition, leases } = started()
    partition.settle('g', 'nack', leases.slice(0, 3))
    partition.append(2)
    partition.fetch('g', 5)
    expect(partition.machine.takeHappenings()).toEqual([{ event: 'redelivery', group: 'g', count: 3 }])
  })

  test('a released delivery that goes out again with its attempt refunded is no redelivery', () => {
    const { partition, leases } = started()
    partition.settle('g', 'release', leases.slice(0, 1))
    partition.fetch('g', 1)
    expect(partition.machine.takeHappenings()).toEqual([])
  })

  test('dead letters are counted by cause, those of an expiry that nobody called for as well', () => {
    const { partition, leases } = started({ ...lease, maxAttempts: 1 })
    partition.settle('g', 'reject', leases.slice(8))
    partition.settle('g', 'nack', leases.slice(7, 8))
    partition.nowMs += 1_000
    partition.run({ type: 'expire' })
    expect(partition.machine.takeHappenings()).toEqual([
      { event: 'dead_letter', group: 'g', count: 2, cause: 'rejected' },
      { event: 'dead_letter', group: 'g', count: 1, cause: 'max_attempts' },
      { event: 'dead_letter', group: 'g', count: 7, cause: 'lease_expired' },
      { event: 'frontier', group: 'g', from: 0, to: 10 },
    ])
  })

  test('nothing is told of what a fault has undone', () => {
    let isBroken = false
    const partition = new Partition((store) => ({
      ...store,
      deadLetters: {
        ...store.deadLetters,
        add(group, letters) {
          if (isBroken) throw new Error('the disk is full')
          store.deadLetters.add(group, letters)
        },
      },
    }))
    partition.install('g', lease)
    partition.append(1)
    const leases = partition.fetch('g', 1)
    isBroken = true
    expect(() => partition.settle('g', 'reject', leases)).toThrow('the disk is full')
    expect(partition.machine.takeHappenings()).toEqual([])
  })
})
