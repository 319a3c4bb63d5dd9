import * as v from 'valibot'
import { ok } from '../../core/failure.ts'
import { limits } from '../../core/limits.ts'
import { done } from '../../core/partition/commands.ts'
import { json } from '../answer.ts'
import { askCatalog, askEach } from '../ask.ts'
import { allPartitions, byPartition } from '../by-partition.ts'
import { check, type FieldCodes } from '../contract/check.ts'
import { checkNameIn } from '../contract/name.ts'
import { newStream, streamBody } from '../contract/stream.ts'
import { object, pageLimit } from '../contract/values.ts'
import { nameCursor } from '../cursor.ts'
import { twice } from '../directory.ts'
import { allOf } from '../gather.ts'
import { get, jsonBody, withBody } from '../route.ts'

const codes: FieldCodes = new Map([['partitionCount', 'invalid_partition_count']])

const readNewStream = jsonBody((input) => {
  const named = checkNameIn(input)
  return named.ok ? check(newStream, input, codes) : named
})

const create = withBody('POST', '/v1/streams', 'admin', readNewStream, async (call, { input }) => {
  const created = await askCatalog(call, { type: 'createStream', ...input })
  return created.ok ? ok(json(streamBody(created.value), 201)) : created
})

/** The parameters of a list by name. */
export const nameList = object({ limit: pageLimit(limits.pageItems), after: v.optional(v.string()) })

const list = get('/v1/streams', 'read', nameList, async (call, { input: { limit, after } }) => {
  const from = nameCursor(after)
  if (!from.ok) return from
  const page = await askCatalog(call, { type: 'streams', after: from.value, limit })
  if (!page.ok) return page
  const { streams, more } = page.value
  return ok(json({ streams: streams.map(streamBody), nextCursor: more ? (streams.at(-1)?.name ?? null) : null }))
})

const show = get('/v1/streams/:stream', 'read', object({}), (call, { names }) =>
  twice(
    () => askCatalog(call, { type: 'stream', stream: names.stream }),
    () => {},
    async (stream) => {
      const partitions = allPartitions(stream.partitionCount)
      const statuses = allOf(await askEach(call, stream, partitions, { type: 'status' }))
      if (statuses.status !== 'done') return statuses
      return done(json({ ...streamBody(stream), partitions: byPartition(partitions, statuses.value) }))
    },
  ),
)

/** Routes of streams. */
export const streamRoutes = [create, list, show]
