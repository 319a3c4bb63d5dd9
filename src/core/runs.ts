/** A closed interval of sequences. */
export interface Range {
  readonly first: number
  readonly last: number
}

/** Consecutive sequences that share one value. Lists of runs are ascending and never overlap. */
export interface Run<V> extends Range {
  readonly value: V
}

/** What shall hold over an interval: `value`, or nothing (`null`). Lists of pieces are ascending and never overlap. */
export interface Piece<V> extends Range {
  readonly value: V | null
}

/** The writes that turn one list of runs into another. A run is named by its last sequence. */
export interface Difference<V> {
  readonly deletes: readonly number[]
  /** An existing row becomes another run: one row written, where a delete and an insert would be two. */
  readonly moves: readonly { readonly from: number; readonly run: Run<V> }[]
  /** New rows, and rows that keep their last sequence. */
  readonly upserts: readonly Run<V>[]
}

/** True when two values have equal members; values are flat records of texts, numbers and nulls, or plain numbers. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b
  const left = a as Record<string, unknown>
  const right = b as Record<string, unknown>
  return Object.keys(left).every((name) => left[name] === right[name])
}

/** The number of sequences in a range. */
export const width = (range: Range): number => range.last - range.first + 1

/** Cuts `runs` by `pieces`, puts the pieces in, and joins equal neighbours. */
export function overlay<V>(runs: readonly Run<V>[], pieces: readonly Piece<V>[]): Run<V>[] {
  const out: { first: number; last: number; value: V }[] = []
  const push = (first: number, last: number, value: V) => {
    const previous = out.at(-1)
    if (previous !== undefined && previous.last + 1 === first && sameValue(previous.value, value)) previous.last = last
    else out.push({ first, last, value })
  }
  let index = 0
  let floor = 0
  const keepBelow = (limit: number) => {
    for (; index < runs.length; index++) {
      const run = runs[index]!
      const first = Math.max(run.first, floor)
      if (first < limit) push(first, Math.min(run.last, limit - 1), run.value)
      if (run.last >= limit) return
    }
  }
  for (const piece of pieces) {
    keepBelow(piece.first)
    floor = piece.last + 1
    while (index < runs.length && runs[index]!.last < floor) index++
    if (piece.value !== null) push(piece.first, piece.last, piece.value)
  }
  keepBelow(Number.POSITIVE_INFINITY)
  return out
}

/** The fewest row writes from `before` to `after`. */
export function difference<V>(before: readonly Run<V>[], after: readonly Run<V>[]): Difference<V> {
  const old = new Map(before.map((run) => [run.last, run]))
  const upserts: Run<V>[] = []
  const fresh: Run<V>[] = []
  for (const run of after) {
    const known = old.get(run.last)
    if (known === undefined) fresh.push(run)
    else if (known.first !== run.first || !sameValue(known.value, run.value)) upserts.push(run)
    old.delete(run.last)
  }
  const gone = [...old.keys()]
  const moved = Math.min(gone.length, fresh.length)
  return {
    deletes: gone.slice(moved),
    moves: fresh.slice(0, moved).map((run, index) => ({ from: gone[index]!, run })),
    upserts: [...upserts, ...fresh.slice(moved)],
  }
}

/** The parts of `ranges` with their value: that of the run they lie in, else `otherwise`. Both lists ascend. */
export function valuesOver<V>(ranges: readonly Range[], runs: readonly Run<V>[], otherwise: V): Run<V>[] {
  const out: Run<V>[] = []
  let index = 0
  for (const range of ranges) {
    let next = range.first
    while (index < runs.length && runs[index]!.last < next) index++
    for (let at = index; at < runs.length && runs[at]!.first <= range.last; at++) {
      const run = runs[at]!
      if (run.first > next) out.push({ first: next, last: run.first - 1, value: otherwise })
      const first = Math.max(run.first, next)
      const last = Math.min(run.last, range.last)
      if (first <= last) out.push({ first, last, value: run.value })
      next = last + 1
    }
    if (next <= range.last) out.push({ first: next, last: range.last, value: otherwise })
  }
  return out
}

/** Ascending sequences as the fewest ranges. */
export function toRanges(sequences: readonly number[]): Range[] {
  const out: { first: number; last: number }[] = []
  for (const sequence of sequences) {
    const previous = out.at(-1)
    if (previous !== undefined && previous.last + 1 === sequence) previous.last = sequence
    else if (previous === undefined || sequence > previous.last) out.push({ first: sequence, last: sequence })
  }
  return out
}

/** The run that holds `sequence`, if any. */
export function runHolding<V>(runs: readonly Run<V>[], sequence: number): Run<V> | undefined {
  let low = 0
  let high = runs.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (runs[middle]!.last < sequence) low = middle + 1
    else high = middle
  }
  const run = runs[low]
  return run !== undefined && run.first <= sequence ? run : undefined
}
