import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { type AppendedEvent, type NewEvent, RheoError } from '../../client/index.ts'
import { given, integer, jsonObject, streamArg } from '../arguments.ts'
import { type Batch, batchesOf } from '../batch.ts'
import { type Context, command } from '../command.ts'
import { placeOf } from '../show-event.ts'
import { UsageError } from '../usage-error.ts'

const appendArgs = {
  stream: streamArg,
  type: { type: 'string', description: 'Its type', valueHint: 'text' },
  key: { type: 'string', description: 'Its key, which chooses the partition', valueHint: 'text' },
  payload: { type: 'string', description: 'Its payload', valueHint: 'JSON' },
  metadata: { type: 'string', description: 'Its metadata', valueHint: 'JSON' },
  id: { type: 'string', description: 'An id of its own, so that a repeat appends nothing', valueHint: 'text' },
  timestamp: { type: 'string', description: 'Its time (default: now)', valueHint: 'time' },
  partition: { type: 'string', description: 'Its partition, instead of a key', valueHint: 'n' },
  'expect-sequence': { type: 'string', description: 'Append only if the partition ends here', valueHint: 'n' },
  'idempotency-key': { type: 'string', description: 'A repeat with this key appends nothing', valueHint: 'text' },
  file: {
    type: 'string',
    description: 'Append the lines of this file, a JSON event each; - is stdin',
    valueHint: 'path',
  },
} as const

export const append = command({
  name: 'append',
  description: 'Append one event, or many from a file or stdin',
  args: appendArgs,
  examples: [
    `append orders --type placed --key customer-7 --payload '{"total":12.5}'`,
    'append orders --file events.ndjson',
    'append orders --file - < events.ndjson',
  ],
  run: (context) => (context.args.file === undefined ? appendOne(context) : appendFile(context, context.args.file)),
})

async function appendOne({ args, rheo, print }: Context<typeof appendArgs>): Promise<number> {
  const event = given({
    type: args.type,
    key: args.key,
    payload: jsonObject('--payload', args.payload),
    metadata: jsonObject('--metadata', args.metadata),
    id: args.id,
    timestamp: args.timestamp,
    partition: integer('--partition', args.partition),
  })
  const appended = await rheo.append(args.stream, event as NewEvent, {
    expectedSequence: integer('--expect-sequence', args['expect-sequence']),
    idempotencyKey: args['idempotency-key'],
  })
  await print(appended, () => {
    const verb = appended.duplicate ? 'was there before' : 'appended'
    return `${verb}: ${placeOf(appended)} ${appended.id}\n`
  })
  return 0
}

async function appendFile({ args, rheo, io, json, print }: Context<typeof appendArgs>, file: string): Promise<number> {
  const other = Object.keys(appendArgs).find((name) => {
    return name !== 'file' && name !== 'stream' && args[name as keyof typeof appendArgs] !== undefined
  })
  if (other !== undefined) throw new UsageError(`--file goes without --${other}`)
  const counts = { appended: 0, duplicates: 0 }
  const count = (events: readonly Pick<AppendedEvent, 'duplicate'>[]): void => {
    const duplicates = events.filter(({ duplicate }) => duplicate).length
    counts.duplicates += duplicates
    counts.appended += events.length - duplicates
    if (io.isInteractive) io.err(`\r${counts.appended + counts.duplicates} events`)
  }
  const end = () => (io.isInteractive && counts.appended + counts.duplicates > 0 ? io.err('\n') : undefined)
  let batch: Batch | undefined
  try {
    for await (batch of batchesOf(inputOf(file, io.stdin))) count(await rheo.appendMany(args.stream, batch.events))
  } catch (error) {
    end()
    // What is in stays in, and whoever goes on has to know.
    await print(counts, () => textOf(counts))
    const isRefused = error instanceof RheoError && batch !== undefined
    if (isRefused && !json) io.err(`lines ${batch!.first} to ${batch!.last} failed\n`)
    throw error
  }
  end()
  await print(counts, () => textOf(counts))
  return 0
}

const textOf = (counts: { appended: number; duplicates: number }): string =>
  `${counts.appended} appended, ${counts.duplicates} there before\n`

const inputOf = (file: string, stdin: Readable): Readable => (file === '-' ? stdin : createReadStream(file))
