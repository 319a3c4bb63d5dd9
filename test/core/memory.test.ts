import { randomUUID } from 'node:crypto'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { limits } from '../../src/core/limits.ts'
import { KeyMemory } from '../../src/core/partition/key-memory.ts'
import type { LogStore } from '../../src/core/partition/store.ts'
import { LargeLog } from './large-log.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Bytes of the heap that work leaves behind. SQLite's own are outside of it, here as on the platform. */
function held(work: () => void): number {
  const used = () => {
    collect()
    return getHeapStatistics().used_heap_size
  }
  const before = used()
  work()
  return used() - before
}

const eventAt = (n: number) => ({ type: `type ${n % 20}`, payload: { order: `order ${n}`, amount: n % 1_000 } })

describe('what a partition holds in memory', () => {
  it('does not grow with the log: less than 2 MB for 200 000 events, consumed and replayed', () => {
    const log = new LargeLog()
    log.append(20_000, eventAt)
    log.group()
    log.drain()
    const bytes = held(() => {
      log.append(200_000, eventAt)
      log.drain()
      const selector = { kind: 'after', sequence: 0 } as const
      log.run({ type: 'replay', replay: { group: 'g', selector, resetAttempts: false, dryRun: false } })
      log.find({ amount: 7, type: 'none' })
    })
    expect(bytes).toBeLessThan(2_000_000)
  })

  it('does not hold a long event that was read', () => {
    const log = new LargeLog()
    log.append(20, () => ({ payload: { text: '\u{1F30A}'.repeat(200_000) } }))
    log.group()
    expect(held(() => log.drain())).toBeLessThan(300_000)
  })

  it('grows with leases that lie apart: at most 200 bytes for each', () => {
    const runs = 10_000
    const log = new LargeLog()
    log.append(2 * runs, eventAt)
    log.group()
    const bytes = held(() => leaseEverySecond(log, runs))
    expect(log.run({ type: 'groupInfo', group: 'g' }).inFlight).toBe(runs)
    expect(bytes / runs).toBeLessThan(200)
  })

  it('S2.7 grows with the idempotency keys of ten minutes: at most 64 bytes for each, and none is left after them', () => {
    const keys = 100_000
    const log = { *keysBackwards() {}, keysAt: () => [] } as unknown as LogStore
    const memory = new KeyMemory(limits.idempotencyKeys)
    // A text in one piece, as one that came over the network.
    const newKey = () => JSON.parse(JSON.stringify(randomUUID())) as string
    const add = (first: number, atMs: number) => memory.add(log, { key: newKey(), fingerprint: '', first, atMs })
    const grown = held(() => {
      for (let n = 0; n < keys; n++) add(n, 600_000 + n)
    })
    expect(grown / keys).toBeLessThan(64)
    const left = held(() => {
      for (let minute = 1; minute < 30; minute++) add(keys + minute, 700_000 + 60_000 * minute)
    })
    expect(left).toBeLessThan(-0.9 * grown)
  })
})

/** Leases everything and acks every second delivery. */
function leaseEverySecond(log: LargeLog, runs: number): void {
  for (let made = 0; made < runs; made += 500) {
    const token = `${made}`.padStart(22, '_')
    const fetch = { group: 'g', limit: 1_000, leaseMs: 3_600_000, consumerId: null, token, maxBytes: 8_388_608 }
    const leases = JSON.parse(`[${log.run({ type: 'fetch', fetch }).leases}]`) as { leaseId: string }[]
    const none = { receipt: null, reason: null, delayMs: null, leaseMs: null }
    const items = leases
      .filter((_, index) => index % 2 === 0)
      .map(({ leaseId }) => ({ leaseId, outcome: 'ack' as const, ...none }))
    log.run({ type: 'settle', group: 'g', items })
  }
}
