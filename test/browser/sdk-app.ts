import { ack, pipeline, Rheo, StreamNotFoundError } from '../../src/client/index.ts'

/** What the page saw. */
export interface Seen {
  readonly appended: number
  readonly attempts: Readonly<Record<number, number>>
  readonly drained: object
  readonly lag: number
  readonly batched: number
  readonly missing: boolean
}

const EVENTS = 200

/** An app in a page: produces, consumes with a handler that fails one in fifty, drains, and runs a pipeline. */
export async function run(url: string): Promise<Seen> {
  const rheo = new Rheo({ url, tenant: `page-${crypto.randomUUID()}` })
  const stream = 'page'
  await rheo.streams.create(stream, { partitionCount: 2 })
  await rheo.groups.create(stream, 'g')
  await rheo.groups.create(stream, 'batches')
  const numbers = [...Array(EVENTS).keys()]
  const appended = await Promise.all(numbers.map((n) => rheo.append(stream, { key: `k${n}`, payload: { n } })))

  const attempts = new Map<number, number>()
  let finish = (): void => {}
  let acked = 0
  const finished = new Promise<void>((resolve) => {
    finish = resolve
  })
  const consumer = await rheo.consumer<{ n: number }>({
    stream,
    group: 'g',
    concurrency: 8,
    onEvent: (event) => event.type === 'acked' && ++acked === EVENTS && finish(),
    handler: async ({ payload: { n } }, { attempt }) => {
      attempts.set(n, attempt)
      if (n % 50 === 0 && attempt === 1) throw new Error('one in fifty')
      return ack
    },
  })
  await finished
  const drained = await consumer.drain(5_000)
  const counts: Record<number, number> = {}
  for (const attempt of attempts.values()) counts[attempt] = (counts[attempt] ?? 0) + 1

  let batched = 0
  const leases = rheo.leases({ stream, group: 'batches', maxDemand: 100, pollMs: 0 })
  const piped = pipeline(rheo, leases, {
    concurrency: 4,
    processor: ({ sequence }) => sequence,
    batch: {
      size: 50,
      timeoutMs: 20,
      async handler(batch) {
        batched += batch.length
        if (batched === EVENTS) void leases.drain(5_000)
        return undefined
      },
    },
  })
  await piped
  const { lag } = await rheo.groups.lag(stream, 'g')
  const missing = await rheo.streams.get('none').then(
    () => false,
    (error) => error instanceof StreamNotFoundError,
  )
  return { appended: new Set(appended.map(({ id }) => id)).size, attempts: counts, drained, lag, batched, missing }
}
