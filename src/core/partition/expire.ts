import type { Range, Run } from '../runs.ts'
import type { Context } from './context.ts'
import { Damage } from './damage.ts'
import { apply, attemptsOver, type Change } from './ledger.ts'
import type { Group, PartitionStore, Timed } from './store.ts'

/** Ends those leases and delays of a group in `ranges` that are due (S4.2, S4.4). What follows carries the time it was due. */
export function expire(context: Context, group: Group, ranges: readonly Range[]): void {
  const { store, nowMs } = context
  const due = store.timed.around(
    group.id,
    ranges.toSorted((a, b) => a.first - b.first),
  )
  apply(
    context,
    group.id,
    due.filter((run) => run.value.dueMs <= nowMs).flatMap((run) => end(store, group, run)),
  )
}

function end(store: PartitionStore, group: Group, run: Run<Timed>): Change[] {
  const { state, reason, consumerId, dueMs } = run.value
  if (state === 'delayed') return [{ first: run.first, last: run.last, from: 'delayed', event: 'becomeDue', reason }]
  if (state !== 'leased') throw new Damage(`the ${state} run from ${run.first} to ${run.last} cannot be`)
  return attemptsOver(store, group.id, [run]).map(({ first, last, value }): Change => {
    if (value.attempts < group.options.maxAttempts) return { first, last, from: 'leased', event: 'retry', reason }
    const letter = { reason: null, cause: 'lease_expired', attempt: value.attempts, consumerId, atMs: dueMs } as const
    return { first, last, from: 'leased', event: 'bury', letter }
  })
}
