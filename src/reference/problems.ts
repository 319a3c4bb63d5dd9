import type { Code, FailureData } from '../core/failure.ts'
import { problems } from '../http/problem.ts'
import { listOf, ref, type Schema, say } from './schema.ts'
import { anObject, count, name, partition, sequence, text } from './values.ts'

/** A member that is not always there. */
interface Sometimes {
  readonly sometimes: Schema
}

/** The data of each code, as the failures have it: a member too few, too many or too sure does not compile. */
type Data = {
  readonly [C in Code]: {
    readonly [K in keyof FailureData[C]]-?: object extends Pick<FailureData[C], K> ? Sometimes : Schema
  }
}

const sometimes = (schema: Schema, description: string): Sometimes => ({ sometimes: say(schema, description) })
const field = say(text, 'What is wrong: a member of the body such as `events[3].key`, a parameter or a header.')
const stream = say(text, 'The name of the stream.')

const data: Data = {
  stream_not_found: { stream },
  group_not_found: { stream, group: say(text, 'The name of the group.') },
  event_not_found: { stream, id: say(text, 'The id that was looked for.') },
  not_found: { path: say(text, 'The path that was asked.') },
  method_not_allowed: { allow: say(listOf(text), 'Methods that the path has.') },
  already_exists: { name: say(name, 'The name that is taken.') },
  invalid_name: { field },
  invalid_partition: {
    partition: sometimes({ type: 'integer' }, 'The partition that was asked.'),
    partitionCount: sometimes(count, 'How many the stream has.'),
  },
  invalid_partition_count: { field },
  invalid_start: { partitions: say(listOf(partition), 'Partitions whose last event lies before the start.') },
  invalid_replay: { field: sometimes(text, 'The member that is wrong.') },
  invalid_query: { field: sometimes(text, 'The condition that is wrong.') },
  invalid_request: { field },
  no_events_in_range: { stream },
  confirm_required: { field },
  cursor_not_found: { field },
  stale_lease: {
    leaseId: sometimes(text, 'The lease that is none any more.'),
    receipt: sometimes(text, 'The receipt of which nothing is held any more.'),
  },
  receipt_mismatch: { leaseId: say(text, 'The lease, which is current.') },
  id_conflict: {
    id: sometimes(text, 'The event id that another event has.'),
    idempotencyKey: sometimes(text, 'The key that came with another request.'),
  },
  sequence_conflict: {
    expectedSequence: say(sequence, 'The high watermark that was expected.'),
    highWatermark: say(sequence, 'The high watermark that the partition has.'),
  },
  payload_too_large: { field, limit: say(count, 'The limit in bytes.') },
  partition_full: { partition: say(partition, 'The partition that takes no more events.') },
  unauthenticated: {},
  forbidden: {},
  rate_limited: { retryAfterSeconds: say(count, 'As in the header `Retry-After`.') },
  overloaded: { partition: sometimes(partition, 'The partition that refuses load.') },
  backend_unavailable: {
    partition: sometimes(partition, 'The partition that could not be asked.'),
    partitions: sometimes(listOf(partition), 'Partitions that could not be asked.'),
  },
  ambiguous: { partitions: sometimes(listOf(partition), 'Partitions that have not answered.') },
  failed: {},
}

/** Every code of the closed set. */
export const codes = Object.keys(problems) as Code[]

/** The status of a code; `invalid_request` is 415, too, when it is about the content type. */
export const statusesOf = (code: Code): readonly number[] =>
  code === 'invalid_request' ? [400, 415] : [problems[code][0]]

/** The name of the component that describes a code. */
export const problemName = (code: Code): string => `problem.${code}`

const results = say(
  listOf({
    type: 'object',
    properties: {
      event: say(ref('Event'), 'The event, which is in.'),
      duplicate: say({ const: true }, 'It was in before.'),
      code: say({ type: 'string', enum: codes }, 'Why it is not in; `ambiguous`: unknown.'),
      detail: say(text, 'The same for people.'),
    },
  }),
  'What became of each event, where an append went to more than one partition.',
)

/** Members that an operation adds to a problem. */
const added: { readonly [C in Code]?: Readonly<Record<string, Schema>> } = {
  ambiguous: { done: say(anObject, 'What is done, where a replay or redrive ended half-way: as in its answer.') },
}

/** What an append that is in in part may answer. */
export const ofAppend: readonly Code[] = [
  'id_conflict',
  'sequence_conflict',
  'partition_full',
  'overloaded',
  'backend_unavailable',
  'ambiguous',
]

/** The schema of the problem of some codes, by the name of its component. */
export const problemSchemas = (of: readonly Code[]): Record<string, Schema> =>
  Object.fromEntries(of.map((code) => [problemName(code), problemSchema(code)]))

function problemSchema(code: Code): Schema {
  const [, title] = problems[code]
  const own = Object.entries(data[code] as Record<string, Schema | Sometimes>)
  const properties: Record<string, Schema> = {
    type: say({ const: `/docs/errors#${code}` }, 'Where the code is described.'),
    title: say({ const: title }, 'The code in words.'),
    status: say({ type: 'integer', enum: statusesOf(code) }, 'As in the status line.'),
    code: say({ const: code }, 'What programs branch on.'),
    detail: say(text, 'What happened, for people; it may change.'),
    ...Object.fromEntries(own.map(([member, schema]) => [member, 'sometimes' in schema ? schema.sometimes : schema])),
  }
  const required = Object.keys(properties).filter((member) => {
    const schema = (data[code] as Record<string, Schema | Sometimes>)[member]
    return schema === undefined || !('sometimes' in schema)
  })
  const more = { ...added[code], ...(ofAppend.includes(code) ? { results } : {}) }
  return { type: 'object', description: `${title}.`, properties: { ...properties, ...more }, required }
}
