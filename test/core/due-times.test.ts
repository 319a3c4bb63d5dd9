import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DueTimes } from '../../src/core/partition/due-times.ts'
import { NOW_MS, Partition } from './open-partition.ts'

describe('due times', () => {
  it('come out earliest first, whatever the order in which they came', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 200 }), (times) => {
        const due = new DueTimes()
        for (const dueMs of times) due.push({ group: 1, first: 1, last: 1, dueMs })
        const out = times.map(() => {
          const first = due.first
          expect(due.pop()).toBe(first)
          return first?.dueMs
        })
        expect(out).toEqual(times.toSorted((a, b) => a - b))
        expect(due.pop()).toBeUndefined()
      }),
    )
  })
})

/** A partition that counts how often all leases and delays are looked through. */
function counting() {
  const counts = { looks: 0 }
  const partition = new Partition((store) => {
    const times: typeof store.timed.times = () => {
      counts.looks += 1
      return store.timed.times()
    }
    return { ...store, timed: { ...store.timed, times } }
  })
  return { partition, counts }
}

describe('S4.3 one alarm for many leases', () => {
  it('1 000 leases in 20 groups with different expiries end each at its own time', () => {
    const { partition } = counting()
    partition.append(50)
    const expected: [group: string, sequence: number, atMs: number][] = []
    for (let number = 0; number < 20; number++) {
      const group = `g${number}`
      partition.install(group, { maxAttempts: 1 })
      for (let sequence = 1; sequence <= 50; sequence++) {
        // Different for all of them, and in no order.
        const leaseMs = 10 + (((number * 50 + sequence) * 617) % 10_007)
        partition.fetch(group, 1, leaseMs)
        expected.push([group, sequence, NOW_MS + leaseMs])
      }
    }
    let alarms = 0
    for (;;) {
      const dueMs = partition.machine.nextDueMs()
      if (dueMs === null) break
      expect(dueMs).toBeGreaterThan(partition.nowMs)
      partition.nowMs = dueMs
      partition.run({ type: 'expire' })
      alarms += 1
    }
    expect(alarms).toBe(1_000)
    const letters = Array.from({ length: 20 }, (_, number) => `g${number}`).flatMap((group) => {
      const command = { type: 'deadLetters', group, after: 0, limit: 100, maxBytes: 1e6 } as const
      const { deadLetters } = partition.run(command)
      return deadLetters.map(({ sequence, deadLetteredAtMs }) => [group, sequence, deadLetteredAtMs])
    })
    expect(letters).toEqual(expected)
  })

  it('20 000 leases that end one by one are looked through once, not with every command', () => {
    const { partition, counts } = counting()
    for (let batch = 0; batch < 20; batch++) partition.append(1_000)
    partition.install('g')
    for (let batch = 0; batch < 20_000; batch++) partition.fetch('g', 1, 100_000 + batch)
    partition.restart()
    counts.looks = 0
    for (let number = 1; number <= 300; number++) {
      partition.nowMs = NOW_MS + 100_000 + number - 1
      if (number % 2 === 0) partition.run({ type: 'expire' })
      expect(partition.run({ type: 'groupInfo', group: 'g' })).toMatchObject({ available: number })
    }
    expect(counts.looks).toBe(1)
  })

  it('what settled leases leave behind is forgotten in time, and an alarm that it set finds nothing', () => {
    const { partition, counts } = counting()
    for (let batch = 0; batch < 10; batch++) partition.append(1_000)
    partition.install('g')
    for (let number = 0; number < 10_000; number++)
      partition.settle('g', 'ack', partition.fetch('g', 1, 1_000 + number))
    expect(counts.looks).toBeLessThan(5)
    partition.append(1)
    partition.fetch('g', 1, 60_000)
    partition.nowMs += 500
    partition.run({ type: 'expire' })
    expect(partition.machine.nextDueMs()).toBe(NOW_MS + 60_000)
  })
})

describe('a failing group never stops the others', () => {
  /** A partition in which the expiry of one group meets a fault as long as `fails` says so. */
  function failing(group: string) {
    const state = { fails: true }
    const partition = new Partition((store) => {
      const write: typeof store.ready.write = (id, difference) => {
        if (state.fails && store.groups.byId(id)?.uid === group) throw new Error('disk fault')
        store.ready.write(id, difference)
      }
      return { ...store, ready: { ...store.ready, write } }
    })
    partition.append(3)
    for (const name of ['good', group, 'other']) {
      partition.install(name)
      partition.fetch(name, 3, 100)
    }
    partition.nowMs += 100
    return { partition, state }
  }

  it('an expiry that fails is told by the alarm, and has happened in every other group', () => {
    const { partition } = failing('bad')
    expect(() => partition.run({ type: 'expire' })).toThrow('disk fault')
    for (const group of ['good', 'other']) {
      expect(partition.run({ type: 'groupInfo', group })).toMatchObject({ available: 3, inFlight: 0 })
    }
    expect(partition.reports).toContain('the expiry of group 2 fails')
  })

  it('calls of other groups and appends go on, its own calls fail, and it catches up when the fault is gone', () => {
    const { partition, state } = failing('bad')
    partition.append(2)
    expect(partition.fetch('good', 10)).toHaveLength(5)
    expect(() => partition.answer({ type: 'lag', group: 'bad' })).toThrow('disk fault')
    expect(partition.machine.hasWork('bad', partition.nowMs)).toBe(true)
    // What comes next in other groups is not held up by what has failed.
    partition.fetch('other', 1, 5_000)
    expect(partition.machine.nextDueMs()).toBeLessThanOrEqual(partition.nowMs)
    expect(partition.machine.nextDueMs(partition.nowMs)).toBe(partition.nowMs + 5_000)
    state.fails = false
    expect(partition.run({ type: 'groupInfo', group: 'bad' })).toMatchObject({ available: 3, inFlight: 0 })
  })
})

describe('S9.1 time never goes back', () => {
  const leasedAtOf = (partition: Partition) => Date.parse(partition.fetch('g', 1, 1_000)[0]!.leasedAt)

  function leasedLater() {
    const partition = new Partition()
    partition.append(5)
    partition.install('g')
    partition.nowMs += 60_000
    partition.fetch('g', 1, 30_000)
    partition.restart()
    partition.nowMs = NOW_MS
    return partition
  }

  it('over an eviction it begins at the youngest lease that is held', () => {
    const partition = leasedLater()
    expect(leasedAtOf(partition)).toBe(NOW_MS + 60_000)
    expect(partition.run({ type: 'leases', group: 'g', consumerId: null, after: 0, limit: 5 }).leases).toHaveLength(2)
  })

  it('and at the youngest renewal', () => {
    const partition = leasedLater()
    partition.nowMs = NOW_MS + 80_000
    partition.settle('g', 'renew', [{ leaseId: `0.1.${'1'.padStart(22, '_')}` } as never])
    partition.restart()
    partition.nowMs = NOW_MS
    expect(leasedAtOf(partition)).toBe(NOW_MS + 80_000)
  })

  it('S9.2 but not where those times may be of a caller’s clock', () => {
    const partition = leasedLater()
    partition.restart({ trustsStoredTimes: false })
    expect(leasedAtOf(partition)).toBe(NOW_MS)
  })
})
