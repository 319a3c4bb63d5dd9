import * as v from 'valibot'
import type { StreamRecord } from '../../core/catalog/commands.ts'
import { limits } from '../../core/limits.ts'
import { formatTime } from '../../core/time.ts'
import { integer, object, text } from './values.ts'

/** The body that creates a stream. */
export const newStream = object({
  name: text(1, limits.nameLength),
  partitionCount: v.optional(integer(1, limits.partitions), 1),
})

/** A stream on the wire. */
export const streamBody = (stream: StreamRecord) => ({
  name: stream.name,
  partitionCount: stream.partitionCount,
  createdAt: formatTime(stream.createdAtMs),
})
