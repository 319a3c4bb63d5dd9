import { type Deliveries, type Delivery, textOf } from './delivery.ts'
import { endOf, type Lease, landedAt, type Settle, type Settled } from './history.ts'

/** Only the current lease settles, and it does. */
export function checkFencing(deliveries: Deliveries): string[] {
  return [...deliveries.all()].flatMap((delivery) => [
    ...checkOnce(delivery),
    ...checkAcks(deliveries, delivery),
    ...delivery.settles.flatMap((settle) =>
      settle.answers.flatMap((answer) =>
        answer.ok === true
          ? checkLanded(deliveries, delivery, settle, answer)
          : checkRefused(deliveries, delivery, settle, answer),
      ),
    ),
  ])
}

/** A lease ends once. */
function checkOnce(delivery: Delivery): string[] {
  return delivery.leases.flatMap((lease) => {
    const oks = delivery.settles
      .filter((settle) => settle.lease === lease && settle.outcome !== 'renew')
      .flatMap(({ outcome, answers }) => answers.flatMap(({ ok }) => (ok === true ? [outcome] : [])))
    const what = `${textOf(delivery)} attempt ${lease.attempt}`
    return oks.length > 1 ? [`${what} was told ok for ${oks.join(' and ')}`] : []
  })
}

/** A delivery is acked once, unless it is reopened in between. */
function checkAcks(deliveries: Deliveries, delivery: Delivery): string[] {
  const acks = delivery.settles.filter((settle) => settle.outcome === 'ack' && landedAt(settle) !== null)
  return acks.flatMap((a, index) =>
    acks
      .slice(index + 1)
      .filter((b) => a.lease !== b.lease)
      .filter((b) => !deliveries.mayReopen(delivery, Math.min(a.sent, b.sent), Math.max(landedAt(a)!, landedAt(b)!)))
      .map((b) => `${textOf(delivery)} was acked by attempt ${a.lease.attempt} and by attempt ${b.lease.attempt}`),
  )
}

function checkLanded(
  deliveries: Deliveries,
  delivery: Delivery,
  settle: Settle,
  { clock, answered }: Settled,
): string[] {
  const { lease, sent, outcome } = settle
  const what = `${textOf(delivery)} ${outcome} of attempt ${lease.attempt} was told ok`
  const found: string[] = []
  const later = delivery.leases.find(
    (other) => lease.fetch.answered! < other.fetch.sent && other.fetch.answered! < sent,
  )
  if (later !== undefined) found.push(`${what} after attempt ${later.attempt} had been leased`)
  const reopened = deliveries.history.reopenings.some(
    (one) =>
      one.group === lease.group &&
      one.kind !== 'redrive' &&
      one.isExact &&
      one.sent > lease.fetch.answered! &&
      endOf(one) < sent &&
      one.covers(delivery),
  )
  if (reopened) found.push(`${what} after it had been reopened`)
  if (clock !== null && clock.nowMs >= latestEnd(delivery, lease, answered)) {
    found.push(`${what} at ${clock.nowMs}, after it had ended`)
  }
  return found
}

/** The latest time to which a lease may run, as far as the renewals say that were sent before a step. */
function latestEnd({ settles }: Delivery, lease: Lease, before: number): number {
  const renewals = settles.filter((one) => one.lease === lease && one.outcome === 'renew' && one.sent < before)
  const ends = renewals.flatMap((one) =>
    one.answers.length === 0 || one.recurs || one.answered === null
      ? [Infinity]
      : one.answers.map(({ ok, untilMs }) => (ok === false ? 0 : (untilMs ?? Infinity))),
  )
  return Math.max(lease.expiresAtMs, ...ends)
}

/** A lease that has not ended, and that nothing can have taken away, settles. */
function checkRefused(deliveries: Deliveries, delivery: Delivery, settle: Settle, answer: Settled): string[] {
  const { lease } = settle
  const { clock, ok, answered } = answer
  if (ok !== false || clock === null || clock.latestMs >= lease.expiresAtMs) return []
  const isRepeat = settle.answers.length > 1 || settle.recurs === true
  const isRenewed = delivery.settles.some((one) => one.lease === lease && one.outcome === 'renew')
  if (isRepeat || isRenewed || deliveries.mayHaveEnded(delivery, lease, answered, settle)) return []
  return [
    `${textOf(delivery)} ${settle.outcome} of attempt ${lease.attempt} was refused at ${clock.latestMs}, before its end`,
  ]
}
