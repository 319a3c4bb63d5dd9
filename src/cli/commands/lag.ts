import { groupArg, integer, streamArg } from '../arguments.ts'
import { command } from '../command.ts'
import { lagTable } from '../show-lag.ts'

export const lag = command({
  name: 'lag',
  description: 'Show how far a group is behind',
  args: {
    stream: streamArg,
    group: groupArg,
    watch: { type: 'boolean', description: 'Again and again, until Ctrl-C' },
    'interval-ms': { type: 'string', description: 'How often with --watch (default: 1000)', valueHint: 'ms' },
  },
  examples: ['groups lag orders billing', 'groups lag orders billing --watch'],
  async run({ args, rheo, io, print }) {
    const intervalMs = integer('--interval-ms', args['interval-ms']) ?? 1_000
    const stop = new AbortController()
    const forget = args.watch ? io.onInterrupt(() => stop.abort()) : () => {}
    try {
      do {
        const found = await rheo.groups.lag(args.stream, args.group)
        const clear = args.watch && io.isInteractive ? '\u001b[2J\u001b[H' : ''
        await print(found, () => `${clear}${lagTable(found.partitions)}${args.watch ? '\n' : ''}`)
        if (args.watch) await pause(intervalMs, stop.signal)
      } while (args.watch && !stop.signal.aborted)
    } finally {
      forget()
    }
    return 0
  },
})

/** Resolves after so many milliseconds, or when the signal aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
