import { joined } from '../json.ts'
import { formatLeaseId, formatReceipt } from '../lease-id.ts'
import { limits } from '../limits.ts'
import { type Run, valuesOver } from '../runs.ts'
import { formatTime } from '../time.ts'
import type { EmptyReason, Fetch, Fetched } from './commands.ts'
import type { Context } from './context.ts'
import { apply, attemptsOver, type Change } from './ledger.ts'
import { eventIdOf, eventTextOf, highWatermarkOf, type Line, linesOf, takeLines } from './lines.ts'
import type { Group, PartitionStore, Ready, Timed } from './store.ts'

/** Leases deliveries (S3.4): those open again by sequence, then new ones from the cursor on. */
export function fetch(context: Context, group: Group, request: Fetch): Fetched {
  const { store, nowMs } = context
  const wanted = wantedRuns(context, group, request.limit)
  if (wanted.length === 0) return nothing(emptyReason(store, group))
  const { lines, bytes } = takeLines(linesOf(context, wanted), request.limit, request.maxBytes)
  const first = lines[0]!.sequence
  const last = lines.at(-1)!.sequence

  const leaseMs = request.leaseMs ?? group.options.leaseMs
  const lease: Omit<Timed, 'reason'> = {
    state: 'leased',
    dueMs: nowMs + leaseMs,
    token: request.token,
    consumerId: request.consumerId,
    leasedAtMs: nowMs,
    leaseMs,
  }
  const changes = leasing(store, group, clip(wanted, last), lease)
  apply(context, group.id, changes)
  if (last >= group.cursor) store.groups.moveCursor(group.id, last + 1)

  const { partition } = context.address
  const receipt = formatReceipt({ partition, first, last, count: lines.length, token: request.token })
  const attempts = valuesOver(
    lines.map(({ sequence }) => ({ first: sequence, last: sequence })),
    attemptRuns(changes),
    1,
  )
  const textOf = leaseTexts(context, group, lease, receipt)
  const leases = joined(lines.map((line, index) => textOf(line, attempts[index]!.value)))
  return { count: lines.length, bytes, receipt, leases, reason: null }
}

/** Why a fetch would come back empty now; null when it would lease something. */
export const reasonForNothing = (context: Context, group: Group): EmptyReason | null =>
  wantedRuns(context, group, 1).length > 0 ? null : emptyReason(context.store, group)

/**
 * Runs to lease, at most `limit` deliveries; reason is null where a delivery is new. A group that has as many open runs
 * as it may gets no new ones before some of them are settled: the first of them is what `holes` names.
 */
function wantedRuns({ store, memory }: Context, group: Group, limit: number): Run<Ready & { isNew: boolean }>[] {
  const { paused, maxInFlight } = group.options
  if (paused) return []
  let room = maxInFlight === null ? limit : Math.min(limit, maxInFlight - store.timed.countLeased(group.id))
  const wanted: Run<Ready & { isNew: boolean }>[] = []
  if (room <= 0) return wanted
  for (const run of store.ready.from(group.id, 1)) {
    const last = Math.min(run.last, run.first + room - 1)
    wanted.push({ first: run.first, last, value: { reason: run.value.reason, isNew: false } })
    room -= last - run.first + 1
    if (room === 0) return wanted
  }
  if (memory.census(group.id).openRuns >= limits.openRuns) return wanted
  const last = Math.min(highWatermarkOf(store), group.cursor + room - 1)
  if (last >= group.cursor) wanted.push({ first: group.cursor, last, value: { reason: null, isNew: true } })
  return wanted
}

function clip<V>(runs: readonly Run<V>[], last: number): Run<V>[] {
  return runs.filter((run) => run.first <= last).map((run) => ({ ...run, last: Math.min(run.last, last) }))
}

/** One change for each stretch of equal state, reason and attempts. */
function leasing(
  store: PartitionStore,
  group: Group,
  runs: readonly Run<Ready & { isNew: boolean }>[],
  lease: Omit<Timed, 'reason'>,
): Change[] {
  const reopened = runs.filter((run) => !run.value.isNew)
  const tries = attemptsOver(store, group.id, reopened)
  return runs.flatMap((run): Change[] => {
    const timed: Timed = { ...lease, reason: run.value.reason }
    // A first lease is attempt 1, which is what a delivery below the cursor has when nothing is written.
    if (run.value.isNew) return [{ first: run.first, last: run.last, from: 'undelivered', event: 'lease', timed }]
    return valuesOver([run], tries, { attempts: 1 }).map(({ first, last, value }) => ({
      first,
      last,
      from: 'available',
      event: 'lease',
      timed,
      attempts: value.attempts + 1,
    }))
  })
}

const attemptRuns = (changes: readonly Change[]): Run<number>[] =>
  changes.map(({ first, last, attempts }) => ({ first, last, value: attempts ?? 1 }))

/** Writes the leases of one claim; what they share is written once. */
function leaseTexts(context: Context, group: Group, lease: Omit<Timed, 'reason'>, receipt: string) {
  const { stream, partition } = context.address
  const head = `"receipt":"${receipt}","stream":"${stream}","group":"${group.name}","partition":${partition}`
  const tail =
    `"consumerId":${JSON.stringify(lease.consumerId)},` +
    `"leasedAt":"${formatTime(lease.leasedAtMs!)}","expiresAt":"${formatTime(lease.dueMs)}"`
  return (line: Line, attempt: number): string => {
    const { sequence } = line
    const leaseId = formatLeaseId({ partition, sequence, token: lease.token! })
    const eventId = JSON.stringify(eventIdOf(context, line))
    return (
      `{"leaseId":"${leaseId}",${head},"sequence":${sequence},"eventId":${eventId},` +
      `"attempt":${attempt},${tail},"event":${eventTextOf(context, line)}}`
    )
  }
}

/** Why there is nothing to lease, the first that holds (S3.7). */
function emptyReason(store: PartitionStore, group: Group): EmptyReason {
  if (group.options.paused) return 'paused'
  if (store.ready.has(group.id) || group.cursor <= highWatermarkOf(store)) return 'in_flight_limit'
  if (store.timed.has(group.id, 'delayed')) return 'all_delayed'
  if (store.timed.has(group.id, 'leased')) return 'all_leased'
  return 'caught_up'
}

const nothing = (reason: EmptyReason): Fetched => ({ count: 0, bytes: 0, receipt: null, leases: '', reason })
