import { buildFilter } from '../query/filter.ts'
import { TermList } from '../query/term-list.ts'
import { termsOfLine } from '../query/terms.ts'
import type { Context } from './context.ts'
import { linesOf } from './lines.ts'

/** A segment is closed at this many events or terms: about 250 rows for a million events, and a filter of some 8 KB. */
const SEGMENT_EVENTS = 4_096
const SEGMENT_TERMS = 32_768

/**
 * Collects the terms of the events behind the last segment, and closes a segment when there are enough of them. What
 * was appended before this object started is not in memory; its terms are read from the log when the segment closes.
 */
export class SegmentBuilder {
  /** The terms of all events behind the last segment; null when some of them are not known. */
  #terms: TermList | null = null
  /** The first sequence behind the last segment; null when not known. */
  #first: number | null = null

  /** Takes the terms of what has just been written up to the sequence `last`. */
  add(context: Context, before: number, last: number, terms: readonly ArrayLike<number>[]): void {
    this.#first ??= context.store.segments.last() + 1
    if (this.#first === before + 1) this.#terms = new TermList()
    if (this.#terms !== null) for (const some of terms) this.#terms.add(some)
    if (last - this.#first + 1 < SEGMENT_EVENTS && (this.#terms?.length ?? 0) < SEGMENT_TERMS) return
    const segment = { first: this.#first, last }
    if (this.#terms === null) {
      this.#terms = new TermList()
      for (const line of linesOf(context, [segment])) this.#terms.add(termsOfLine(line.text))
    }
    context.store.segments.add(segment, buildFilter(this.#terms.all()))
    this.clear()
  }

  /** Forgets what is in memory. */
  clear(): void {
    this.#terms = null
    this.#first = null
  }
}
