import { idOf } from '../event.ts'
import type { CommandOut, DeliveryInfo } from './commands.ts'
import type { Context } from './context.ts'
import { attemptsOver } from './ledger.ts'
import { eventTextOf, highWatermarkOf, lineAt } from './lines.ts'
import type { Group } from './store.ts'

/** The event with an id, and what became of it in each group. `sequence` is where a generated id points. */
export function event(
  context: Context,
  { id, sequence, withGroups }: { id: string; sequence: number | null; withGroups: boolean },
): CommandOut<'event'> {
  const { log, groups } = context.store
  const found = sequence ?? log.sequencesOf([id]).get(id)
  if (found === undefined || found > highWatermarkOf(context.store)) return null
  const line = lineAt(context, found)
  // The event at a generated id's place may have an id that its producer chose.
  if (idOf(line.text, id) !== id) return null
  const deliveries = withGroups
    ? groups
        .all()
        .filter(({ id }) => context.memory.census(id).damage === null)
        .map((group) => delivery(context, group, found))
    : []
  return { event: eventTextOf(context, line), deliveries }
}

/** What became of one event in one group. */
function delivery(context: Context, group: Group, sequence: number): DeliveryInfo {
  const { store } = context
  const nothing = { consumerId: null, expiresAtMs: null, dueAtMs: null, reason: null, cause: null }
  if (sequence >= group.cursor) return { ...nothing, group: group.uid, state: 'undelivered', attempt: 0 }
  const range = [{ first: sequence, last: sequence }]
  const holding = <V>(runs: readonly { first: number; last: number; value: V }[]): V | undefined =>
    runs.find(({ first, last }) => first <= sequence && sequence <= last)?.value
  const known = { ...nothing, group: group.uid, attempt: attemptsOver(store, group.id, range)[0]!.value.attempts }
  const timed = holding(store.timed.around(group.id, range))
  if (timed !== undefined) {
    const { state, consumerId, dueMs, reason } = timed
    const due = state === 'leased' ? { expiresAtMs: dueMs } : { dueAtMs: dueMs }
    return { ...known, ...due, state, consumerId, reason }
  }
  const ready = holding(store.ready.around(group.id, range))
  if (ready !== undefined) return { ...known, state: 'available', reason: ready.reason }
  const state = holding(store.done.around(group.id, range))?.state ?? 'acked'
  if (state !== 'rejected') return { ...known, state }
  const letter = store.deadLetters.at(group.id, sequence)!
  return { ...known, state, consumerId: letter.consumerId, reason: letter.reason, cause: letter.cause }
}
