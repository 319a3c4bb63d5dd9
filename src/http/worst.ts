import { type Code, type Failure, failure } from '../core/failure.ts'

/** Codes of failures that several partitions can have at once, the worst first; all others come after. */
const order: readonly Code[] = ['ambiguous', 'backend_unavailable', 'overloaded', 'id_conflict', 'partition_full']

const rankOf = (code: Code): number => (order.includes(code) ? order.indexOf(code) : order.length)

/** The failure of a call from those of its partitions: the worst, naming every partition that failed in its way. */
export function worstOf(failures: readonly Failure[]): Failure {
  const worst = failures.reduce((a, b) => (rankOf(b.code) < rankOf(a.code) ? b : a))
  if (worst.code !== 'ambiguous' && worst.code !== 'backend_unavailable') return worst
  const partitions = failures.flatMap((one) =>
    one.code === worst.code ? ((one as typeof worst).partitions ?? []) : [],
  )
  return partitions.length === 0 ? worst : failure(worst.code, worst.detail, { partitions })
}

/** Whether a failure is that of an object which could not be reached, and says nothing about the request. */
export const isOutage = (failure: Failure): boolean =>
  failure.code === 'ambiguous' || failure.code === 'backend_unavailable' || failure.code === 'overloaded'

/** Whether a failure says that what was asked for is not there. */
export const isGone = (failure: Failure): boolean =>
  failure.code === 'stream_not_found' || failure.code === 'group_not_found'
