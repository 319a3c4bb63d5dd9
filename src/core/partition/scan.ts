import { matches } from '../query/condition.ts'
import type { Subject } from '../query/field.ts'
import { mayHold } from '../query/filter.ts'
import type { Selection } from '../query/query.ts'
import { termsNeeded, textsNeeded } from '../query/terms.ts'
import type { Range } from '../runs.ts'
import { formatTime } from '../time.ts'
import type { Context } from './context.ts'
import { eventIdOf, type Line, lineOf, missing, textAt, textsIn, timestampOf } from './lines.ts'
import type { Batch, Segment } from './store.ts'

/** Parsing a line costs about this many times as much as looking through its text. */
const PARSE_FACTOR = 8

/** A stretch of the log that may hold matches. */
export interface Stretch extends Range {
  readonly minTimeMs: number
  readonly maxTimeMs: number
}

/** A match, or the news that everything up to `sequence` has been looked at. */
export type Found = { readonly line: Line; readonly timestampMs: number } | { readonly sequence: number }

/** Looks through one partition's log for a selection, and counts what it looked at. */
export class Scan {
  readonly #context: Context
  readonly #selection: Selection
  readonly #terms: number[][]
  readonly #texts: string[]
  /** Characters looked at so far; parsed ones count more. */
  looked = 0

  constructor(context: Context, selection: Selection) {
    this.#context = context
    this.#selection = selection
    this.#terms = termsNeeded(selection.conditions)
    this.#texts = textsNeeded(selection.conditions)
  }

  /** The stretches of a range that may hold a match, in order; whole segments are skipped by their bounds and filters. */
  *stretches(range: Range, descending: boolean): Generator<Stretch> {
    if (range.first > range.last) return
    const { segments, log } = this.#context.store
    const sealed = segments.last()
    const times = range.last > sealed ? log.timesFrom(Math.max(range.first, sealed + 1)) : null
    const tail: Stretch[] =
      times === null ? [] : [{ first: Math.max(range.first, sealed + 1), last: range.last, ...times }]
    if (descending) yield* tail
    const withFilters = this.#terms.length > 0
    for (const segment of descending ? segments.backwards(range, withFilters) : segments.forwards(range, withFilters)) {
      if (segment.first > range.last) break
      this.looked += segment.filter?.length ?? 0
      if (!this.#mayMatch(segment)) continue
      const { minTimeMs, maxTimeMs } = segment
      const first = Math.max(range.first, segment.first)
      yield { first, last: Math.min(range.last, segment.last), minTimeMs, maxTimeMs }
    }
    if (!descending) yield* tail
  }

  #mayMatch({ minTimeMs, maxTimeMs, filter }: Segment): boolean {
    const { fromMs, toMs } = this.#selection
    if ((fromMs !== null && maxTimeMs < fromMs) || (toMs !== null && minTimeMs > toMs)) return false
    return filter === null || this.#terms.every((anyOf) => anyOf.some((term) => mayHold(filter, term)))
  }

  /** The matches in a range, in order, and after each row of the log how far the scan has come. */
  *within({ first, last }: Range, descending: boolean): Generator<Found> {
    if (first > last) return
    const { log } = this.#context.store
    let next = descending ? last : first
    for (const row of descending ? log.backwards(last) : log.from(first)) {
      if (descending ? next < first : next > last) return
      if (row.first > next || row.last < next) throw missing(next)
      next = descending ? row.first - 1 : row.last + 1
      yield* this.#rowMatches(row, { first, last }, descending)
      yield { sequence: descending ? row.first : row.last }
    }
    if (descending ? next >= first : next <= last) throw missing(next)
  }

  *#rowMatches(row: Batch, range: Range, descending: boolean): Generator<Found> {
    const { fromMs, toMs, conditions } = this.#selection
    if ((fromMs !== null && row.maxTimeMs < fromMs) || (toMs !== null && row.minTimeMs > toMs)) return
    this.looked += row.lines.length
    if (!this.#texts.every((text) => row.lines.includes(text))) return
    const texts = textsIn(row)
    const first = Math.max(range.first, row.first)
    const last = Math.min(range.last, row.last)
    for (let at = 0; at <= last - first; at++) {
      const sequence = descending ? last - at : first + at
      const text = textAt(row, texts, sequence)
      if (!this.#texts.every((needed) => text.includes(needed))) continue
      const line = lineOf(row, text, sequence)
      const timestampMs = timestampOf(line)
      if ((fromMs !== null && timestampMs < fromMs) || (toMs !== null && timestampMs > toMs)) continue
      if (conditions.length > 0) {
        this.looked += PARSE_FACTOR * text.length
        if (!matches(this.#subject(line, timestampMs), conditions)) continue
      }
      yield { line, timestampMs }
    }
  }

  #subject(line: Line, timestampMs: number): Subject {
    const { type, key, payload, metadata } = JSON.parse(line.text) as Pick<
      Subject,
      'type' | 'key' | 'payload' | 'metadata'
    >
    return {
      id: eventIdOf(this.#context, line),
      sequence: line.sequence,
      partition: this.#context.address.partition,
      timestamp: formatTime(timestampMs),
      type,
      key,
      payload,
      metadata,
    }
  }
}
