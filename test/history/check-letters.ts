import { type Deliveries, textOf } from './delivery.ts'
import { type End, type Letter, landedAt, mayHaveLanded, type Settle } from './history.ts'

/** Dead letters are made by rule only, and none is lost. */
export function checkLetters(deliveries: Deliveries, end: End): string[] {
  const { history } = deliveries
  const after = history.step()
  const finals = end.groups.map(({ group, letters }) => ({ group, letters, sent: after, answered: after + 1 }))
  return [
    ...[...history.listings, ...finals].flatMap(({ group, letters, sent, answered }) => [
      ...letters.flatMap((letter) => checkLetter(deliveries, end, group, letter, sent, answered ?? Infinity)),
      ...checkDoubles(group, letters),
    ]),
    ...finals.flatMap(({ group, letters }) => checkKept(deliveries, group, letters)),
    ...history.settles.flatMap((settle) => checkNack(deliveries, settle)),
  ]
}

function checkLetter(
  deliveries: Deliveries,
  { log }: End,
  group: string,
  letter: Letter,
  sent: number,
  answered: number,
): string[] {
  const { partition, sequence, cause, attempt, number } = letter
  const what = `${textOf({ group, partition, sequence })} is a dead letter (${cause}, attempt ${attempt})`
  if (log[partition]?.[sequence - 1]?.number !== number) return [`${what} of another event than that in the log`]
  const delivery = deliveries.at(group, partition, sequence)
  const verb = cause === 'rejected' ? 'reject' : 'nack'
  const isAsked = (delivery?.settles ?? []).some(
    (settle) =>
      settle.outcome === verb && settle.lease.attempt === attempt && settle.sent < answered && mayHaveLanded(settle),
  )
  const isUsedUp = attempt >= deliveries.maxAttempts(group, 'least')
  const isByRule = cause === 'rejected' ? isAsked : isUsedUp && (cause === 'lease_expired' || isAsked)
  const found = isByRule ? [] : [`${what} without a reason`]
  const acked =
    delivery === undefined ? [] : deliveries.ended(delivery, sent).filter(({ outcome }) => outcome === 'ack')
  if (acked.some((ack) => !deliveries.mayReopen(delivery!, ack.sent, answered))) found.push(`${what} and was acked`)
  return found
}

function checkDoubles(group: string, letters: readonly Letter[]): string[] {
  const places = new Set(letters.map(({ partition, sequence }) => `${partition}/${sequence}`))
  return places.size === letters.length ? [] : [`${group}: a dead letter is listed twice`]
}

/** What was rejected, and not reopened since, is there in the end. */
function checkKept(deliveries: Deliveries, group: string, letters: readonly Letter[]): string[] {
  const kept = new Set(letters.map(({ partition, sequence }) => `${partition}/${sequence}`))
  return [...deliveries.all()]
    .filter((delivery) => delivery.group === group && !kept.has(`${delivery.partition}/${delivery.sequence}`))
    .filter((delivery) => deliveries.ended(delivery, Infinity).some(({ outcome }) => outcome === 'reject'))
    .map((delivery) => `${textOf(delivery)} was rejected and is no dead letter`)
}

/** A nack dead-letters when the attempts are used up, and only then. */
function checkNack(deliveries: Deliveries, settle: Settle): string[] {
  const { lease, outcome, answers } = settle
  if (outcome !== 'nack' || landedAt(settle) === null) return []
  const what = `${textOf(lease)} was nacked at attempt ${lease.attempt}`
  return answers.flatMap(({ ok, state }) => {
    if (ok !== true || state === null) return []
    const isDead = state === 'rejected'
    if (isDead && lease.attempt < deliveries.maxAttempts(lease.group, 'least')) return [`${what} and is dead too early`]
    if (!isDead && lease.attempt >= deliveries.maxAttempts(lease.group, 'most')) return [`${what} and is ${state}`]
    return []
  })
}
