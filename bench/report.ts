import { priceSources, prices } from './prices.ts'
import type { Comparison, ScenarioResult } from './result.ts'
import { metrics } from './scenario.ts'
import { short, table } from './table.ts'
import type { Sizes } from './world.ts'

/** A whole run, as `--json` prints it. */
export type Report = {
  machine: string
  at: string
  secondsPerLane: number
  rounds: number
  sizes: Sizes
  prices: typeof prices
  results: ScenarioResult[]
}

/** The report as Markdown. */
export function toText({ machine, at, secondsPerLane, rounds, sizes, results }: Report): string {
  const comparisons = results.flatMap((result) => result.comparisons.map((one) => compared(result.scenario, one)))
  const goals = results.flatMap((result) => result.comparisons.filter(({ isMet }) => isMet !== null))
  const met = goals.filter(({ isMet }) => isMet).length
  return [
    table(laneHeader, results.flatMap(laneRows), 2),
    comparisons.length > 0 ? table(comparisonHeader, comparisons, 2) : '',
    `${met} of ${goals.length} goals met.`,
    results.map(({ scenario, what }) => `- ${scenario}: ${what}`).join('\n'),
    notes(sizes),
    `${machine}; ${at}; ${rounds} rounds, ${secondsPerLane} s a lane`,
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

const laneHeader = [
  ...['scenario', 'lane', 'at once', 'events/s', 'p50 ms', 'p99 ms', 'page p50', 'page p99'],
  ...['requests', 'rows read', 'rows written', 'objects', '$ a million', 'cpu us', 'client'],
]

function laneRows({ scenario, lanes }: ScenarioResult): string[][] {
  return lanes.map((lane) => [
    scenario,
    lane.lane,
    String(lane.connections),
    ...[lane.eventsPerSecond, lane.p50Ms, lane.p99Ms, lane.pageP50Ms, lane.pageP99Ms].map(short),
    ...[lane.requestsPerEvent, lane.rowsReadPerEvent, lane.rowsWrittenPerEvent, lane.objectsPerEvent].map(short),
    short(lane.dollarsPerMillion),
    short(lane.serverUsPerRequest),
    `${Math.round(100 * lane.clientLoad)} %`,
  ])
}

const comparisonHeader = ['scenario', 'lane', 'measure', 'against', 'median', 'least', 'greatest', 'goal', '']

function compared(scenario: string, { lane, metric, against = '', atLeast, atMost, isMet, ...found }: Comparison) {
  const times = against === '' ? '' : 'x'
  const goal = atLeast !== undefined ? `>= ${atLeast}${times}` : atMost !== undefined ? `<= ${atMost}${times}` : ''
  const verdict = isMet === null ? '' : isMet ? 'met' : 'missed'
  const values = [found.median, found.least, found.greatest].map((value) => `${short(value)}${times}`)
  return [scenario, lane, metrics[metric], against, ...values, goal, verdict]
}

const notes = ({ small, large, fragments }: Sizes) =>
  `events/s: the median of the rounds. p50, p99: of a whole step. page: of one request of it.
requests, rows, objects: per event; a search, a replay and a lag count as one event.
$ a million: events, at list prices, as long as the object is awake for this load alone: ${Object.entries(prices)
    .map(([name, price]) => `${name} ${price}`)
    .join(', ')}, each for a million (${priceSources.join(' ')}).
cpu us: processor time of the server's process per request. client: of the load generator; near 100 % that is measured.
small log: ${short(small)} events. large log: ${short(large)}, its fragmented group with ${short(fragments)} runs in its ledger.
does nothing, insert, rows, textbook queue: a Worker and one Durable Object; Queues: as Miniflare runs them.`
