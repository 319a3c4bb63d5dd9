import { ack, type Lease, type Rheo } from '../client/index.ts'
import { type Measured, type MeasureOptions, measure } from './measure.ts'

export interface BenchOptions {
  /** A client as apps have it, and one that sends every call by itself. */
  readonly rheo: Rheo
  readonly alone: Rheo
  readonly stream: string
  readonly durationMs: number
  readonly callers: number
  readonly batch: number
  readonly bytes: number
  readonly signal: AbortSignal
  onProgress(name: string, events: number): void
}

/** Runs all measures one after the other; the stream has to be there and empty. */
export async function* benchMeasures(options: BenchOptions): AsyncGenerator<Measured> {
  const { rheo, alone, stream, batch, bytes, durationMs, callers, signal } = options
  const payload = { text: 'x'.repeat(bytes) }
  let key = 0
  const nextEvent = () => ({ key: `k${key++ % 1_000}`, payload })
  const many = (name: string, count = callers): MeasureOptions => ({
    name,
    callers: count,
    durationMs,
    signal,
    onProgress: (events) => options.onProgress(name, events),
  })

  yield await measure(many('round trip', 1), async () => {
    await rheo.health({ signal })
    return { events: 0 }
  })
  yield await measure(many('append, each alone'), async () => {
    await alone.append(stream, nextEvent(), { signal })
    return { events: 1 }
  })
  yield await measure(many('append, gathered'), async () => {
    await rheo.append(stream, nextEvent(), { signal })
    return { events: 1 }
  })
  yield await measure(many(`append ${batch} at once`), async () => {
    await rheo.appendMany(stream, Array.from({ length: batch }, nextEvent), { signal })
    return { events: batch }
  })

  const group = { stream, group: 'bench' }
  await rheo.groups.create(stream, group.group, { signal })
  const held: (readonly Lease[])[] = []
  yield await measure(many(`fetch and ack ${batch}`), async (caller) => {
    const items = (held[caller] ?? []).map(({ leaseId }) => ({ leaseId, outcome: 'ack' as const }))
    held[caller] = []
    const answer =
      items.length === 0
        ? { failed: 0, fetched: await rheo.fetch(stream, group.group, { limit: batch, signal }) }
        : await rheo.settle(group, items, { fetch: { limit: batch }, signal })
    if (answer.failed > 0) throw new Error(`${answer.failed} of ${items.length} leases were lost before their ack`)
    const { fetched } = answer
    if (fetched !== undefined && 'error' in fetched) throw fetched.error
    held[caller] = fetched?.leases ?? []
    return { events: items.length, isLast: held[caller].length === 0 }
  })

  yield await endToEnd(options, many('append to handler', 1), nextEvent)
}

/** From just before an append to the beginning of the handler, one event after the other, by a consumer that waits. */
async function endToEnd(
  { rheo, stream }: BenchOptions,
  options: MeasureOptions,
  event: () => object,
): Promise<Measured> {
  const group = 'bench-latency'
  await rheo.groups.create(stream, group, { start: 'latest', signal: options.signal })
  let onHandled = (): void => {}
  let onFailed = (_: unknown): void => {}
  options.signal.addEventListener('abort', () => onFailed(options.signal.reason), { once: true })
  const consumer = await rheo.consumer({
    stream,
    group,
    signal: options.signal,
    onEvent: (event) => event.type === 'error' && onFailed(event.error),
    handler: () => {
      onHandled()
      return ack
    },
  })
  try {
    return await measure(options, async () => {
      const handled = new Promise<void>((resolve, reject) => {
        onHandled = resolve
        onFailed = reject
      })
      await Promise.all([rheo.append(stream, event(), { signal: options.signal }), handled])
      return { events: 1 }
    })
  } finally {
    if (!options.signal.aborted) await consumer.drain(5_000)
  }
}
