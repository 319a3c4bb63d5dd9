import { failed, failure, ok, type Result } from '../core/failure.ts'
import { isName } from '../core/name.ts'
import { phash2 } from '../core/phash2.ts'
import { fromBase64Url, toBase64Url } from './base64url.ts'

/** A place in a list over the partitions of a group: the last item that was shown. */
export interface Position {
  readonly partition: number
  readonly sequence: number
}

export const cursorNotFound = failed(
  failure('cursor_not_found', 'after: is no cursor that this list gave', { field: 'after' }),
)

/** The name after which a list by name goes on; '' for its beginning. */
export const nameCursor = (after: string | undefined): Result<string> => {
  if (after === undefined) return ok('')
  return isName(after) ? ok(after) : cursorNotFound
}

/** Of 65 536 damaged cursors one would pass. */
const CHECKS = 65_536

/** A cursor; it names its list and the group's uid, so that no other list takes it, and carries a check of itself. */
export function formatCursor(list: string, group: string, { partition, sequence }: Position): string {
  const text = `${list} ${group} ${partition} ${sequence}`
  return toBase64Url(new TextEncoder().encode(`${text} ${phash2(text, CHECKS)}`))
}

/** The position of a cursor of this list; refuses any text that the list cannot have given. */
export function parseCursor(list: string, group: string, text: string): Result<Position> {
  const [, , partition, sequence] = (fromBase64Url(text) ?? '').split(' ').map(Number)
  if (partition === undefined || sequence === undefined) return cursorNotFound
  const position = { partition, sequence }
  const isSound = Number.isSafeInteger(sequence) && formatCursor(list, group, position) === text
  return isSound ? ok(position) : cursorNotFound
}
