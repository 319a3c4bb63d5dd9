import * as v from 'valibot'
import type { StreamRecord } from '../../core/catalog/commands.ts'
import { ok, type Result } from '../../core/failure.ts'
import { isObject } from '../../core/json.ts'
import { limits } from '../../core/limits.ts'
import { done } from '../../core/partition/commands.ts'
import { allPartitions } from '../../core/route.ts'
import { json, noContent } from '../answer.ts'
import { askCatalog, askEach } from '../ask.ts'
import { byPartition } from '../by-partition.ts'
import { type Call, notCovered } from '../call.ts'
import { check, type FieldCodes } from '../contract/check.ts'
import { checkNameIn } from '../contract/name.ts'
import { newStream, streamBody } from '../contract/stream.ts'
import { object, pageLimit } from '../contract/values.ts'
import { nameCursor } from '../cursor.ts'
import { forgetStream, twice } from '../directory.ts'
import { allOf } from '../gather.ts'
import { covers } from '../principal.ts'
import { confirmedDelete, get, jsonBody, withBody } from '../route.ts'

const codes: FieldCodes = new Map([['partitionCount', 'invalid_partition_count']])

/** Reads the body as far as its name: whether the caller may touch that is asked before the rest (S7). */
const readNamed = jsonBody((input) => {
  const named = checkNameIn(input)
  return named.ok ? ok(input) : named
})

const create = withBody('POST', '/v1/streams', 'admin', readNamed, async (call, { input: body }) => {
  if (isObject(body) && typeof body.name === 'string' && !covers(call, body.name)) return notCovered(body.name)
  const input = check(newStream, body, codes)
  if (!input.ok) return input
  const maxStreams = call.quotas.streams ?? limits.streamsPerTenant
  const created = await askCatalog(call, { type: 'createStream', ...input.value, maxStreams })
  return created.ok ? ok(json(streamBody(created.value), 201)) : created
})

type Streams = { readonly streams: readonly StreamRecord[]; readonly more: boolean }

/** A page of the streams that the caller may see: the catalog is asked on until the page is full or the list ends. */
export async function coveredStreams(call: Call, after: string, limit: number): Promise<Result<Streams>> {
  if (call.streams === null) return askCatalog(call, { type: 'streams', after, limit })
  const seen: StreamRecord[] = []
  for (let last = after; ; ) {
    const page = await askCatalog(call, { type: 'streams', after: last, limit: limits.pageItems })
    if (!page.ok) return page
    seen.push(...page.value.streams.filter(({ name }) => covers(call, name)))
    if (seen.length > limit) return ok({ streams: seen.slice(0, limit), more: true })
    if (!page.value.more) return ok({ streams: seen, more: false })
    last = page.value.streams.at(-1)!.name
  }
}

/** The parameters of a list by name. */
export const nameList = object({ limit: pageLimit(limits.pageItems), after: v.optional(v.string()) })

const list = get('/v1/streams', 'read', nameList, async (call, { input: { limit, after } }) => {
  const from = nameCursor(after)
  if (!from.ok) return from
  const page = await coveredStreams(call, from.value, limit)
  if (!page.ok) return page
  const { streams, more } = page.value
  return ok(json({ streams: streams.map(streamBody), nextCursor: more ? (streams.at(-1)?.name ?? null) : null }))
})

const show = get('/v1/streams/:stream', 'read', object({}), (call, { names }) =>
  twice(
    call,
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

const remove = confirmedDelete('/v1/streams/:stream', async (call, names) => {
  const removed = await askCatalog(call, { type: 'deleteStream', stream: names.stream })
  forgetStream(call, names)
  return removed.ok ? ok(noContent()) : removed
})

/** Routes of streams. */
export const streamRoutes = [create, list, show, remove]
