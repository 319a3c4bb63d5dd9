import { type Measured, percentile } from './load.ts'
import { short, table } from './table.ts'

/** What came of one scenario. Rows are per event; for `lag` an event is a call. */
export type Result = {
  name: string
  connections: number
  requestsPerSecond: number
  p50Ms: number
  p99Ms: number
  eventsPerSecond: number
  rowsReadPerEvent: number
  rowsWrittenPerEvent: number
  /** Processor time of the server's process, in microseconds. */
  processorUsPerRequest: number
  reference: { requestsPerSecond: number; p50Ms: number; p99Ms: number; processorUsPerRequest: number }
  /** Requests per second over those of the reference: the median of the rounds, the least and the greatest. */
  ratio: { median: number; least: number; greatest: number }
  /** The part of a processor that this process took to make the server's load. */
  clientLoad: number
}

export function toResult(
  scenario: Pick<Result, 'name' | 'connections'>,
  served: Measured,
  referred: Measured,
  ratios: readonly number[],
): Result {
  return {
    ...scenario,
    requestsPerSecond: served.requests / served.seconds,
    p50Ms: percentile(served.latenciesMs, 50),
    p99Ms: percentile(served.latenciesMs, 99),
    eventsPerSecond: served.events / served.seconds,
    rowsReadPerEvent: served.rowsRead / served.events,
    rowsWrittenPerEvent: served.rowsWritten / served.events,
    processorUsPerRequest: (1e6 * served.serverSeconds) / served.requests,
    reference: {
      requestsPerSecond: referred.requests / referred.seconds,
      p50Ms: percentile(referred.latenciesMs, 50),
      p99Ms: percentile(referred.latenciesMs, 99),
      processorUsPerRequest: (1e6 * referred.serverSeconds) / referred.requests,
    },
    ratio: { median: percentile(ratios, 50), least: Math.min(...ratios), greatest: Math.max(...ratios) },
    clientLoad: served.clientSeconds / served.seconds,
  }
}

const notes = `Latencies are of a whole step: one append, one fetch and its ack, one lag. Rows are per event, for lag per call.
cpu us: processor time of the server's process per request, in microseconds.
bare: a Worker and one Durable Object that insert the same body as one row per request, unread, in turns with the server.
x bare: requests per second over those of bare, median of the rounds (least to greatest).
client: processor time of the load generator; near 100 % it is the generator that is measured.`

/** The results as a table with its notes. */
export function toTable(results: readonly Result[]): string {
  const header = ['scenario', 'conns', 'req/s', 'p50 ms', 'p99 ms', 'events/s', 'rows read', 'rows written', 'cpu us']
  const rows = results.map((result) => [
    result.name,
    String(result.connections),
    short(result.requestsPerSecond),
    short(result.p50Ms),
    short(result.p99Ms),
    short(result.eventsPerSecond),
    short(result.rowsReadPerEvent),
    short(result.rowsWrittenPerEvent),
    short(result.processorUsPerRequest),
    short(result.reference.requestsPerSecond),
    short(result.reference.p50Ms),
    short(result.reference.processorUsPerRequest),
    `${short(result.ratio.median)} (${short(result.ratio.least)} to ${short(result.ratio.greatest)})`,
    `${Math.round(100 * result.clientLoad)} %`,
  ])
  return `${table([...header, 'bare req/s', 'bare p50', 'bare cpu', 'x bare', 'client'], rows, 1)}\n\n${notes}`
}
