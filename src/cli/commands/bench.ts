import { Rheo, RheoError } from '../../client/index.ts'
import { integer, yesArg } from '../arguments.ts'
import { benchMeasures } from '../bench-measures.ts'
import { type Context, command } from '../command.ts'
import { confirm } from '../confirm.ts'
import type { Measured } from '../measure.ts'
import { table } from '../table.ts'
import { UsageError } from '../usage-error.ts'

const args = {
  'duration-ms': { type: 'string', description: 'How long each measure lasts (default: 3000)', valueHint: 'ms' },
  callers: { type: 'string', description: 'How many call at once, 1 to 256 (default: 16)', valueHint: 'n' },
  batch: { type: 'string', description: 'Events of a batch, 1 to 1000 (default: 100)', valueHint: 'n' },
  bytes: { type: 'string', description: 'Text in each payload, 0 to 10000 (default: 200)', valueHint: 'n' },
  partitions: { type: 'string', description: 'Partitions of the stream, 1 to 256 (default: 1)', valueHint: 'n' },
  yes: yesArg,
} as const

const PROGRESS_MS = 100

const note = `Measured by this process: its own work and the way to the server are in every figure, and so are calls that the SDK
repeated. Times are of whole calls; of "append to handler" from just before the append to the start of the handler.
`

export const bench = command({
  name: 'bench',
  description: 'Measure a server from here, on a stream that is made for it and deleted',
  args,
  examples: ['bench', 'bench --url https://rheo.example.com --duration-ms 10000 --callers 64 --yes'],
  async run(context) {
    const { args, rheo, url, io, json, print } = context
    const sizes = {
      durationMs: bounded(args, 'duration-ms', 3_000, 1, 600_000),
      callers: bounded(args, 'callers', 16, 1, 256),
      batch: bounded(args, 'batch', 100, 1, 1_000),
      bytes: bounded(args, 'bytes', 200, 0, 10_000),
    }
    const partitionCount = bounded(args, 'partitions', 1, 1, 256)
    const { host, hostname } = new URL(url)
    const what = `This puts load on ${host} as fast as it can, and whoever runs that pays for the requests`
    if (!isLocal(hostname) && !(await confirm(io, args.yes, what, host))) return 1

    const stop = new AbortController()
    const forget = io.onInterrupt(() => stop.abort(new Error('it was interrupted')))
    const stream = `bench-${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}`
    const measures: Measured[] = []
    let [toldName, toldMs] = ['', 0]
    const onProgress = (name: string, events: number): void => {
      const isSoon = name === toldName && performance.now() - toldMs < PROGRESS_MS
      if (!io.isInteractive || isSoon) return
      toldName = name
      toldMs = performance.now()
      io.err(`\r\u001b[K${name}: ${events} events`)
    }
    try {
      await rheo.streams.create(stream, { partitionCount })
      const alone = new Rheo({ ...connectionOf(context), gather: false })
      const options = { rheo, alone, stream, signal: stop.signal, onProgress, ...sizes }
      for await (const measured of benchMeasures(options)) measures.push(measured)
    } finally {
      if (io.isInteractive) io.err('\r\u001b[K')
      await removeStream(context, stream)
      forget()
    }
    await print({ measuredAt: 'client', url, partitionCount, ...sizes, measures }, () => textOf(measures))
    if (!json) io.err(note)
    return 0
  },
})

/** A way to the server that sends single appends one by one, to be measured beside the usual one. */
const connectionOf = ({ url, token, tenant, io }: Context<typeof args>) => ({ url, token, tenant, fetch: io.fetch })

/** Whatever happened, nothing is to be left; what is left is named. */
async function removeStream({ rheo, io, explain }: Context<typeof args>, stream: string): Promise<void> {
  try {
    await rheo.streams.delete(stream, { confirm: true })
  } catch (error) {
    if (error instanceof RheoError && error.code === 'stream_not_found') return
    io.err(`the stream ${stream} was not deleted: ${explain(error)}\n`)
  }
}

function bounded(given: Context<typeof args>['args'], name: keyof typeof args, or: number, min: number, max: number) {
  const value = integer(`--${name}`, given[name] as string | undefined) ?? or
  if (value >= min && value <= max) return value
  throw new UsageError(`--${name} must be from ${min} to ${max}`)
}

const isLocal = (hostname: string): boolean =>
  hostname === 'localhost' ||
  hostname.endsWith('.localhost') ||
  hostname === '[::1]' ||
  /^127(\.\d{1,3}){3}$/.test(hostname)

function textOf(measures: readonly Measured[]): string {
  const rounded = (value: number | null) => (value === null ? null : Number(value.toPrecision(3)))
  const rows = measures.map((one) => [
    one.name,
    one.callers,
    one.calls,
    rounded(one.calls / one.seconds),
    one.events === 0 ? null : rounded(one.events / one.seconds),
    rounded(one.p50Ms),
    rounded(one.p99Ms),
    rounded(one.maxMs),
  ])
  return table(['MEASURE', 'CALLERS', 'CALLS', 'CALLS/S', 'EVENTS/S', 'P50 MS', 'P99 MS', 'MAX MS'], rows)
}
