import { eventText, idOf, ownTimestamp, type Place } from '../event.ts'
import { generateEventId } from '../event-id.ts'
import type { Range } from '../runs.ts'
import { formatTime } from '../time.ts'
import type { Context } from './context.ts'
import { Damage } from './damage.ts'
import type { Batch, PartitionStore } from './store.ts'

/** A stored event: its line and where it stands. */
export interface Line {
  readonly sequence: number
  readonly text: string
  readonly atMs: number
  /** UTF-8 bytes, estimated from the share that the line has in its row. */
  readonly bytes: number
}

/** The last sequence of the log; 0 when there is none. */
export const highWatermarkOf = ({ log }: PartitionStore): number => log.head()?.last ?? 0

/** The events of ranges, in their order; rows of the log are read as they are asked for, and once for neighbours. */
export function* linesOf(context: Context, ranges: Iterable<Range>): Generator<Line> {
  let row: Batch | null = null
  let texts: readonly string[] = []
  for (const { first, last } of ranges) {
    let next = first
    if (row !== null && row.first <= next && next <= row.last) {
      yield* linesIn(row, texts, next, last)
      next = row.last + 1
    }
    if (next > last) continue
    for (row of context.store.log.from(next)) {
      if (row.first > next) throw missing(next)
      texts = textsIn(row)
      yield* linesIn(row, texts, next, last)
      next = row.last + 1
      if (next > last) break
    }
    if (next <= last) throw missing(next)
  }
}

/** What is thrown where the log should hold an event and does not: a gap would pass it over without a word. */
export const missing = (sequence: number): Damage => new Damage(`the log holds no event at sequence ${sequence}`)

const unreadable = ({ first, last }: Range): Damage =>
  new Damage(`the log's row of the sequences ${first} to ${last} cannot be read`)

/** The texts of a row's events. */
export function textsIn(row: Batch): readonly string[] {
  const texts = row.lines.split('\n')
  if (texts.length !== row.last - row.first + 1) throw unreadable(row)
  return texts
}

/** A text of a row as the event that it is. */
export const lineOf = (row: Batch, text: string, sequence: number): Line => ({
  sequence,
  text,
  atMs: row.atMs,
  bytes: Math.ceil((text.length * row.bytes) / row.lines.length),
})

/** The text of the event at a sequence of a row. */
export function textAt(row: Batch, texts: readonly string[], sequence: number): string {
  const text = texts[sequence - row.first]!
  if (!text.startsWith('{') || !text.endsWith('}')) throw unreadable(row)
  return text
}

function* linesIn(row: Batch, texts: readonly string[], first: number, last: number): Generator<Line> {
  for (let sequence = Math.max(first, row.first); sequence <= Math.min(last, row.last); sequence++) {
    yield lineOf(row, textAt(row, texts, sequence), sequence)
  }
}

/** The event at a sequence that exists. */
export function lineAt(context: Context, sequence: number): Line {
  for (const line of linesOf(context, [{ first: sequence, last: sequence }])) return line
  throw missing(sequence)
}

/** As many of `lines` as fit into `limit` and `maxBytes`; at least one if there is one. */
export function takeLines(lines: Iterable<Line>, limit: number, maxBytes: number): { lines: Line[]; bytes: number } {
  const taken: Line[] = []
  let bytes = 0
  for (const line of lines) {
    if (taken.length === limit || (taken.length > 0 && bytes + line.bytes > maxBytes)) break
    bytes += line.bytes
    taken.push(line)
  }
  return { lines: taken, bytes }
}

const placeOf = ({ address }: Context, line: Line): Place => ({
  stream: address.stream,
  partition: address.partition,
  sequence: line.sequence,
  generatedId: generateEventId(address.uid, address.partition, line.sequence),
  at: formatTime(line.atMs),
})

/** A stored event as JSON text for the wire. */
export const eventTextOf = (context: Context, line: Line): string => eventText(line.text, placeOf(context, line))

/** The id of a stored event. */
export const eventIdOf = ({ address }: Context, line: Line): string =>
  idOf(line.text, generateEventId(address.uid, address.partition, line.sequence))

/** The timestamp of a stored event, in milliseconds since 1970. */
export const timestampOf = (line: Line): number => ownTimestamp(line.text) ?? line.atMs
