import type { StreamRecord } from '../core/catalog/commands.ts'
import { type Failure, failure, type Result } from '../core/failure.ts'
import { formatReceipt, joinReceipts, parseReceipt } from '../core/lease-id.ts'
import { limits } from '../core/limits.ts'
import { type Answer, done, type EmptyReason, emptyReasons, moved, refused } from '../core/partition/commands.ts'
import { addressOf, ask, askEach } from './ask.ts'
import type { Call, Names } from './call.ts'
import { type FetchRequest, partitionsOf } from './contract/fetch.ts'
import { forgetGroup, onGroup, type Target } from './directory.ts'
import { gaveAll, nextWave, widest } from './waves.ts'
import { isOutage, worstOf } from './worst.ts'

/** What a fetch gave. */
export interface FetchOutcome {
  /** JSON text of the leases, comma-separated. */
  readonly leases: string
  /** Why it gave none; null when it gave some. */
  readonly reason: EmptyReason | null
  /** What was asked, for a wait that may follow. */
  readonly target: Target
  readonly partitions: readonly number[]
}

/** What one partition gave, in one turn or in several: one claim, under one token. */
interface Claim {
  readonly token: string
  readonly turns: { readonly receipt: string; readonly leases: string }[]
}

/** Fetches once from the partitions of a group. */
export function fetchOnce(call: Call, names: Names, request: FetchRequest): Promise<Result<FetchOutcome>> {
  const fetched = onGroup(call, names, (target) => fetchFrom(call, names, target, request))
  // When its client goes, the runtime drops a request unless told to go on: what is being leased must be given back.
  call.waitUntil(fetched)
  return fetched
}

/**
 * Asks partitions in waves of doubling width, each beginning one partition further than the fetch before: a backlog
 * costs one object, and no partition starves. A partition that gave its whole share waits its turn for another. Where
 * waves find nothing and can grow no wider, all that are left are asked at once whether they have work at all: the last
 * event of many partitions is found in a few round trips.
 */
async function fetchFrom(
  call: Call,
  names: Names,
  target: Target,
  request: FetchRequest,
): Promise<Answer<FetchOutcome>> {
  const { stream, group } = target
  const scope = partitionsOf(request.partitions, stream.partitionCount)
  if (!scope.ok) return refused(scope.failure)
  const partitions = scope.value
  let queue = call.rotation.next(stream.uid, group, partitions)
  const claims = new Map<number, Claim>()
  const reasons = new Set<EmptyReason>()
  const failures: Failure[] = []
  let isMoved = false
  let remaining = request.limit
  let remainingBytes: number = limits.answerBytes
  let isSparse = false
  let areAsked = false
  for (let width = 1; queue.length > 0 && remaining > 0 && remainingBytes > 0 && !call.signal.aborted; width *= 2) {
    const most = widest(remaining, remainingBytes)
    if (isSparse && !areAsked && width > most && queue.length > most) {
      areAsked = true
      const idle = await partitionsWithoutWork(call, target, queue)
      for (const reason of idle.values()) reasons.add(reason)
      queue = queue.filter((partition) => !idle.has(partition))
      width = 1
    }
    const wave = nextWave(queue, width, remaining, remainingBytes)
    const before = remaining
    const answers = await Promise.all(
      wave.map((share) => {
        const { leaseMs, consumerId } = request
        const token = claims.get(share.partition)?.token ?? call.randomToken()
        const fetch = {
          group,
          leaseMs,
          consumerId,
          token,
          limit: share.limit,
          maxBytes: share.maxBytes,
        }
        return ask(call, addressOf(call, stream, share.partition), { type: 'fetch', fetch }).then((answer) => ({
          answer,
          token,
        }))
      }),
    )
    for (const [index, { answer, token }] of answers.entries()) {
      const share = wave[index]!
      if (answer.status === 'moved') isMoved = true
      else if (answer.status === 'refused') failures.push(answer.failure)
      else {
        const given = answer.value
        remaining -= given.count
        remainingBytes -= given.bytes
        if (given.receipt !== null) {
          const claim = claims.get(share.partition) ?? { token, turns: [] }
          claim.turns.push({ receipt: given.receipt, leases: given.leases })
          claims.set(share.partition, claim)
        }
        if (given.reason !== null) reasons.add(given.reason)
        if (given.count > 0 && gaveAll(share, given)) queue.push(share.partition)
      }
    }
    if (isMoved) break
    isSparse = remaining === before
  }
  if (call.signal.aborted) {
    call.waitUntil(releaseAll(call, stream, group, claims))
    return done({ leases: '', reason: null, target, partitions })
  }
  if (isMoved) forgetGroup(call, names)
  if (claims.size === 0 && isMoved) return moved
  if (claims.size === 0 && failures.length > 0) return refused(fetchFailure(failures))
  const leases = [...claims.values()].map(leasesOf).join(',')
  const reason = claims.size > 0 ? null : (emptyReasons.find((name) => reasons.has(name)) ?? 'caught_up')
  return done({ leases, reason, target, partitions })
}

/** Asks partitions whether they have work; those that have none, each with its reason. The others are left to a fetch. */
async function partitionsWithoutWork(
  call: Call,
  { stream, group }: Target,
  partitions: readonly number[],
): Promise<Map<number, EmptyReason>> {
  const answers = await askEach(call, stream, partitions, { type: 'work', group })
  return new Map(
    answers.flatMap((answer, index) =>
      answer.status === 'done' && answer.value.reason !== null ? [[partitions[index]!, answer.value.reason]] : [],
    ),
  )
}

/**
 * A fetch that gave nothing because objects failed. Leases that such an object may have granted reached nobody and
 * expire, so that for the caller the fetch simply did not happen.
 */
function fetchFailure(failures: readonly Failure[]): Failure {
  const refusal = failures.find((one) => !isOutage(one))
  if (refusal !== undefined) return refusal
  const worst = worstOf(failures)
  if (worst.code !== 'ambiguous') return worst
  return failure('backend_unavailable', 'does not answer; nothing was fetched', { partitions: worst.partitions ?? [] })
}

/** The leases of a claim as JSON text. All carry the receipt of the whole claim, also those of an earlier turn (S3.5). */
function leasesOf({ turns }: Claim): string {
  if (turns.length === 1) return turns[0]!.leases
  const whole = formatReceipt(turns.map(({ receipt }) => parseReceipt(receipt)!).reduce(joinReceipts))
  // A receipt holds the claim's token, which no event can know: the text stands for nothing else.
  return turns.map(({ receipt, leases }) => leases.replaceAll(receipt, whole)).join(',')
}

/** Gives back what a client that has gone will never receive (S3.5); attempts are refunded. */
async function releaseAll(
  call: Call,
  stream: StreamRecord,
  group: string,
  claims: ReadonlyMap<number, Claim>,
): Promise<void> {
  await Promise.all(
    [...claims].map(([partition, claim]) => {
      const items = (JSON.parse(`[${leasesOf(claim)}]`) as { leaseId: string }[]).map(({ leaseId }) => ({
        leaseId,
        receipt: null,
        outcome: 'release' as const,
        reason: null,
        delayMs: null,
        leaseMs: null,
      }))
      return ask(call, addressOf(call, stream, partition), { type: 'settle', group, items })
    }),
  )
}

/** The members of an answer that a fetch fills. */
export const fetchMembers = ({ leases, reason }: FetchOutcome): string =>
  `"leases":[${leases}]${reason === null ? '' : `,"reason":"${reason}"`}`
