import { type ConsumeEvent, RheoError } from '../../client/index.ts'
import { groupArg, integer, integers, partitionsArg, streamArg } from '../arguments.ts'
import { command } from '../command.ts'
import { runForEvent } from '../run-for-event.ts'
import { placeOf } from '../show-event.ts'

/** A consumer goes on whatever fails; with these it would go on for ever. */
const fatal = /^(stream_not_found|group_not_found|not_found|unauthenticated|forbidden|invalid_.*)$/

export const consume = command({
  name: 'consume',
  description: 'Run a shell command for each event: exit code 0 acks it, any other lets it be tried again',
  args: {
    stream: streamArg,
    group: groupArg,
    exec: {
      type: 'string',
      description: 'The command; the event is on its stdin, RHEO_ATTEMPT and others in its environment',
      valueHint: 'command',
      required: true,
    },
    concurrency: { type: 'string', description: 'How many run at once (default: 1)', valueHint: 'n' },
    'max-demand': { type: 'string', description: 'Leases held at most (default: twice of that)', valueHint: 'n' },
    'lease-ms': { type: 'string', description: 'Length of the leases (default: the group’s)', valueHint: 'ms' },
    'timeout-ms': { type: 'string', description: 'How long a run may take (default: ten leases)', valueHint: 'ms' },
    'drain-ms': { type: 'string', description: 'How long Ctrl-C waits for runs (default: 30000)', valueHint: 'ms' },
    consumer: { type: 'string', description: 'Who holds the leases', valueHint: 'name' },
    partitions: partitionsArg,
    'until-caught-up': { type: 'boolean', description: 'End when the group has no work left' },
  },
  examples: [
    `consume orders billing --exec 'jq .event.payload' --until-caught-up`,
    'consume orders billing --exec ./bill.sh --concurrency 8 --lease-ms 60000',
  ],
  async run({ args, rheo, io, json, print, explain }) {
    const counts = { acked: 0, retried: 0, rejected: 0, lost: 0, released: 0, unsettled: 0 }
    const stop = new AbortController()
    const drainMs = integer('--drain-ms', args['drain-ms']) ?? 30_000
    let isDraining = false
    let failure: unknown
    const fail = (error: unknown): void => {
      failure ??= error
      stop.abort(error)
    }
    const drain = (): void => {
      if (isDraining) return
      isDraining = true
      // Events may come before `rheo.consumer` has given the consumer.
      started
        .then((consumer) => consumer.drain(drainMs))
        .then(({ unsettled }) => {
          counts.unsettled = unsettled
          stop.abort()
        }, fail)
    }
    const onInterrupt = (): void => {
      if (isDraining) stop.abort()
      else io.err('Waiting for what is running; again to stop at once.\n')
      drain()
    }
    const onEvent = (event: ConsumeEvent): void => {
      if (event.type in counts) counts[event.type as keyof typeof counts] += 1
      if (event.type === 'fetched' && event.reason === 'caught_up' && args['until-caught-up']) drain()
      const text = isFatal(event) ? null : textOf(event, explain)
      if (text !== null) io.err(`${text}\n`)
      // What ends it is told once, at the end.
      if (isFatal(event)) fail(event.error)
    }
    const forget = io.onInterrupt(onInterrupt)
    const started = rheo.consumer({
      stream: args.stream,
      group: args.group,
      concurrency: integer('--concurrency', args.concurrency),
      maxDemand: integer('--max-demand', args['max-demand']),
      leaseMs: integer('--lease-ms', args['lease-ms']),
      handlerTimeoutMs: integer('--timeout-ms', args['timeout-ms']),
      partitions: integers('--partitions', args.partitions),
      consumerId: args.consumer,
      // Whoever wants to end when there is nothing left has to be told soon.
      pollMs: args['until-caught-up'] ? 100 : undefined,
      signal: stop.signal,
      onEvent,
      handler: (_, context) =>
        runForEvent(args.exec, context, {
          env: io.env,
          // With --json stdout is for the answer alone.
          onOutput: (text) => (json ? io.err(text) : void io.out(text)),
          onError: (text) => io.err(text),
        }),
    })
    try {
      await (await started).closed
    } finally {
      forget()
    }
    if (failure !== undefined) throw failure
    const { acked, retried, rejected, lost, released, unsettled } = counts
    await print(counts, () => {
      const more = unsettled > 0 ? `, ${unsettled} not settled` : ''
      return `acked ${acked}, retried ${retried}, rejected ${rejected}, lost ${lost}, given back ${released}${more}\n`
    })
    return unsettled === 0 ? 0 : 1
  },
})

const isFatal = (event: ConsumeEvent): event is ConsumeEvent & { type: 'error' } =>
  event.type === 'error' && event.during === 'fetch' && event.error instanceof RheoError && fatal.test(event.error.code)

/** What is worth a line. */
function textOf(event: ConsumeEvent, explain: (error: unknown) => string): string | null {
  switch (event.type) {
    case 'retried': {
      const { lease, reason, state } = event
      return `${placeOf(lease)} attempt ${lease.attempt} failed: ${reason}; ${state === 'rejected' ? 'dead letter' : state}`
    }
    case 'lost':
      return `${placeOf(event.lease)} lost: ${event.cause}`
    case 'error':
      // What a handler throws is told as a retry.
      return event.during === 'handler' ? null : `${event.during} failed: ${explain(event.error)}`
    default:
      return null
  }
}
