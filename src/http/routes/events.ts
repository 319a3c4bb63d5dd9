import * as v from 'valibot'
import { ok } from '../../core/failure.ts'
import { joined } from '../../core/json.ts'
import { limits } from '../../core/limits.ts'
import { done, refused } from '../../core/partition/commands.ts'
import { jsonText } from '../answer.ts'
import { type AppendOutcome, append, appendFailure, type EventOutcome } from '../append.ts'
import { addressOf, ask } from '../ask.ts'
import { readAppend } from '../contract/append.ts'
import { partitionsOf } from '../contract/fetch.ts'
import { object, pageLimit, parameter, partition, sequence } from '../contract/values.ts'
import { onStream } from '../directory.ts'
import { problem } from '../problem.ts'
import { get, withBody } from '../route.ts'

const path = '/v1/streams/:stream/events'

const add = withBody('POST', path, 'append', readAppend, async (call, { names, input }) => {
  const admitted = call.takeEvents(input.events.length)
  if (!admitted.ok) return admitted
  const appended = await append(call, names, input)
  if (!appended.ok) return appended
  const failure = appendFailure(appended.value.outcomes)
  if (failure !== null) return ok(problem(failure, resultsMember(appended.value)))
  const ins = appended.value.outcomes.filter((outcome) => outcome.ok)
  const status = ins.every((outcome) => outcome.duplicate) ? 200 : 201
  if (input.form === 'one') return ok(jsonText(`{${eventMember(ins[0]!)}}`, status))
  return ok(jsonText(`{"events":[${joined(ins.map(eventOfMany))}]}`, status))
})

type In = Extract<EventOutcome, { ok: true }>

const eventMember = ({ event, duplicate }: In): string => `"event":${event}${duplicate ? ',"duplicate":true' : ''}`

const eventOfMany = ({ event, duplicate }: In): string =>
  duplicate ? `${event.slice(0, -1)},"duplicate":true}` : event

/** What of a batch is in, event by event. With one partition there is nothing to tell apart: nothing is in. */
function resultsMember({ outcomes, touched }: AppendOutcome): string {
  if (touched < 2) return ''
  const results = outcomes.map((outcome) => {
    if (outcome.ok) return `{${eventMember(outcome)}}`
    const { code, detail } = outcome.failure
    return JSON.stringify(code === 'ambiguous' ? { code } : { code, detail })
  })
  return `,"results":[${results.join(',')}]`
}

const readQuery = object({
  partition: v.optional(parameter(partition), '0'),
  after: v.optional(parameter(sequence), '0'),
  limit: pageLimit(100),
})

const read = get(path, 'read', readQuery, (call, { names, input }) =>
  onStream(call, names, async (stream) => {
    const scope = partitionsOf([input.partition], stream.partitionCount)
    if (!scope.ok) return refused(scope.failure)
    const { after, limit } = input
    const address = addressOf(call, stream, input.partition)
    const answer = await ask(call, address, { type: 'read', after, limit, maxBytes: limits.answerBytes })
    if (answer.status !== 'done') return answer
    const { events, last, highWatermark } = answer.value
    const nextAfter = last < highWatermark ? last : null
    return done(jsonText(`{"events":[${events}],"nextAfter":${nextAfter},"highWatermark":${highWatermark}}`))
  }),
)

/** Routes of events. */
export const eventRoutes = [add, read]
