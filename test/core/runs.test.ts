import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Difference,
  difference,
  overlay,
  type Piece,
  type Range,
  type Run,
  runHolding,
  sameValue,
  toRanges,
  valuesOver,
  width,
} from '../../src/core/runs.ts'

type Value = { readonly state: string; readonly reason: string | null }

const value: fc.Arbitrary<Value> = fc.record({
  state: fc.constantFrom('a', 'b'),
  reason: fc.constantFrom(null, '', 'x'),
})

/** Ascending intervals that never overlap but may touch, each with something. */
const intervals = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<(Range & { of: T })[]> =>
  fc.array(fc.record({ gap: fc.constantFrom(0, 0, 1, 2), width: fc.integer({ min: 1, max: 4 }), of })).map((parts) => {
    let next = 1
    return parts.map(({ gap, width, of }) => {
      const first = next + gap
      next = first + width
      return { first, last: next - 1, of }
    })
  })
const runs: fc.Arbitrary<Run<Value>[]> = intervals(value).map((list) =>
  list.map(({ first, last, of }) => ({ first, last, value: of })),
)
const pieces: fc.Arbitrary<Piece<Value>[]> = intervals(fc.option(value)).map((list) =>
  list.map(({ first, last, of }) => ({ first, last, value: of })),
)
const ranges: fc.Arbitrary<Range[]> = intervals(fc.constant(null))

/** The naive form: the value of every sequence. */
const bySequence = <V>(list: readonly (Run<V> | Piece<V>)[]): Map<number, V | null> => {
  const values = new Map<number, V | null>()
  for (const { first, last, value } of list) for (let at = first; at <= last; at++) values.set(at, value)
  return values
}

const sequencesOf = (list: readonly Range[]): number[] => [
  ...bySequence(list.map((range) => ({ ...range, value: 0 }))).keys(),
]

function expectSound<V>(list: readonly Run<V>[]) {
  for (const [index, run] of list.entries()) {
    expect(run.last).toBeGreaterThanOrEqual(run.first)
    const previous = list[index - 1]
    if (previous !== undefined) expect(run.first).toBeGreaterThan(previous.last)
  }
}

describe('overlay', () => {
  it('holds the value of the pieces where there are pieces, and of the runs elsewhere', () => {
    fc.assert(
      fc.property(runs, pieces, (before, over) => {
        const wanted = bySequence(before)
        for (const [sequence, value] of bySequence(over)) {
          if (value === null) wanted.delete(sequence)
          else wanted.set(sequence, value)
        }
        const after = overlay(before, over)
        expectSound(after)
        expect(new Map([...bySequence(after)])).toEqual(new Map([...wanted].sort(([a], [b]) => a - b)))
      }),
    )
  })

  it('joins equal neighbours, so that equal contents are equal lists', () => {
    fc.assert(
      fc.property(runs, pieces, (before, over) => {
        const after = overlay(before, over)
        for (const [index, run] of after.entries()) {
          const previous = after[index - 1]
          expect(previous?.last === run.first - 1 && sameValue(previous.value, run.value)).toBe(false)
        }
        expect(overlay(after, [])).toEqual(after)
      }),
    )
  })

  it('leaves what it is given as it is', () => {
    fc.assert(
      fc.property(runs, pieces, (before, over) => {
        const copy = structuredClone([before, over])
        overlay(before, over)
        expect([before, over]).toEqual(copy)
      }),
    )
  })
})

/** A table of runs by their last sequence, which refuses what a real one would refuse. */
function write<V>(before: readonly Run<V>[], { deletes, moves, upserts }: Difference<V>): Run<V>[] {
  const rows = new Map(before.map((run) => [run.last, run]))
  for (const last of deletes) expect(rows.delete(last)).toBe(true)
  for (const { from, run } of moves) {
    expect(rows.delete(from)).toBe(true)
    expect(rows.has(run.last)).toBe(false)
    rows.set(run.last, run)
  }
  for (const run of upserts) rows.set(run.last, run)
  return [...rows.values()].sort((a, b) => a.last - b.last)
}

describe('difference', () => {
  it('turns one list of runs into the other', () => {
    fc.assert(
      fc.property(runs, runs, (before, after) => {
        expect(write(before, difference(before, after))).toEqual(after)
      }),
    )
  })

  it('writes the fewest rows: a write takes away at most one old row and makes at most one new one', () => {
    fc.assert(
      fc.property(runs, runs, (before, after) => {
        const { deletes, moves, upserts } = difference(before, after)
        const isIn = (list: readonly Run<Value>[]) => (run: Run<Value>) =>
          list.some(({ first, last, value }) => first === run.first && last === run.last && sameValue(value, run.value))
        const gone = before.filter((run) => !isIn(after)(run)).length
        const made = after.filter((run) => !isIn(before)(run)).length
        expect(deletes.length + moves.length + upserts.length).toBe(Math.max(gone, made))
      }),
    )
  })

  it('is nothing between equal lists', () => {
    fc.assert(
      fc.property(runs, (list) => {
        expect(difference(list, structuredClone(list))).toEqual({ deletes: [], moves: [], upserts: [] })
      }),
    )
  })

  it('cuts a leased run in its middle with two writes, and at an end with one', () => {
    const run = { first: 1, last: 100, value: { state: 'leased', reason: null } }
    const middle = difference([run], overlay([run], [{ first: 50, last: 50, value: null }]))
    expect(middle.moves.length + middle.deletes.length + middle.upserts.length).toBe(2)
    for (const at of [1, 100]) {
      const end = difference([run], overlay([run], [{ first: at, last: at, value: null }]))
      expect(end.moves.length + end.deletes.length + end.upserts.length).toBe(1)
    }
  })
})

describe('valuesOver', () => {
  it('covers the ranges once, in order, with the value of the runs or the other one', () => {
    fc.assert(
      fc.property(ranges, runs, value, (over, list, otherwise) => {
        const parts = valuesOver(over, list, otherwise)
        expectSound(parts)
        const values = bySequence(list)
        const wanted = sequencesOf(over).map((sequence) => [sequence, values.get(sequence) ?? otherwise])
        expect([...bySequence(parts)]).toEqual(wanted)
      }),
    )
  })
})

describe('toRanges', () => {
  it('makes the fewest ranges of ascending sequences, repeated ones counted once', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 30 })), (sequences) => {
        const ascending = sequences.sort((a, b) => a - b)
        const found = toRanges(ascending)
        expect(sequencesOf(found)).toEqual([...new Set(ascending)])
        for (const [index, range] of found.entries()) {
          expect(range.first).toBeGreaterThan((found[index - 1]?.last ?? -1) + 1)
        }
      }),
    )
  })
})

describe('runHolding', () => {
  it('finds the run that holds a sequence, and none in a gap', () => {
    fc.assert(
      fc.property(runs, fc.nat(60), (list, sequence) => {
        const wanted = list.find(({ first, last }) => first <= sequence && sequence <= last)
        expect(runHolding(list, sequence)).toBe(wanted)
      }),
    )
  })
})

describe('width and sameValue', () => {
  it('counts both ends of a range', () => {
    expect(width({ first: 3, last: 3 })).toBe(1)
    expect(width({ first: 3, last: 7 })).toBe(5)
  })

  it('compares flat records by their members, numbers by themselves', () => {
    expect(sameValue({ a: 1, b: null }, { b: null, a: 1 })).toBe(true)
    expect(sameValue({ a: 1, b: null }, { a: 1, b: '' })).toBe(false)
    expect(sameValue({ a: 1 }, { a: '1' })).toBe(false)
    expect(sameValue(2, 2)).toBe(true)
    expect(sameValue(2, 3)).toBe(false)
    expect(sameValue(null, { a: 1 })).toBe(false)
    expect(sameValue({ a: 1 }, null)).toBe(false)
  })
})
