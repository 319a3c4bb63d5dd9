import { eventText, idOf, ownTimestamp, type Place } from '../event.ts'
import { generateEventId } from '../event-id.ts'
import type { Range } from '../runs.ts'
import { formatTime } from '../time.ts'
import type { Context } from './context.ts'
import type { Batch } from './store.ts'

/** A stored event: its line and where it stands. */
export interface Line {
  readonly sequence: number
  readonly text: string
  readonly atMs: number
  /** UTF-8 bytes, estimated from the share that the line has in its row. */
  readonly bytes: number
}

/** The events of ranges, in their order; rows of the log are read as they are asked for, and once for neighbours. */
export function* linesOf(context: Context, ranges: Iterable<Range>): Generator<Line> {
  let row: Batch | null = null
  let texts: string[] = []
  for (const { first, last } of ranges) {
    let next = first
    if (row !== null && row.first <= next && next <= row.last) {
      yield* linesIn(row, texts, next, last)
      next = row.last + 1
    }
    if (next > last) continue
    for (row of context.store.log.from(next)) {
      texts = row.lines.split('\n')
      yield* linesIn(row, texts, next, last)
      if (row.last >= last) break
    }
  }
}

function* linesIn(row: Batch, texts: readonly string[], first: number, last: number): Generator<Line> {
  const bytesPerCharacter = row.bytes / row.lines.length
  for (let sequence = Math.max(first, row.first); sequence <= Math.min(last, row.last); sequence++) {
    const text = texts[sequence - row.first]!
    yield { sequence, text, atMs: row.atMs, bytes: Math.ceil(text.length * bytesPerCharacter) }
  }
}

/** The event at a sequence that exists. */
export function lineAt(context: Context, sequence: number): Line {
  for (const line of linesOf(context, [{ first: sequence, last: sequence }])) return line
  throw new Error(`the log holds no event at sequence ${sequence}`)
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
