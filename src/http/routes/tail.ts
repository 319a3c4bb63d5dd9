import type { StreamRecord } from '../../core/catalog/commands.ts'
import { failed, failure, ok, type Result } from '../../core/failure.ts'
import { done, refused } from '../../core/partition/commands.ts'
import { partitionsOf } from '../contract/fetch.ts'
import { checkTail, type TailStart } from '../contract/tail.ts'
import { onStream } from '../directory.ts'
import { streamTexts } from '../event-stream.ts'
import { type Position, parsePosition } from '../position.ts'
import type { Route } from '../route.ts'
import { Tail } from '../tail.ts'

/** The position at which a tail of these partitions begins; null where it begins at the end. */
function positionOf(stream: StreamRecord, partitions: readonly number[], start: TailStart): Result<Position> {
  if (start.kind !== 'position') {
    return ok(new Array(stream.partitionCount).fill(start.kind === 'after' ? start.sequence : null))
  }
  const position = parsePosition(stream, start.text, start.field)
  if (!position.ok || partitions.every((partition) => position.value[partition] !== null)) return position
  const detail = `${start.field}: is the position of a tail that did not follow all of these partitions`
  return failed(failure('cursor_not_found', detail, { field: start.field }))
}

const tail: Route = {
  method: 'GET',
  path: '/v1/streams/:stream/tail',
  scope: 'read',
  async respond(call, request, names) {
    const input = checkTail(request)
    if (!input.ok) return input
    const { partition, start, conditions } = input.value
    return onStream(call, names, async (stream) => {
      const scope = partitionsOf(partition === null ? null : [partition], stream.partitionCount)
      if (!scope.ok) return refused(scope.failure)
      const position = positionOf(stream, scope.value, start)
      if (!position.ok) return refused(position.failure)
      const events = new Tail(call, stream, scope.value, position.value, conditions)
      const opened = await events.open()
      if (opened.status !== 'done') return opened
      // The body of an answer to HEAD is dropped, and nobody would close it.
      if (request.method === 'HEAD') events.close()
      return done(streamTexts(events))
    })
  },
}

/** Routes that follow streams. */
export const tailRoutes = [tail]
