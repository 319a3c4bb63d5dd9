import type { GroupInfo } from '../client/index.ts'
import { placeOf } from './show-event.ts'
import { list } from './table.ts'

/** A group with its options and counts. */
export function groupList(group: GroupInfo): string {
  const { backoff, oldestUnsettled: oldest } = group
  const pauses = backoff === null ? null : `${backoff.baseMs} ms, times ${backoff.factor}, at most ${backoff.maxMs} ms`
  return list([
    ['name', group.name],
    ['stream', group.stream],
    ['created', group.createdAt],
    ['max attempts', group.maxAttempts],
    ['lease', `${group.leaseMs} ms`],
    ['max in flight', group.maxInFlight],
    ['backoff', pauses],
    ['paused', group.paused ? 'yes' : 'no'],
    ['lag', group.lag.lag],
    ['in flight', group.inFlight],
    ['delayed', group.delayed],
    ['available', group.available],
    ['dead letters', group.deadLetters],
    ['oldest open', oldest === null ? null : `${placeOf(oldest)} ${oldest.state} for ${oldest.ageMs} ms`],
  ])
}
