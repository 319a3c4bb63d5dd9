import * as v from 'valibot'
import { parseEventId } from '../../core/event-id.ts'
import { failure, ok, type Result } from '../../core/failure.ts'
import { joined } from '../../core/json.ts'
import { limits } from '../../core/limits.ts'
import { type Answer, type DeliveryInfo, done, refused } from '../../core/partition/commands.ts'
import { formatTime } from '../../core/time.ts'
import { jsonText } from '../answer.ts'
import { addressOf, ask, askCatalog } from '../ask.ts'
import { readJson } from '../body.ts'
import type { Call, Names } from '../call.ts'
import { partitionsOf } from '../contract/fetch.ts'
import { checkSearch, type SearchRequest } from '../contract/search.ts'
import { object, parameter, partition } from '../contract/values.ts'
import { onStream } from '../directory.ts'
import { allOf } from '../gather.ts'
import { acceptsNdjson, type LinePage, streamLines } from '../ndjson.ts'
import { get, withBody } from '../route.ts'
import { search } from '../search.ts'

const PAGE_EVENTS = 100

type Body = SearchRequest & { readonly isStreamed: boolean }

async function readSearch(request: Request): Promise<Result<Body>> {
  const input = await readJson(request)
  if (!input.ok) return input
  const isStreamed = acceptsNdjson(request)
  const body = checkSearch(input.value, isStreamed)
  return body.ok ? ok({ ...body.value, isStreamed }) : body
}

const query = withBody('POST', '/v1/streams/:stream/query', 'read', readSearch, async (call, { names, input }) => {
  if (input.isStreamed) {
    const first = await linePage(call, names, input, input.limit ?? Number.POSITIVE_INFINITY)
    return first.ok ? ok(streamLines(first.value)) : first
  }
  const page = await search(call, names, input, input.limit ?? PAGE_EVENTS)
  if (!page.ok) return page
  const { events, nextCursor } = page.value
  return ok(jsonText(`{"events":[${joined(events)}],"nextCursor":${JSON.stringify(nextCursor)}}`))
})

/** A page of a streamed search, of which `left` events are still wanted. */
async function linePage(call: Call, names: Names, request: SearchRequest, left: number): Promise<Result<LinePage>> {
  const page = await search(call, names, request, Math.min(left, limits.pageItems))
  if (!page.ok) return page
  // Nobody reads on: a rare match would otherwise be looked for through the whole log.
  if (call.signal.aborted) return ok({ lines: [], next: null })
  const { events, nextCursor } = page.value
  const open = left - events.length
  const isEnd = nextCursor === null || open === 0
  return ok({
    lines: events,
    next: isEnd ? null : () => linePage(call, names, { ...request, cursor: nextCursor }, open),
  })
}

const byIdQuery = object({
  partition: v.optional(parameter(partition)),
  groups: v.optional(v.picklist(['true', 'false'], 'must be true or false'), 'false'),
})

const byId = get('/v1/streams/:stream/events/:event', 'read', byIdQuery, (call, { names, input }) =>
  onStream(call, names, async (stream): Promise<Answer<Response>> => {
    const scope = partitionsOf(input.partition === undefined ? null : [input.partition], stream.partitionCount)
    if (!scope.ok) return refused(scope.failure)
    const notFound = failure('event_not_found', 'there is no event with this id', {
      stream: stream.name,
      id: names.event,
    })
    const position = parseEventId(names.event, stream.uid)
    const asked = position === null ? scope.value : scope.value.filter((one) => one === position.partition)
    const withGroups = input.groups === 'true'
    const command = { type: 'event', id: names.event, sequence: position?.sequence ?? null, withGroups } as const
    const answers = allOf(
      await Promise.all(asked.map((partition) => ask(call, addressOf(call, stream, partition), command))),
    )
    if (answers.status !== 'done') return answers
    const found = answers.value.find((answer) => answer !== null)
    if (found === undefined || found === null) return refused(notFound)
    if (!withGroups) return done(jsonText(`{"event":${found.event}}`))
    const groups = await groupsOf(call, names, found.deliveries)
    if (!groups.ok) return refused(groups.failure)
    return done(jsonText(`{"event":${found.event},"groups":${JSON.stringify(groups.value)}}`))
  }),
)

/** What became of an event in each group that callers can see; a partition may know groups that are coming or going. */
async function groupsOf(call: Call, names: Names, deliveries: readonly DeliveryInfo[]): Promise<Result<object[]>> {
  const page = await askCatalog(call, {
    type: 'groups',
    stream: names.stream,
    after: '',
    limit: limits.groupsPerStream,
  })
  if (!page.ok) return page
  const byUid = new Map(deliveries.map((delivery) => [delivery.group, delivery]))
  return ok(
    page.value.groups.flatMap(({ uid, name }) => {
      const delivery = byUid.get(uid)
      return delivery === undefined ? [] : [deliveryBody(name, delivery)]
    }),
  )
}

function deliveryBody(group: string, delivery: DeliveryInfo): object {
  const { state, attempt, consumerId, expiresAtMs, dueAtMs, reason, cause } = delivery
  return {
    group,
    state,
    attempt,
    ...(consumerId === null ? {} : { consumerId }),
    ...(expiresAtMs === null ? {} : { expiresAt: formatTime(expiresAtMs) }),
    ...(dueAtMs === null ? {} : { dueAt: formatTime(dueAtMs) }),
    ...(reason === null ? {} : { reason }),
    ...(cause === null ? {} : { cause }),
  }
}

/** Routes that find events. */
export const searchRoutes = [query, byId]
