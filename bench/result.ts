import { joined, type Measured, median, percentile } from './load.ts'
import { dollarsPerMillion } from './prices.ts'
import type { Goal, Lane, Scenario } from './scenario.ts'

/** What came of a lane. Rows, objects and requests are per event; a search, a replay and a lag count as one. */
export type LaneResult = {
  lane: string
  isReference: boolean
  connections: number
  eventsPerSecond: number
  p50Ms: number
  p99Ms: number
  pageP50Ms: number
  pageP99Ms: number
  requestsPerEvent: number
  rowsReadPerEvent: number
  rowsWrittenPerEvent: number
  objectsPerEvent: number
  dollarsPerMillion: number
  /** Processor time of the server's process for each request, in microseconds. */
  serverUsPerRequest: number
  /** The part of a processor that this process took to make the load. */
  clientLoad: number
}

/** A lane beside another, or beside a fixed bound: the median of the rounds, the least and the greatest. */
export type Comparison = Goal & { median: number; least: number; greatest: number; isMet: boolean | null }

export type ScenarioResult = { scenario: string; what: string; lanes: LaneResult[]; comparisons: Comparison[] }

/** The rounds of a lane. */
export type Rounds = { lane: Lane; rounds: readonly Measured[] }

export function toResult({ name, what, goals }: Scenario, measured: readonly Rounds[]): ScenarioResult {
  const comparisons = [...goals, ...otherPairs(measured, goals)].map((goal) => compare(goal, measured))
  return { scenario: name, what, lanes: measured.map(laneResult), comparisons }
}

function laneResult({ lane, rounds }: Rounds): LaneResult {
  const all = joined(rounds)
  return {
    lane: lane.name,
    isReference: lane.isReference,
    connections: lane.connections,
    eventsPerSecond: median(rounds.map(read.eventsPerSecond)),
    p50Ms: percentile(all.stepMs, 50),
    p99Ms: percentile(all.stepMs, 99),
    pageP50Ms: percentile(all.requestMs, 50),
    pageP99Ms: percentile(all.requestMs, 99),
    requestsPerEvent: all.requests / all.events,
    rowsReadPerEvent: all.rowsRead / all.events,
    rowsWrittenPerEvent: all.rowsWritten / all.events,
    objectsPerEvent: all.objects / all.events,
    dollarsPerMillion: dollarsPerMillion(all),
    serverUsPerRequest: (1e6 * all.serverSeconds) / all.requests,
    clientLoad: all.clientSeconds / all.seconds,
  }
}

const read: Record<Goal['metric'], (measured: Measured) => number> = {
  eventsPerSecond: ({ events, seconds }) => events / seconds,
  p50Ms: ({ stepMs }) => median(stepMs),
  pageMs: ({ requestMs }) => median(requestMs),
  rowsWrittenPerStep: ({ rowsWritten, stepMs }) => rowsWritten / stepMs.length,
  rowsWrittenPerEvent: ({ rowsWritten, events }) => rowsWritten / events,
}

/** The first lane beside every reference that no goal puts it beside. */
function otherPairs(measured: readonly Rounds[], goals: readonly Goal[]): Goal[] {
  const lanes = measured.map(({ lane }) => lane)
  const lane = lanes[0]!.name
  return lanes
    .filter(({ isReference }) => isReference)
    .map((reference): Goal => ({ lane, metric: 'eventsPerSecond', against: reference.name }))
    .filter((pair) => !goals.some((goal) => goal.lane === lane && goal.against === pair.against))
}

function compare(goal: Goal, measured: readonly Rounds[]): Comparison {
  const roundsOf = (name: string) => measured.find(({ lane }) => lane.name === name)!.rounds.map(read[goal.metric])
  const values = roundsOf(goal.lane)
  const others = goal.against === undefined ? values.map(() => 1) : roundsOf(goal.against)
  const ratios = values.map((value, round) => value / others[round]!)
  const middle = median(ratios)
  const { atLeast, atMost } = goal
  const isMet =
    atLeast === undefined && atMost === undefined
      ? null
      : middle >= (atLeast ?? Number.NEGATIVE_INFINITY) && middle <= (atMost ?? Number.POSITIVE_INFINITY)
  return { ...goal, median: middle, least: Math.min(...ratios), greatest: Math.max(...ratios), isMet }
}
