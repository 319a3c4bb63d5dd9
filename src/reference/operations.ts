import type { Operations } from './operation.ts'
import { deadLetterOperations } from './operations/dead-letters.ts'
import { deliveryOperations } from './operations/delivery.ts'
import { eventOperations } from './operations/events.ts'
import { groupOperations } from './operations/groups.ts'
import { leaseOperations } from './operations/leases.ts'
import { metricsOperations } from './operations/metrics.ts'
import { progressOperations } from './operations/progress.ts'
import { replayOperations } from './operations/replay.ts'
import { searchOperations } from './operations/search.ts'
import { streamOperations } from './operations/streams.ts'
import { systemOperations } from './operations/system.ts'
import { tailOperations } from './operations/tail.ts'

/** What is said of every operation, in the order in which it is shown and in which the examples follow on each other. */
export const operations: Operations = {
  ...systemOperations,
  ...metricsOperations,
  ...streamOperations,
  ...eventOperations,
  ...searchOperations,
  ...tailOperations,
  ...groupOperations,
  ...deliveryOperations,
  ...progressOperations,
  ...leaseOperations,
  ...deadLetterOperations,
  ...replayOperations,
}
