import { type DeliveryEvent, type DeliveryState, transition } from '../delivery.ts'
import { difference, overlay, type Piece, type Range, type Run, valuesOver } from '../runs.ts'
import type { Context } from './context.ts'
import type { DeadLetter, Deliveries, Done, PartitionStore, Ready, RunTable, Timed, Tries } from './store.ts'

/*
 * A group's deliveries are kept as exceptions. At or above the cursor: undelivered. Below it: leased or delayed if in
 * `timed`, available if in `ready`, skipped or rejected if in `done`, else acked. Attempts are what `tries` says, else
 * 1 below the cursor. So acking is forgetting, and what is normal costs no row.
 */

/** What happens to a range of deliveries that share one state. */
export interface Change extends Range {
  readonly from: DeliveryState
  readonly event: DeliveryEvent
  /** The lease or delay, where the event leads to one. */
  readonly timed?: Timed
  /** Kept by what becomes available. */
  readonly reason?: string | null
  /** The new count; left alone when absent. */
  readonly attempts?: number
  /** What is recorded of each delivery that the event buries. */
  readonly letter?: Omit<DeadLetter, 'sequence'>
}

const ORDINARY: Tries = { attempts: 1 }

const home = {
  undelivered: null,
  available: 'ready',
  delayed: 'timed',
  leased: 'timed',
  acked: null,
  rejected: 'done',
  skipped: 'done',
} as const satisfies Record<DeliveryState, 'timed' | 'ready' | 'done' | null>

/** The attempts of the deliveries in ascending `ranges`, all of them below the cursor. */
export function attemptsOver(store: PartitionStore, group: number, ranges: readonly Range[]): Run<Tries>[] {
  return ranges.length === 0 ? [] : valuesOver(ranges, store.tries.around(group, ranges), ORDINARY)
}

/** Writes ascending changes of one group's deliveries: the one place where rows of a ledger change. */
export function apply(context: Context, group: number, changes: readonly Change[]): void {
  const timed: Piece<Timed>[] = []
  const ready: Piece<Ready>[] = []
  const done: Piece<Done>[] = []
  const tries: Piece<Tries>[] = []
  const letters: DeadLetter[] = []
  const { happenings } = context.memory
  for (const change of changes) {
    const { first, last, from, event } = change
    const to = transition(from, event)
    const homes = [home[from], home[to]]
    if (homes.includes('timed')) timed.push({ first, last, value: home[to] === 'timed' ? change.timed! : null })
    if (change.timed !== undefined) context.memory.schedule(group, change, change.timed.dueMs)
    if (homes.includes('ready')) {
      ready.push({ first, last, value: to === 'available' ? { reason: change.reason ?? null } : null })
    }
    if (homes.includes('done')) done.push({ first, last, value: to === 'rejected' ? { state: to } : null })
    if (change.attempts !== undefined) {
      const value = change.attempts === ORDINARY.attempts ? null : { attempts: change.attempts }
      tries.push({ first, last, value })
    }
    if (event === 'lease' && (change.attempts ?? 1) > 1) happenings.redelivered(group, change)
    if (to === 'acked' || to === 'rejected') happenings.ending(group, change)
    if (change.letter !== undefined) {
      happenings.buried(group, change, change.letter.cause)
      for (let sequence = first; sequence <= last; sequence++) letters.push({ sequence, ...change.letter })
    }
  }
  put(context, 'timed', group, timed)
  put(context, 'ready', group, ready)
  put(context, 'done', group, done)
  put(context, 'tries', group, tries)
  if (letters.length > 0) context.store.deadLetters.add(group, letters)
}

/** The tables of runs and their values. */
interface Values {
  timed: Timed
  ready: Ready
  done: Done
  tries: Tries
}

/** Makes `pieces` hold in a table of runs. */
export function put<N extends keyof Values>(
  { store, memory }: Context,
  name: N,
  group: number,
  pieces: readonly Piece<Values[N]>[],
): void {
  if (pieces.length === 0) return
  const table = store[name] as RunTable<Values[N]>
  const before = table.around(group, spans(pieces))
  const after = overlay(before, pieces)
  table.write(group, difference(before, after))
  const counted = ({ first, last, value }: Run<Values[N]>) => ({ first, last, state: stateOf(name, value) })
  if (name !== 'tries') memory.tally(group, before.map(counted), after.map(counted))
}

/** The state that a row stands for. */
const stateOf = (name: keyof Values, value: object): keyof Deliveries =>
  name === 'ready' ? 'available' : (value as Timed | Done).state

/** Ascending ranges with neighbours joined. */
function spans(ranges: readonly Range[]): Range[] {
  const out: { first: number; last: number }[] = []
  for (const { first, last } of ranges) {
    const previous = out.at(-1)
    if (previous !== undefined && previous.last + 1 === first) previous.last = last
    else out.push({ first, last })
  }
  return out
}
