import { type Deliveries, textOf } from './delivery.ts'
import { type End, endOf, mayHaveLanded, type Position } from './history.ts'

/** The frontier is contiguous, never past a hole and never stuck behind what is terminal; lag is that of the history. */
export function checkFrontier(deliveries: Deliveries, end: End): string[] {
  const { positions } = deliveries.history
  const groups = Map.groupBy([...positions, ...end.groups.flatMap((group) => group.positions)], keyOf)
  return [...groups.values()].flatMap((own) => {
    const { group, partition } = own[0]!
    const log = end.log[partition]!
    const terminalFrom = earliestTerminal(deliveries, group, partition, log)
    return [
      ...own.flatMap((position) => [
        ...checkNumbers(deliveries, position, log.length),
        ...checkPassed(position, terminalFrom),
        ...checkStuck(deliveries, position, log),
        ...checkHoles(deliveries, position, log),
      ]),
      ...checkOrder(deliveries, own),
    ]
  })
}

const keyOf = ({ group, partition }: Position): string => `${group}/${partition}`

type Numbers = readonly { readonly number: number }[]

const placeOf = ({ group, partition }: Position, sequence: number, log: Numbers) => ({
  group,
  partition,
  sequence,
  number: log[sequence - 1]?.number ?? -1,
})

function checkNumbers({ history }: Deliveries, position: Position, length: number): string[] {
  const { group, partition, frontier, highWatermark, lag, sent } = position
  const what = `${group} in ${partition}: frontier ${frontier}, high watermark ${highWatermark}, lag ${lag}`
  const known = history.appends
    .filter((append) => append.partition === partition && append.answered !== null && append.answered < sent)
    .flatMap(({ seen }) => (seen ?? []).map(({ sequence }) => sequence))
  const isSound = frontier >= 0 && frontier <= highWatermark && lag === highWatermark - frontier
  const isCurrent = highWatermark <= length && known.every((sequence) => sequence <= highWatermark)
  return [...(isSound ? [] : [`${what} do not agree`]), ...(isCurrent ? [] : [`${what} are not of that time`])]
}

/**
 * For each sequence the first step at which it may have been terminal: skipped, acked, rejected or dead. Infinity where
 * nobody did anything that makes it so.
 */
function earliestTerminal(deliveries: Deliveries, group: string, partition: number, log: Numbers): number[] {
  const { history } = deliveries
  const least = deliveries.maxAttempts(group, 'least')
  const starts = history.starts.filter((start) => start.group === group && start.partition === partition)
  // Leases that reached nobody count as well: so many of them may have used up the attempts of any delivery.
  const unseen = history.fetches.filter((one) => one.group === group && one.partition === partition && !one.isWhole)
  return log.map((_, index) => {
    const sequence = index + 1
    const delivery = deliveries.at(group, partition, sequence)
    const settles = (delivery?.settles ?? []).filter(mayHaveLanded).flatMap(({ outcome, lease, sent }) => {
      const ends = outcome === 'ack' || outcome === 'reject' || (outcome === 'nack' && lease.attempt >= least)
      return ends ? [sent] : []
    })
    const skips = starts.flatMap(({ skipped, sent }) => (sequence <= skipped ? [sent] : []))
    const attempts = Math.max(0, ...(delivery?.leases ?? []).map(({ attempt }) => attempt))
    const mayDie = attempts + unseen.length >= least
    return Math.min(...settles, ...skips, mayDie ? 0 : Infinity)
  })
}

function checkPassed(position: Position, terminalFrom: readonly number[]): string[] {
  const { group, partition, frontier } = position
  const before = position.answered ?? Infinity
  const passed = terminalFrom.slice(0, frontier).findIndex((from) => from >= before)
  if (passed === -1) return []
  return [`${textOf({ group, partition, sequence: passed + 1 })} was passed by the frontier ${frontier} and is a hole`]
}

/** What has surely come to an end does not hold the frontier. */
function checkStuck(deliveries: Deliveries, position: Position, log: Numbers): string[] {
  const { frontier, highWatermark } = position
  if (frontier >= highWatermark) return []
  return endedAt(deliveries, position, frontier + 1, log).map((what) => `${what} holds the frontier ${frontier}`)
}

/** How a delivery came to an end before a position was asked for; empty when that is not certain. */
function endedAt(deliveries: Deliveries, position: Position, sequence: number, log: Numbers): string[] {
  const { group, partition, sent, answered } = position
  const place = placeOf(position, sequence, log)
  const delivery = deliveries.at(group, partition, sequence)
  const settles = delivery === undefined ? [] : deliveries.ended(delivery, sent)
  return settles
    .filter((settle) => !deliveries.mayReopen(place, settle.sent, answered ?? Infinity))
    .slice(0, 1)
    .map(({ outcome, lease }) => `${textOf(place)}, ended by the ${outcome} of attempt ${lease.attempt},`)
}

const OPEN = new Set(['undelivered', 'available', 'delayed', 'leased'])

function checkHoles(deliveries: Deliveries, position: Position, log: Numbers): string[] {
  const { group, partition, frontier, highWatermark, holes } = position
  if (holes === null) return []
  const text = `${group} in ${partition}: the holes ${holes.map(({ first, last }) => `${first}-${last}`).join()}`
  let behind = frontier
  const isSound = holes.every(({ first, last, state }, index) => {
    const fits = (index === 0 ? first === behind + 1 : first > behind) && last >= first && OPEN.has(state)
    behind = last
    return fits
  })
  const isWhole = isSound && behind <= highWatermark && (holes.length > 0 || frontier === highWatermark)
  const ended = holes.flatMap(({ first, last }) => {
    const sequences = Array.from({ length: last - first + 1 }, (_, at) => first + at)
    return sequences.flatMap((sequence) => endedAt(deliveries, position, sequence, log))
  })
  return [
    ...(isWhole ? [] : [`${text} do not lie between ${frontier} and ${highWatermark}`]),
    ...ended.slice(0, 1).map((what) => `${what} is a hole`),
  ]
}

/** Frontier and high watermark go back only by a reset, the frontier also by a replay or a redrive. */
function checkOrder({ history }: Deliveries, positions: readonly Position[]): string[] {
  return positions.flatMap((a) =>
    positions
      .filter((b) => a.answered !== null && a.answered < b.sent)
      .filter((b) => b.highWatermark < a.highWatermark || (b.frontier < a.frontier && !mayGoBack(a, b)))
      .slice(0, 1)
      .map((b) => `${a.group} in ${a.partition} went back from ${a.frontier} to ${b.frontier}`),
  )

  function mayGoBack(a: Position, b: Position): boolean {
    return history.reopenings.some(
      (one) => one.group === a.group && one.sent < (b.answered ?? Infinity) && endOf(one) > a.sent,
    )
  }
}
