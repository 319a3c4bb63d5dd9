import { ok } from '../../core/failure.ts'
import { limits } from '../../core/limits.ts'
import { done, type GroupInfo } from '../../core/partition/commands.ts'
import { allPartitions } from '../../core/route.ts'
import { formatTime } from '../../core/time.ts'
import { json, noContent } from '../answer.ts'
import { askCatalog, askEach } from '../ask.ts'
import { byPartition } from '../by-partition.ts'
import { checkGroupPatch, checkNewGroup, groupBody } from '../contract/group.ts'
import { object } from '../contract/values.ts'
import { nameCursor } from '../cursor.ts'
import { forgetGroup, twice } from '../directory.ts'
import { allOf } from '../gather.ts'
import { confirmedDelete, get, jsonBody, withBody } from '../route.ts'
import { nameList } from './streams.ts'

const path = '/v1/streams/:stream/groups'

const create = withBody('POST', path, 'admin', jsonBody(checkNewGroup), async (call, { names, input }) => {
  const maxGroups = call.quotas.groups ?? limits.groupsPerStream
  const created = await askCatalog(call, { type: 'createGroup', stream: names.stream, ...input, maxGroups })
  return created.ok ? ok(json(groupBody(created.value), 201)) : created
})

const list = get(path, 'read', nameList, async (call, { names, input: { limit, after } }) => {
  const from = nameCursor(after)
  if (!from.ok) return from
  const page = await askCatalog(call, { type: 'groups', stream: names.stream, after: from.value, limit })
  if (!page.ok) return page
  const { groups, more } = page.value
  return ok(json({ groups: groups.map(groupBody), nextCursor: more ? (groups.at(-1)?.name ?? null) : null }))
})

const patch = withBody(
  'PATCH',
  `${path}/:group`,
  'admin',
  jsonBody(checkGroupPatch),
  async (call, { names, input }) => {
    const patched = await askCatalog(call, {
      type: 'patchGroup',
      stream: names.stream,
      group: names.group,
      patch: input,
    })
    return patched.ok ? ok(json(groupBody(patched.value))) : patched
  },
)

const show = get(`${path}/:group`, 'read', object({}), (call, { names }) =>
  twice(
    call,
    () => askCatalog(call, { type: 'group', stream: names.stream, group: names.group }),
    () => {},
    async ({ stream, group }) => {
      const partitions = allPartitions(stream.partitionCount)
      const infos = allOf(await askEach(call, stream, partitions, { type: 'groupInfo', group: group.uid }))
      if (infos.status !== 'done') return infos
      return done(json({ ...groupBody(group), ...infoBody(partitions, infos.value, call.nowMs) }))
    },
  ),
)

/** What the partitions of a group say, as one. */
function infoBody(partitions: readonly number[], infos: readonly GroupInfo[], nowMs: number) {
  const sum = (count: (info: GroupInfo) => number): number => infos.reduce((total, info) => total + count(info), 0)
  const lags = infos.map((info) => info.lag)
  return {
    lag: { partitions: byPartition(partitions, lags), lag: sum((info) => info.lag.lag) },
    inFlight: sum((info) => info.inFlight),
    delayed: sum((info) => info.delayed),
    available: sum((info) => info.available),
    deadLetters: sum((info) => info.deadLetters),
    oldestUnsettled: oldestBody(partitions, infos, nowMs),
  }
}

/** The unsettled event with the lowest timestamp; of equal ones that of the first partition. */
function oldestBody(partitions: readonly number[], infos: readonly GroupInfo[], nowMs: number) {
  const all = infos.flatMap(({ oldestUnsettled }, index) =>
    oldestUnsettled === null ? [] : [{ partition: partitions[index]!, ...oldestUnsettled }],
  )
  if (all.length === 0) return null
  const oldest = all.reduce((a, b) => (b.timestampMs < a.timestampMs ? b : a))
  const { partition, sequence, eventId, timestampMs, state } = oldest
  const ageMs = Math.max(0, nowMs - timestampMs)
  return { partition, sequence, eventId, timestamp: formatTime(timestampMs), ageMs, state }
}

const remove = confirmedDelete(`${path}/:group`, async (call, names) => {
  const removed = await askCatalog(call, { type: 'deleteGroup', stream: names.stream, group: names.group })
  forgetGroup(call, names)
  return removed.ok ? ok(noContent()) : removed
})

/** Routes of consumer groups. */
export const groupRoutes = [create, list, show, patch, remove]
