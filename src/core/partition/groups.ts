import { failed, failure, ok, type Result } from '../failure.ts'
import type { Start } from '../group.ts'
import type { GroupInstall } from './commands.ts'
import type { Context } from './context.ts'
import { put } from './ledger.ts'
import { highWatermarkOf, linesOf, timestampOf } from './lines.ts'

/** The last sequence a new group skips in this partition (S3.2). */
export function resolveStart(context: Context, start: Start): Result<number> {
  const highWatermark = highWatermarkOf(context.store)
  const after = (sequence: number): Result<number> => {
    if (sequence <= highWatermark) return ok(sequence)
    const { partition } = context.address
    const detail = `the start ${sequence} lies beyond the last sequence ${highWatermark} of partition ${partition}`
    return failed(failure('invalid_start', detail, { partitions: [partition] }))
  }
  switch (start.kind) {
    case 'earliest':
      return ok(0)
    case 'latest':
      return ok(highWatermark)
    case 'after':
      return after(start.sequence)
    case 'afterEach':
      return after(start.sequences[context.address.partition] ?? 0)
    case 'at':
      return ok((firstAtOrAfter(context, start.timeMs) ?? highWatermark + 1) - 1)
  }
}

/** The first event, in sequence order, whose timestamp is at or after a time; null when there is none. */
export function firstAtOrAfter(context: Context, timeMs: number): number | null {
  const { log } = context.store
  const head = log.head()
  if (head === null || head.runMaxMs < timeMs) return null
  // The running maximum only grows, whatever the order of timestamps: bisect for the row where it reaches the time.
  let low = 1
  let high = head.last
  while (low < high) {
    const row = log.boundsAt((low + high) >>> 1)!
    if (row.runMaxMs >= timeMs) high = Math.min(row.first, (low + high) >>> 1)
    else low = row.last + 1
  }
  for (const line of linesOf(context, [{ first: low, last: head.last }])) {
    if (timestampOf(line) >= timeMs) return line.sequence
  }
  throw new Error(`the log says that an event at or after ${timeMs} exists, and holds none`)
}

/** Brings a group to the state its catalog asks for; telling it twice changes nothing. */
export function installGroup(context: Context, install: GroupInstall): void {
  const { store, memory } = context
  const { uid, name, revision, options, start, epoch } = install
  const known = store.groups.byUid(uid)
  if (known === null) {
    // A message that was long on its way must not bring a deleted group back to life.
    if (store.groups.isRemoved(uid)) return
    const id = store.groups.insert({ uid, name, revision, epoch, options, cursor: start + 1 })
    skip(context, id, start)
    return
  }
  memory.forget(known.id)
  if (revision > known.revision) store.groups.updateOptions(known.id, revision, options)
  if (epoch > known.epoch) {
    memory.happenings.restarting(known.id)
    store.groups.restart(known.id, epoch, start + 1)
    skip(context, known.id, start)
  }
}

/** Everything up to the start is skipped, with no attempt made (S3.3). */
function skip(context: Context, id: number, start: number): void {
  if (start === 0) return
  put(context, 'done', id, [{ first: 1, last: start, value: { state: 'skipped' } }])
  put(context, 'tries', id, [{ first: 1, last: start, value: { attempts: 0 } }])
}

/** Forgets a group, for good: its uid never returns. */
export function removeGroup({ store, memory }: Context, uid: string): void {
  const group = store.groups.byUid(uid)
  if (group === null && store.groups.isRemoved(uid)) return
  store.groups.remove(uid)
  if (group !== null) memory.forget(group.id)
}
