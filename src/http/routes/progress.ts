import * as v from 'valibot'
import { limits } from '../../core/limits.ts'
import { type Blocker, done, type Holes, refused } from '../../core/partition/commands.ts'
import { allPartitions } from '../../core/route.ts'
import { formatTime } from '../../core/time.ts'
import { json } from '../answer.ts'
import { askEach } from '../ask.ts'
import { byPartition } from '../by-partition.ts'
import { partitionsOf } from '../contract/fetch.ts'
import { object, parameter, partition } from '../contract/values.ts'
import { onGroup } from '../directory.ts'
import { allOf } from '../gather.ts'
import { get } from '../route.ts'

const path = '/v1/streams/:stream/groups/:group'

const lag = get(`${path}/lag`, 'read', object({}), (call, { names }) =>
  onGroup(call, names, async ({ stream, group }) => {
    const partitions = allPartitions(stream.partitionCount)
    const lags = allOf(await askEach(call, stream, partitions, { type: 'lag', group }))
    if (lags.status !== 'done') return lags
    const sum = lags.value.reduce((total, one) => total + one.lag, 0)
    return done(
      json({ stream: stream.name, group: names.group, partitions: byPartition(partitions, lags.value), lag: sum }),
    )
  }),
)

const holesQuery = object({ partition: v.optional(parameter(partition)) })

const holes = get(`${path}/holes`, 'read', holesQuery, (call, { names, input }) =>
  onGroup(call, names, async ({ stream, group }) => {
    const scope = partitionsOf(input.partition === undefined ? null : [input.partition], stream.partitionCount)
    if (!scope.ok) return refused(scope.failure)
    const command = { type: 'holes', group, maxRanges: limits.holeRanges } as const
    const answers = allOf(await askEach(call, stream, scope.value, command))
    if (answers.status !== 'done') return answers
    return done(json({ partitions: byPartition(scope.value, answers.value.map(holesBody)) }))
  }),
)

const holesBody = (holes: Holes) => ({
  ...holes,
  blockedBy: holes.blockedBy === null ? null : blockerBody(holes.blockedBy),
})

const timeOrNull = (timeMs: number | null): string | null => (timeMs === null ? null : formatTime(timeMs))

const blockerBody = ({ expiresAtMs, dueAtMs, reason, ...blocker }: Blocker) => ({
  ...blocker,
  expiresAt: timeOrNull(expiresAtMs),
  dueAt: timeOrNull(dueAtMs),
  reason,
})

/** Routes that show how far a group has come. */
export const progressRoutes = [lag, holes]
