import type { Run } from '../runs.ts'
import type { Context } from './context.ts'
import { apply, attemptsOver, type Change } from './ledger.ts'
import type { Group, PartitionStore, Timed } from './store.ts'

/** How many leases and delays one round of expiry takes up: bounds the memory of a round, not the work of a command. */
const ROUND_RUNS = 1_000

/** Ends every lease and every delay that is due (S4.2, S4.4). What follows carries the time it was due. */
export function expire(context: Context): void {
  const { store, nowMs } = context
  for (;;) {
    const due = store.timed.due(nowMs, ROUND_RUNS)
    for (const [groupId, runs] of byGroup(due)) {
      const group = store.groups.byId(groupId)
      if (group === null) throw new Error(`leases are kept for group ${groupId}, which is not there`)
      apply(
        context,
        groupId,
        runs.flatMap((run) => end(store, group, run)),
      )
    }
    if (due.length < ROUND_RUNS) return
  }
}

function byGroup(due: readonly { group: number; run: Run<Timed> }[]): Map<number, Run<Timed>[]> {
  const runs = new Map<number, Run<Timed>[]>()
  for (const { group, run } of due) {
    const known = runs.get(group)
    if (known === undefined) runs.set(group, [run])
    else known.push(run)
  }
  return runs
}

function end(store: PartitionStore, group: Group, run: Run<Timed>): Change[] {
  const { state, reason, consumerId, dueMs } = run.value
  if (state === 'delayed') return [{ first: run.first, last: run.last, from: 'delayed', event: 'becomeDue', reason }]
  return attemptsOver(store, group.id, [run]).map(({ first, last, value }): Change => {
    if (value.attempts < group.options.maxAttempts) return { first, last, from: 'leased', event: 'retry', reason }
    const letter = { reason: null, cause: 'lease_expired', attempt: value.attempts, consumerId, atMs: dueMs } as const
    return { first, last, from: 'leased', event: 'bury', letter }
  })
}
