import { parseEventId } from '../../core/event-id.ts'
import { type Failure, failed, failure, ok } from '../../core/failure.ts'
import { type Answer, type Command, done, type PartitionLag, refused } from '../../core/partition/commands.ts'
import { allPartitions } from '../../core/route.ts'
import { json } from '../answer.ts'
import { addressOf, ask, askCatalog, askEach } from '../ask.ts'
import { byPartition } from '../by-partition.ts'
import type { Call } from '../call.ts'
import { partitionsOf } from '../contract/fetch.ts'
import { checkRedrive, checkReplay, checkReset, type ReplayRequest } from '../contract/replay.ts'
import { onGroup, type Target } from '../directory.ts'
import { allOf } from '../gather.ts'
import { publishEach } from '../happenings.ts'
import { problem } from '../problem.ts'
import { jsonBody, withBody } from '../route.ts'
import { isGone, worstOf } from '../worst.ts'

const path = '/v1/streams/:stream/groups/:group'

/** A command for each of some partitions. */
type Commands<N extends 'replay' | 'redrive'> = readonly { readonly partition: number; readonly command: Command<N> }[]

/**
 * Runs a command in each partition, each as a whole. What ends half-way is `ambiguous` and says what is done (S7);
 * repeating it is safe.
 */
async function inEach<N extends 'replay' | 'redrive', T extends PartitionLag>(
  call: Call,
  { stream }: Target,
  commands: Commands<N>,
  respond: (partitions: readonly number[], values: readonly T[]) => Record<string, unknown>,
): Promise<Answer<Response>> {
  const answers = await Promise.all(
    commands.map(({ partition, command }) => ask(call, addressOf(call, stream, partition), command)),
  )
  if (answers.some(({ status }) => status === 'moved')) return { status: 'moved' }
  const failures = answers.flatMap((answer) => (answer.status === 'refused' ? [answer.failure] : []))
  const gone = failures.find(isGone)
  if (gone !== undefined) return refused(gone)
  const partitionsWith = (status: 'done' | 'refused') =>
    commands.flatMap(({ partition }, index) => (answers[index]!.status === status ? [partition] : []))
  const values = answers.flatMap((answer) => (answer.status === 'done' ? [answer.value as unknown as T] : []))
  if (failures.length === 0) return done(json(respond(partitionsWith('done'), values)))
  return done(halfWay(failures, partitionsWith('refused'), respond(partitionsWith('done'), values), values.length))
}

function halfWay(failures: readonly Failure[], missing: number[], what: object, count: number): Response {
  if (count === 0) return problem(worstOf(failures))
  const detail = `partition ${missing.join(', ')} has not answered; repeating the call is safe`
  return problem(failure('ambiguous', detail, { partitions: missing }), `,"done":${JSON.stringify(what)}`)
}

const lagBody = ({ frontier, highWatermark, lag }: PartitionLag) => ({ frontier, highWatermark, lag })

const replay = withBody('POST', `${path}/replay`, 'admin', jsonBody(checkReplay), (call, { names, input }) =>
  onGroup(call, names, async (target): Promise<Answer<Response>> => {
    const scope = partitionsOf(input.partitions, target.stream.partitionCount)
    if (!scope.ok) return refused(scope.failure)
    const commands = await replayCommands(call, target, scope.value, input)
    if (commands.status !== 'done') return commands
    if (input.kind === 'at') {
      const range = await checkRange(call, target, commands.value)
      if (range.status !== 'done') return range
    }
    return inEach(
      call,
      target,
      commands.value,
      (partitions, values: readonly (PartitionLag & { reopened: number })[]) => ({
        reopened: values.reduce((sum, { reopened }) => sum + reopened, 0),
        partitions: byPartition(
          partitions,
          values.map((value) => ({ reopened: value.reopened, ...lagBody(value) })),
        ),
      }),
    )
  }),
)

/** Tries a replay by time dry: refused when none of the partitions has an event in its range. */
async function checkRange(call: Call, { stream }: Target, commands: Commands<'replay'>): Promise<Answer<null>> {
  const dry = await Promise.all(
    commands.map(({ partition, command }) =>
      ask(call, addressOf(call, stream, partition), { ...command, replay: { ...command.replay, dryRun: true } }),
    ),
  )
  // Nothing has been done yet, and one that refuses load is not asked a second time.
  const overloaded = dry.find((answer) => answer.status === 'refused' && answer.failure.code === 'overloaded')
  if (overloaded?.status === 'refused') return overloaded
  // Any other partition that does not answer is told of by the replay itself.
  if (dry.some((answer) => answer.status !== 'done' || answer.value.inRange)) return done(null)
  const detail = 'from: no event of these partitions is as young as that'
  return refused(failure('no_events_in_range', detail, { stream: stream.name }))
}

/** The command of each partition. A limit over several partitions takes the first matches by sequence and partition. */
async function replayCommands(
  call: Call,
  { stream, group }: Target,
  partitions: readonly number[],
  { selectorOf, resetAttempts, dryRun }: ReplayRequest,
): Promise<Answer<Commands<'replay'>>> {
  const commandOf = (partition: number, limit: number | null) => {
    const selector = selectorOf(partition)
    const limited = selector.kind === 'matches' ? { ...selector, limit } : selector
    return {
      partition,
      command: { type: 'replay', replay: { group, selector: limited, resetAttempts, dryRun } } as const,
    }
  }
  const [selector] = partitions.map(selectorOf)
  const limit = selector?.kind === 'matches' ? selector.limit : null
  if (selector?.kind !== 'matches' || limit === null || partitions.length === 1) {
    return done(partitions.map((partition) => commandOf(partition, limit)))
  }
  const { selection } = selector
  const found = allOf(await askEach(call, stream, partitions, { type: 'matching', group, selection, limit }))
  if (found.status !== 'done') return found
  const first = found.value
    .flatMap(({ sequences }, index) => sequences.map((sequence) => ({ sequence, partition: partitions[index]! })))
    .sort((a, b) => a.sequence - b.sequence || a.partition - b.partition)
    .slice(0, limit)
  return done(
    partitions.map((partition) => commandOf(partition, first.filter((one) => one.partition === partition).length)),
  )
}

/** Works by the catalog alone: what is remembered may be a group of that name that is no more. */
const reset = withBody('POST', `${path}/reset`, 'admin', jsonBody(checkReset), async (call, { names, input }) => {
  const located = await askCatalog(call, { type: 'group', stream: names.stream, group: names.group })
  if (!located.ok) return located
  const scope = partitionsOf(input.partitions, located.value.stream.partitionCount)
  if (!scope.ok) return scope
  const partitions = input.partitions === null ? null : scope.value
  const { start } = input
  const command = { type: 'resetGroup', stream: names.stream, group: names.group, start, partitions } as const
  const answered = await askCatalog(call, command)
  const code = answered.ok ? null : answered.failure.code
  publishEach(call, names.stream, scope.value, { event: 'reset', code })
  if (!answered.ok) return answered
  const { stream, group } = answered.value
  const lags = allOf(await askEach(call, stream, scope.value, { type: 'lag', group: group.uid }))
  if (lags.status === 'done') return ok(json({ partitions: byPartition(scope.value, lags.value) }))
  return failed(failure('ambiguous', 'the group starts over, but not every partition has said where it stands', {}))
})

const redrive = withBody(
  'POST',
  `${path}/dead-letters/redrive`,
  'admin',
  jsonBody(checkRedrive),
  (call, { names, input: ids }) =>
    onGroup(call, names, (target) => {
      const commands = redriveCommands(target, ids)
      return inEach(call, target, commands, (partitions, values: readonly (PartitionLag & { redriven: number })[]) => ({
        redriven: values.reduce((sum, one) => sum + one.redriven, 0),
        partitions: byPartition(
          partitions,
          values.map((value) => ({ redriven: value.redriven, ...lagBody(value) })),
        ),
      }))
    }),
)

/** A generated id says its partition; a chosen one is looked for in all of them. */
function redriveCommands({ stream, group }: Target, ids: readonly string[] | null): Commands<'redrive'> {
  const partitions = allPartitions(stream.partitionCount)
  if (ids === null) {
    return partitions.map((partition) => ({
      partition,
      command: { type: 'redrive', group, eventIds: null, sequences: null },
    }))
  }
  const positions = ids.map((id) => parseEventId(id, stream.uid))
  const eventIds = ids.filter((_, index) => positions[index] === null)
  return partitions.map((partition) => ({
    partition,
    command: {
      type: 'redrive',
      group,
      eventIds,
      sequences: positions.flatMap((position) => (position?.partition === partition ? [position.sequence] : [])),
    },
  }))
}

/** Routes that give deliveries to a group again. */
export const replayRoutes = [replay, reset, redrive]
