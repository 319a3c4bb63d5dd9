import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { PartitionHoles } from '../../src/client/index.ts'
import { piecesOf, type Run, runsOf, windowOf } from '../../src/dashboard/group/strip.ts'

const holesOf = (parts: Partial<PartitionHoles>): PartitionHoles => ({
  frontier: 0,
  highWatermark: 0,
  blockedBy: null,
  holes: [],
  more: false,
  ...parts,
})

const short = (runs: readonly Run[]): string[] => runs.map(({ first, last, look }) => `${first}-${last} ${look}`)

describe('runs', () => {
  test('are settled wherever there is no hole', () => {
    const holes = holesOf({
      frontier: 1,
      highWatermark: 10,
      holes: [
        { first: 2, last: 2, state: 'leased', attempt: 1 },
        { first: 5, last: 6, state: 'delayed', attempt: 2 },
        { first: 7, last: 7, state: 'available', attempt: 2 },
        { first: 9, last: 10, state: 'undelivered', attempt: 0 },
      ],
    })
    expect(short(runsOf(holes))).toEqual([
      '1-1 settled',
      '2-2 leased',
      '3-4 settled',
      '5-6 delayed',
      '7-7 available',
      '8-8 settled',
      '9-10 undelivered',
    ])
  })

  test('of an empty partition are none', () => {
    expect(runsOf(holesOf({}))).toEqual([])
  })

  test('beyond the listed holes are unknown', () => {
    const holes = holesOf({ highWatermark: 9, holes: [{ first: 1, last: 2, state: 'leased', attempt: 1 }], more: true })
    expect(short(runsOf(holes))).toEqual(['1-2 leased', '3-9 unknown'])
  })

  test('follow each other without a gap, from 1 to the high watermark, whatever the holes', () => {
    fc.assert(
      fc.property(
        fc.nat(20),
        fc.array(fc.tuple(fc.nat(5), fc.integer({ min: 1, max: 5 }))),
        fc.nat(9),
        (frontier, gaps, rest) => {
          let next = frontier + 1
          const holes = gaps.map(([gap, length]) => {
            const first = next + gap
            next = first + length
            return { first, last: next - 1, state: 'leased' as const, attempt: 1 }
          })
          const highWatermark = next - 1 + rest
          const runs = runsOf(holesOf({ frontier, highWatermark, holes }))
          const ends = runs.map(({ last }) => last)
          expect(runs.map(({ first }) => first)).toEqual([1, ...ends.map((last) => last + 1)].slice(0, runs.length))
          expect(ends.at(-1) ?? 0).toBe(highWatermark)
        },
      ),
    )
  })
})

describe('a window', () => {
  const far = { frontier: 900, highWatermark: 1_000 }

  test('of the open part begins a little before the frontier', () => {
    expect(windowOf(far, { isOpenPart: true, zoom: 0, at: 0 })).toEqual({ first: 890, last: 1_000 })
  })

  test('of everything begins at 1', () => {
    expect(windowOf(far, { isOpenPart: false, zoom: 0, at: 0 })).toEqual({ first: 1, last: 1_000 })
  })

  test('halves with each step of zoom, and moves from one end to the other', () => {
    expect(windowOf(far, { isOpenPart: false, zoom: 2, at: 0 })).toEqual({ first: 1, last: 250 })
    expect(windowOf(far, { isOpenPart: false, zoom: 2, at: 1 })).toEqual({ first: 751, last: 1_000 })
  })

  test('never shows less than ten, or more than there is', () => {
    expect(windowOf(far, { isOpenPart: false, zoom: 12, at: 0.5 })).toMatchObject({ first: 496, last: 505 })
    expect(windowOf({ frontier: 2, highWatermark: 3 }, { isOpenPart: true, zoom: 5, at: 1 })).toEqual({
      first: 1,
      last: 3,
    })
    expect(windowOf({ frontier: 0, highWatermark: 0 }, { isOpenPart: true, zoom: 0, at: 0 })).toBeNull()
  })

  test('of a partition without anything open still shows its end', () => {
    expect(windowOf({ frontier: 50, highWatermark: 50 }, { isOpenPart: true, zoom: 0, at: 0 })).toEqual({
      first: 41,
      last: 50,
    })
  })
})

describe('pieces', () => {
  const every = (length: number): Run[] =>
    Array.from({ length }, (_, index) => ({
      first: index + 1,
      last: index + 1,
      look: index % 2 === 0 ? 'settled' : 'leased',
      attempt: index % 2,
    }))

  test('are scaled to the width', () => {
    const pieces = piecesOf(
      [
        { first: 1, last: 25, look: 'settled', attempt: 0 },
        { first: 26, last: 100, look: 'leased', attempt: 1 },
      ],
      { first: 1, last: 100 },
      400,
    )
    expect(pieces.map(({ x, width, look }) => [x, width, look])).toEqual([
      [0, 100, 'settled'],
      [100, 300, 'leased'],
    ])
  })

  test('are cut at the window', () => {
    const [piece] = piecesOf([{ first: 1, last: 1_000, look: 'leased', attempt: 3 }], { first: 11, last: 20 }, 100)
    expect(piece).toEqual({ first: 11, last: 20, look: 'leased', attempt: 3, x: 0, width: 100, runs: 1 })
  })

  test('too narrow to be seen are drawn together, and say so', () => {
    const pieces = piecesOf(every(6_000), { first: 1, last: 6_000 }, 600)
    expect(pieces.length).toBeLessThanOrEqual(200)
    expect(pieces.every(({ look }) => look === 'mixed')).toBe(true)
    expect(pieces.reduce((sum, { runs }) => sum + runs, 0)).toBe(6_000)
  })

  test('cover the window from end to end, whatever the runs and the width', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 10, max: 900 }),
        fc.nat(200),
        (length, width, before) => {
          const first = Math.min(length, before + 1)
          const pieces = piecesOf(every(length), { first, last: length }, width)
          expect(pieces[0]!.x).toBe(0)
          for (const [index, { x, width: own }] of pieces.entries()) {
            expect(x + own).toBeCloseTo(pieces[index + 1]?.x ?? width, 6)
          }
        },
      ),
    )
  })
})
