import type { StreamRecord } from '../core/catalog/commands.ts'
import { failed, failure, ok, type Result } from '../core/failure.ts'

/** How far a tail has come in each partition of a stream; null in those that it does not follow. */
export type Position = readonly (number | null)[]

const RADIX = 36

/** The stream's uid, so that no other stream takes it, and a number for each partition; empty for null. */
export const formatPosition = (uid: string, position: Position): string =>
  [uid, ...position.map((sequence) => (sequence === null ? '' : sequence.toString(RADIX)))].join('.')

/** The position of a text that a tail of this stream has given; `field` is where the text stood. */
export function parsePosition(stream: StreamRecord, text: string, field: string): Result<Position> {
  const [uid, ...numbers] = text.split('.')
  const isOurs = uid === stream.uid && numbers.length === stream.partitionCount
  const position = numbers.map((number) => (number === '' ? null : Number.parseInt(number, RADIX)))
  if (isOurs && position.every((one) => one === null || (Number.isSafeInteger(one) && one >= 0))) {
    if (formatPosition(uid, position) === text) return ok(position)
  }
  return failed(failure('cursor_not_found', `${field}: is no position that a tail of this stream gave`, { field }))
}
