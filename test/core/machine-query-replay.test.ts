import { expect, it } from 'vitest'
import { parseConditions } from '../../src/core/query/condition.ts'
import { LargeLog } from './large-log.ts'

const EVENTS = 100_000

it('S5.2 a query replay of every third of 100 000 events, consumed to lag 0, is correct and leaves fetch as cheap', () => {
  const log = new LargeLog()
  log.append(EVENTS, (n) => ({ type: n % 3 === 0 ? 'third' : 'other', payload: { n } }))
  log.group()
  const before = log.spent(() => log.consume()).spent
  log.drain()
  expect(log.run({ type: 'lag', group: 'g' })).toEqual({ frontier: EVENTS, highWatermark: EVENTS, lag: 0 })

  const conditions = parseConditions({ type: 'third' })
  if (!conditions.ok) throw new Error(conditions.failure.detail)
  const selection = { conditions: conditions.value, fromMs: null, toMs: null, after: 0, until: null }
  const thirds = Array.from({ length: Math.floor(EVENTS / 3) }, (_, index) => 3 * (index + 1))
  const replayed = log.run({
    type: 'replay',
    replay: { group: 'g', selector: { kind: 'matches', selection, limit: null }, resetAttempts: false, dryRun: false },
  })
  expect(replayed).toMatchObject({ reopened: thirds.length, frontier: 2, lag: EVENTS - 2 })
  expect(log.run({ type: 'groupInfo', group: 'g' })).toMatchObject({ available: thirds.length, inFlight: 0 })

  const again: { sequence: number; attempt: number }[] = []
  for (let given = log.consume(); given.length > 0; given = log.consume()) again.push(...given)
  expect(again.map(({ sequence }) => sequence)).toEqual(thirds)
  expect(again.every(({ attempt }) => attempt === 2)).toBe(true)
  expect(log.run({ type: 'lag', group: 'g' })).toEqual({ frontier: EVENTS, highWatermark: EVENTS, lag: 0 })
  expect(log.run({ type: 'holes', group: 'g', maxRanges: 10 })).toMatchObject({ blockedBy: null, holes: [] })

  log.append(1_000, (n) => ({ type: 'new', payload: { n } }))
  const { value, spent } = log.spent(() => log.consume())
  expect(value.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 1_000 }, (_, index) => EVENTS + index + 1))
  expect(spent.rowsRead).toBeLessThanOrEqual(before.rowsRead + 10)
  expect(spent.rowsWritten).toBeLessThanOrEqual(before.rowsWritten + 5)

  // What is known of each attempt has not been lost on the way.
  expect(
    log.run({
      type: 'replay',
      replay: { group: 'g', selector: { kind: 'after', sequence: 0 }, resetAttempts: false, dryRun: false },
    }),
  ).toMatchObject({
    reopened: EVENTS + 1_000,
  })
  expect(log.consume().slice(0, 6)).toMatchObject(
    [1, 2, 3, 4, 5, 6].map((sequence) => ({ sequence, attempt: sequence % 3 === 0 ? 3 : 2 })),
  )
})
