import { type Deliveries, type Delivery, textOf } from './delivery.ts'
import type { Lease, Reopening, Settle } from './history.ts'
import { landedAt, mayHaveLanded } from './history.ts'

/** One live lease per delivery, each lease an attempt, and what was acked or rejected does not come back by itself. */
export function checkLeases(deliveries: Deliveries): string[] {
  const { leases } = deliveries.history
  const ids = new Set(leases.map(({ leaseId }) => leaseId))
  return [
    ...(ids.size === leases.length ? [] : ['a lease id was given twice']),
    ...[...deliveries.all()].flatMap((delivery) => [
      ...checkPairs(deliveries, delivery),
      ...checkReturns(deliveries, delivery),
      ...checkAttempts(deliveries, delivery),
    ]),
  ]
}

function checkPairs(deliveries: Deliveries, delivery: Delivery): string[] {
  return delivery.leases.flatMap((a, index) =>
    delivery.leases.slice(index + 1).flatMap((b) => {
      const found: string[] = []
      const what = `${textOf(delivery)} was leased (attempt ${a.attempt}, ${timesOf(a)}) and (attempt ${b.attempt}, ${timesOf(b)})`
      if (overlap(delivery, a, b) && !isExcused(deliveries, delivery, a, b)) found.push(`${what} at one time`)
      if (a.attempt === b.attempt && !mayHaveRefunded(deliveries, delivery, a, b)) found.push(`${what} as one attempt`)
      return found
    }),
  )
}

const timesOf = ({ leasedAtMs, expiresAtMs }: Lease): string => `${leasedAtMs} to ${expiresAtMs}`

function overlap(delivery: Delivery, a: Lease, b: Lease): boolean {
  return a.leasedAtMs < endOfLease(delivery, b, a) && b.leasedAtMs < endOfLease(delivery, a, b)
}

/** When a lease ends at the earliest, as far as the renewals say that may have landed before the other was given. */
function endOfLease({ settles }: Delivery, lease: Lease, other: Lease): number {
  const renewed = settles
    .filter(({ outcome, lease: of, sent }) => outcome === 'renew' && of === lease && sent < other.fetch.answered!)
    .flatMap(({ answers }) => answers)
    .filter(({ ok }) => ok === true)
  const untilMs = renewed.map((answer) => answer.untilMs!)
  // Of several the last counts, and answers do not say which that was; one that was answered late may have landed late.
  const isCertain = renewed.length === 1 && renewed[0]!.answered < other.fetch.sent
  return isCertain ? untilMs[0]! : Math.min(lease.expiresAtMs, ...untilMs)
}

function isExcused(deliveries: Deliveries, delivery: Delivery, a: Lease, b: Lease): boolean {
  const before = Math.max(a.fetch.answered!, b.fetch.answered!)
  const after = Math.min(a.fetch.sent, b.fetch.sent)
  return (
    mayHaveBeenShortened(delivery, a, b) ||
    mayHaveBeenShortened(delivery, b, a) ||
    deliveries.mayHaveEnded(delivery, a, before) ||
    deliveries.mayHaveEnded(delivery, b, before) ||
    deliveries.history.setbacks.some(({ partition, at }) => partition === a.partition && after < at && at < before)
  )
}

/** Whether a renewal of which nobody knew in time may have brought the end of a lease forward. */
const mayHaveBeenShortened = ({ settles }: Delivery, lease: Lease, other: Lease): boolean =>
  settles.some(
    (settle) =>
      settle.outcome === 'renew' &&
      settle.lease === lease &&
      settle.sent < other.fetch.answered! &&
      mayHaveLanded(settle) &&
      (settle.answers.length !== 1 || settle.answers[0]!.answered >= other.fetch.sent),
  )

/** Two leases of one attempt: the first was released, or the count began anew. */
function mayHaveRefunded(deliveries: Deliveries, delivery: Delivery, a: Lease, b: Lease): boolean {
  const before = Math.max(a.fetch.answered!, b.fetch.answered!)
  const after = Math.min(a.fetch.sent, b.fetch.sent)
  const isRelease = (settle: Settle) => settle.outcome === 'release' && settle.sent < before && mayHaveLanded(settle)
  return (
    delivery.settles.some(isRelease) ||
    deliveries.history.releases.some(({ group, sent }) => group === delivery.group && sent < before) ||
    deliveries.mayReopen(delivery, after, before, ({ resetsAttempts }) => resetsAttempts)
  )
}

function checkReturns(deliveries: Deliveries, delivery: Delivery): string[] {
  return delivery.leases.flatMap((lease) =>
    deliveries
      .ended(delivery, lease.fetch.answered!)
      .filter((settle) => settle.lease !== lease && landedAt(settle)! < lease.fetch.sent)
      .slice(0, 1)
      .map(
        ({ outcome, lease: { attempt } }) =>
          `${textOf(delivery)} was leased again (attempt ${lease.attempt}) after the ${outcome} of attempt ${attempt}`,
      ),
  )
}

/** Only a replay that keeps attempts gives a delivery more of them than its group allows. */
function checkAttempts(deliveries: Deliveries, delivery: Delivery): string[] {
  const most = deliveries.maxAttempts(delivery.group, 'most')
  return delivery.leases
    .filter(
      ({ attempt, fetch }) => attempt > most && !deliveries.mayReopen(delivery, 0, fetch.answered!, keepsAttempts),
    )
    .map(({ attempt }) => `${textOf(delivery)} was leased as attempt ${attempt} of at most ${most}`)
}

const keepsAttempts = ({ resetsAttempts }: Reopening): boolean => !resetsAttempts
