import { checkFencing } from './check-fencing.ts'
import { checkFrontier } from './check-frontier.ts'
import { checkLeases } from './check-leases.ts'
import { checkLetters } from './check-letters.ts'
import { checkLog } from './check-log.ts'
import { Deliveries } from './delivery.ts'
import type { End, History } from './history.ts'

/** Says in a sentence each what a run has broken of what the service promises; nothing when all is well. */
export function check(history: History, end: End): string[] {
  const deliveries = new Deliveries(history)
  return [
    ...history.surprises,
    ...checkLog(history, end),
    ...checkLeases(deliveries),
    ...checkFencing(deliveries),
    ...checkFrontier(deliveries, end),
    ...checkLetters(deliveries, end),
    ...checkEnd(end),
  ]
}

/** Once faults have stopped every group comes to the end of the log. */
const checkEnd = ({ groups, log }: End): string[] =>
  groups.flatMap(({ group, positions }) =>
    positions
      .filter(({ partition, lag, highWatermark }) => lag !== 0 || highWatermark !== log[partition]!.length)
      .map(({ partition, lag }) => `${group} ends in ${partition} with a lag of ${lag}`),
  )
