import { beforeAll, describe, expect, it } from 'vitest'
import { LargeLog } from './large-log.ts'

const EVENTS = 1_000_000
const log = new LargeLog()
let appended: { rowsWritten: number }

/** A value that one event alone has: a multiplication that hits each 32-bit number once. */
const orderAt = (n: number): string => (Math.imul(n, 0x9e3779b1) >>> 0).toString(16)

beforeAll(() => {
  const eventAt = (n: number) => ({
    type: `type ${n % 20}`,
    payload: { order: orderAt(n), amount: n % 1_000 },
    metadata: { correlation_id: `c${n}` },
  })
  appended = log.spent(() => log.append(EVENTS, eventAt)).spent
  log.group()
  log.drain()
}, 120_000)

describe('a million events', () => {
  it('what search needs costs at most 0.01 rows for each of them', () => {
    const [rows] = log.sql.all<{ segments: number; batches: number }>(
      'select (select count(*) from segments) as segments, (select count(*) from batches) as batches',
    )
    expect(rows!.segments / EVENTS).toBeLessThanOrEqual(0.01)
    expect(appended.rowsWritten).toBe(rows!.segments + rows!.batches)
  })

  it('a value that occurs once is found in a few hundred rows', () => {
    for (const n of [1, 2, 499_999, 777_777, EVENTS - 1, EVENTS]) {
      for (const where of [
        { order: orderAt(n) },
        { correlation_id: `c${n}` },
        { 'payload.order': { in: [orderAt(n), 0] } },
      ]) {
        const { value, spent } = log.spent(() => log.find(where))
        expect(value, JSON.stringify(where)).toEqual([n])
        expect(spent.rowsRead, JSON.stringify(where)).toBeLessThanOrEqual(500)
      }
    }
  })

  it('an absent value is known to be absent in a few hundred rows', () => {
    const absent = [
      { order: 'none' },
      { order: 5 },
      { correlation_id: 'c0' },
      { type: 'type 20' },
      { nothing: true },
      { key: 'k' },
    ]
    for (const where of absent) {
      const { value, spent } = log.spent(() => log.find(where))
      expect(value, JSON.stringify(where)).toEqual([])
      expect(spent.rowsRead, JSON.stringify(where)).toBeLessThanOrEqual(500)
    }
  })

  it('absent values make it look in vain at about one segment of a hundred', () => {
    const { spent } = log.spent(() => {
      for (let n = 1; n <= 20; n++) expect(log.find({ order: `absent ${n}` })).toEqual([])
    })
    expect(spent.rowsRead / 20).toBeLessThanOrEqual(400)
  })
})

describe('S5.6 replay of a million acked events', () => {
  const replay = (sequence: number, options = {}) =>
    log.run({
      type: 'replay',
      replay: { group: 'g', selector: { kind: 'after', sequence }, resetAttempts: false, dryRun: false, ...options },
    })

  it('costs what it costs for ten: at most 10 rows written and 100 read', () => {
    expect(log.run({ type: 'lag', group: 'g' })).toEqual({ frontier: EVENTS, highWatermark: EVENTS, lag: 0 })
    const few = log.spent(() => replay(EVENTS - 10))
    expect(few.value).toMatchObject({ reopened: 10, frontier: EVENTS - 10, lag: 10 })
    expect(log.consume()).toHaveLength(10)
    for (const options of [{ dryRun: true }, {}, { resetAttempts: true }]) {
      const { value, spent } = log.spent(() => replay(0, options))
      expect(value).toMatchObject({ reopened: EVENTS, frontier: 0, lag: EVENTS })
      expect(spent.rowsWritten).toBeLessThanOrEqual(10)
      expect(spent.rowsRead).toBeLessThanOrEqual(100)
    }
  })

  it('and what is open then is delivered in order, a fetch as cheap as on new events', () => {
    for (let first = 1; first < 10_000; first += 1_000) {
      const { value, spent } = log.spent(() => log.consume())
      expect(value.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 1_000 }, (_, index) => first + index))
      expect(value.every(({ attempt }) => attempt === 1)).toBe(true)
      expect(spent.rowsWritten).toBeLessThanOrEqual(20)
      expect(spent.rowsRead).toBeLessThanOrEqual(60)
    }
    expect(log.run({ type: 'lag', group: 'g' })).toEqual({
      frontier: 10_000,
      highWatermark: EVENTS,
      lag: EVENTS - 10_000,
    })
  })
})
