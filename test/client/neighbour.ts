import { ack, Rheo } from '../../src/client/index.ts'

/** What of a service binding the SDK uses. */
interface Env {
  readonly RHEO: { fetch(url: string, init: object): Promise<Response> }
}

/** What the consumer saw. */
export interface Seen {
  readonly handled: number
  /** How many events were handled how often. */
  readonly attempts: Readonly<Record<number, number>>
  /** Handlers at once, at most. */
  readonly mostRunning: number
  readonly errors: readonly string[]
  readonly lag: number
  readonly unsettled: number
}

const [stream, group] = ['bound', 'g']

/** A Worker that appends events over its service binding and consumes them, one handler in fifty failing once. */
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const count = Number(new URL(request.url).searchParams.get('events'))
    const rheo = new Rheo({ fetch: env.RHEO.fetch.bind(env.RHEO), tenant: 'neighbour' })
    await rheo.streams.create(stream, { partitionCount: 4 })
    await rheo.groups.create(stream, group)
    for (let n = 0; n < count; n += 1_000) {
      const events = Array.from({ length: 1_000 }, (_, m) => ({ key: `k${n + m}`, payload: { n: n + m } }))
      await rheo.appendMany(stream, events)
    }
    return Response.json(await consume(rheo, count))
  },
}

async function consume(rheo: Rheo, count: number): Promise<Seen> {
  const attempts = new Map<number, number>()
  const errors: string[] = []
  let running = 0
  let mostRunning = 0
  let acked = 0
  let finish = (): void => {}
  const finished = new Promise<void>((resolve) => {
    finish = resolve
  })
  const consumer = await rheo.consumer<{ n: number }>({
    stream,
    group,
    concurrency: 8,
    maxDemand: 200,
    onEvent(event) {
      if (event.type === 'error' && event.during !== 'handler') errors.push(`${event.during}: ${event.error}`)
      if (event.type === 'acked' && ++acked === count) finish()
    },
    async handler({ payload: { n } }, { attempt }) {
      running += 1
      mostRunning = Math.max(mostRunning, running)
      // No timer: while calls come and go, workerd fires one of them at a time.
      await undefined
      running -= 1
      attempts.set(n, attempt)
      if (n % 50 === 0 && attempt === 1) throw new Error('one in fifty')
      return ack
    },
  })
  await finished
  const { unsettled } = await consumer.drain(10_000)
  const counts: Record<number, number> = {}
  for (const attempt of attempts.values()) counts[attempt] = (counts[attempt] ?? 0) + 1
  const { lag } = await rheo.groups.lag(stream, group)
  return { handled: attempts.size, attempts: counts, mostRunning, errors, lag, unsettled }
}
