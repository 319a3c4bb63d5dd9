import type { DeliveryState, PartitionHoles } from '../../client/index.ts'

/** What a piece of the strip stands for: a state, or several that lie too close to be told apart. */
export type Look = 'settled' | 'leased' | 'delayed' | 'available' | 'undelivered' | 'mixed' | 'unknown'

/** A range of sequences in one look. */
export interface Run {
  readonly first: number
  readonly last: number
  readonly look: Look
  /** 0 where that says nothing. */
  readonly attempt: number
}

/** A run as it is drawn. */
export interface Piece extends Run {
  readonly x: number
  readonly width: number
  /** How many runs are drawn as this one. */
  readonly runs: number
}

/** The sequences that are drawn, both included. */
export interface Window {
  readonly first: number
  readonly last: number
}

const lookOf = (state: DeliveryState): Look =>
  state === 'acked' || state === 'rejected' || state === 'skipped' ? 'settled' : state

/** All runs of a partition from sequence 1 on: what no hole covers is settled. */
export function runsOf({ frontier, highWatermark, holes, more }: PartitionHoles): Run[] {
  const runs: Run[] = []
  let next = 1
  const fill = (last: number, look: Look): void => {
    if (next <= last) runs.push({ first: next, last, look, attempt: 0 })
    next = Math.max(next, last + 1)
  }
  fill(frontier, 'settled')
  for (const { first, last, state, attempt } of holes) {
    const before = runs.at(-1)
    if (before?.look === 'settled' && first > next) runs[runs.length - 1] = { ...before, last: first - 1 }
    else fill(first - 1, 'settled')
    runs.push({ first, last, look: lookOf(state), attempt })
    next = last + 1
  }
  fill(highWatermark, more ? 'unknown' : 'settled')
  return runs
}

/**
 * The part of a partition that is drawn. `open` leaves out what is long settled; zooming in by powers of two shows ever
 * less of it, around a place between 0 (its beginning) and 1 (its end).
 */
export function windowOf(
  { frontier, highWatermark }: Pick<PartitionHoles, 'frontier' | 'highWatermark'>,
  { isOpenPart, zoom, at }: { readonly isOpenPart: boolean; readonly zoom: number; readonly at: number },
): Window | null {
  if (highWatermark === 0) return null
  const open = highWatermark - frontier
  const first = isOpenPart ? Math.max(1, Math.min(highWatermark - 9, frontier - Math.ceil(open / 10))) : 1
  const all = highWatermark - first + 1
  const length = Math.max(Math.min(all, 10), Math.round(all / 2 ** zoom))
  const begin = first + Math.round((all - length) * at)
  return { first: begin, last: begin + length - 1 }
}

/** Runs within a window, scaled to a width. Those too narrow to be seen are drawn together until they are not. */
export function piecesOf(runs: readonly Run[], { first, last }: Window, width: number, least = 3): Piece[] {
  const scale = width / (last - first + 1)
  const pieces: Piece[] = []
  let narrow: Run[] = []
  const flush = (): void => {
    if (narrow.length === 0) return
    pieces.push(pieceOf(narrow, first, scale))
    narrow = []
  }
  for (const run of runs) {
    if (run.last < first || run.first > last) continue
    const cut = { ...run, first: Math.max(first, run.first), last: Math.min(last, run.last) }
    const isNarrow = (cut.last - cut.first + 1) * scale < least
    if (!isNarrow) flush()
    narrow.push(cut)
    if (!isNarrow || (cut.last - narrow[0]!.first + 1) * scale >= least) flush()
  }
  flush()
  return pieces
}

function pieceOf(runs: readonly Run[], first: number, scale: number): Piece {
  const { first: begin, look, attempt } = runs[0]!
  const end = runs.at(-1)!.last
  return {
    first: begin,
    last: end,
    look: runs.every((run) => run.look === look) ? look : 'mixed',
    attempt: runs.every((run) => run.attempt === attempt) ? attempt : 0,
    x: (begin - first) * scale,
    width: (end - begin + 1) * scale,
    runs: runs.length,
  }
}
