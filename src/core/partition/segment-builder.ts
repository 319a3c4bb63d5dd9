import { buildFilter, passesAll } from '../query/filter.ts'
import { termsOfLine } from '../query/terms.ts'
import type { Context } from './context.ts'
import { linesOf } from './lines.ts'

/** A segment is closed at this many events or terms: about 250 rows for a million events, and a filter of some 20 KB. */
const SEGMENT_EVENTS = 4_096
const SEGMENT_TERMS = 16_384
/** More terms than this are not kept: the segment's filter then lets everything through. Two million took 55 MB. */
const MAX_TERMS = 262_144

/**
 * Collects the terms of the events behind the last segment, and closes a segment when there are enough of them. What
 * was appended before this object started is not in memory; its terms are read from the log when the segment closes.
 */
export class SegmentBuilder {
  /** The terms of all events behind the last segment; null when some of them are not known. */
  #terms: Set<number> | null = null
  /** The first sequence behind the last segment; null when not known. */
  #first: number | null = null

  /** Takes the terms of what has just been written up to the sequence `last`. */
  add(context: Context, before: number, last: number, terms: Iterable<number>): void {
    this.#first ??= context.store.segments.last() + 1
    if (this.#first === before + 1) this.#terms = new Set()
    if (this.#terms !== null) addTerms(this.#terms, terms)
    if (last - this.#first + 1 < SEGMENT_EVENTS && (this.#terms?.size ?? 0) < SEGMENT_TERMS) return
    const segment = { first: this.#first, last }
    if (this.#terms === null) {
      this.#terms = new Set()
      for (const line of linesOf(context, [segment])) addTerms(this.#terms, termsOfLine(line.text))
    }
    const filter = this.#terms.size > MAX_TERMS ? passesAll() : buildFilter(this.#terms)
    context.store.segments.add(segment, filter)
    this.clear()
  }

  /** Forgets what is in memory. */
  clear(): void {
    this.#terms = null
    this.#first = null
  }
}

function addTerms(all: Set<number>, terms: Iterable<number>): void {
  for (const term of terms) {
    if (all.size > MAX_TERMS) return
    all.add(term)
  }
}
