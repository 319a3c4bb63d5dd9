import type { Consumer } from './consumer.ts'
import type { ClaimResult, Lease, SettleResult } from './wire.ts'

/** Statuses that leave open what was done; the lease then settles the matter by expiring. */
const unknowns = [503, 504]
/** Longer than some leases, so that a delay may outlive a kill, and short enough to come back during the run. */
const longestDelayMs = 400

type Outcome = 'ack' | 'nack' | 'reject'
/** The answer of a settle call, null if there was none; `wasLost` when an earlier try may have done it already. */
type Settled<T> = { results: T[] | null; wasLost: boolean }

/** Settles the leases of one fetch in one of the ways that there are, or dies with them. */
export async function settleAtRandom(consumer: Consumer, leases: readonly Lease[]): Promise<void> {
  if (leases.length === 0) return
  const way = consumer.random.next()
  if (way < 0.35) await ackClaims(consumer, leases)
  else if (way < 0.55) await settleEach(consumer, leases)
  else if (way < 0.75) await ackMany(consumer, leases)
  else if (way < 0.85) await nackOneAckRest(consumer, leases)
  else if (way < 0.95) for (const lease of leases.slice(0, 5)) await ackOne(consumer, lease)
}

/** Acks whole claims by their receipts. */
export async function ackClaims(consumer: Consumer, leases: readonly Lease[]): Promise<void> {
  const claims = Map.groupBy(leases, ({ receipt }) => receipt)
  const { results, wasLost } = await send<ClaimResult>(consumer, 'ack', { receipts: [...claims.keys()] })
  for (const [index, [receipt, claim]] of [...claims].entries()) {
    const result = results?.[index]
    if (result?.ok && result.count! > claim.length) {
      consumer.journal.faults.push(`ack of ${receipt}: settled ${result.count} of ${claim.length} leases`)
    }
    // A count below that of the claim does not say which leases were acked.
    const isWhole = result?.ok === true && result.count === claim.length
    const isPart = result?.ok === true && !isWhole
    for (const lease of claim) {
      if (isWhole) note(consumer, lease, 'ack', { leaseId: lease.leaseId, ok: true }, wasLost)
      else note(consumer, lease, 'ack', isPart || !result ? null : { ...result, leaseId: lease.leaseId }, wasLost)
    }
  }
}

/** Nacks one lease and acks what is left of the claims. */
async function nackOneAckRest(consumer: Consumer, leases: readonly Lease[]): Promise<void> {
  const unlucky = leases[consumer.random.integer(0, leases.length - 1)]!
  const items = [{ leaseId: unlucky.leaseId, ...delay(consumer) }]
  const { results } = await send<SettleResult>(consumer, 'nack', { leases: items })
  // Without an answer the client's rule is to do nothing.
  if (results === null) return
  const rest = leases.filter((lease) => lease !== unlucky)
  if (rest.length > 0) await ackClaims(consumer, rest)
}

/** One settle call with an outcome for each lease. */
async function settleEach(consumer: Consumer, leases: readonly Lease[]): Promise<void> {
  const outcomes = leases.map(() => outcomeAtRandom(consumer))
  const items = leases.map(({ leaseId, receipt }, index) => ({
    leaseId,
    receipt,
    outcome: outcomes[index]!,
    ...(outcomes[index] === 'nack' && delay(consumer)),
  }))
  const { results, wasLost } = await send<SettleResult>(consumer, 'settle', { items })
  for (const [index, lease] of leases.entries()) {
    note(consumer, lease, outcomes[index]!, results?.[index] ?? null, wasLost)
  }
}

async function ackMany(consumer: Consumer, leases: readonly Lease[]): Promise<void> {
  const body = { leases: leases.map(({ leaseId }) => ({ leaseId })) }
  const { results, wasLost } = await send<SettleResult>(consumer, 'ack', body)
  for (const [index, lease] of leases.entries()) note(consumer, lease, 'ack', results?.[index] ?? null, wasLost)
}

async function ackOne(consumer: Consumer, lease: Lease): Promise<void> {
  const { leaseId } = lease
  const { results, wasLost } = await send<SettleResult>(consumer, 'ack', { leaseId })
  note(consumer, lease, 'ack', results?.[0] ?? null, wasLost)
}

/** Sends a settle call; when its answer is lost, half the time once more: fencing makes that safe. */
async function send<T>({ client, journal, random, stream, group }: Consumer, verb: string, body: object) {
  const request = { path: `/streams/${stream}/groups/${group}/${verb}`, body }
  const settled: Settled<T> = { results: null, wasLost: false }
  const tries = random.chance(0.5) ? 2 : 1
  for (let done = 0; done < tries; done += 1) {
    const answer = await client.once<{ results?: T[]; ok?: boolean; code?: string }>(request)
    if (answer !== null && !unknowns.includes(answer.status)) {
      const isOne = 'leaseId' in body
      const isExpected = answer.status === 200 || (isOne && answer.status === 409)
      if (!isExpected) journal.faults.push(`${verb} of ${group}: ${answer.status} ${JSON.stringify(answer.body)}`)
      const { results, ok = false, code } = answer.body
      return { ...settled, results: results ?? [{ ...body, ok, code } as T] }
    }
    settled.wasLost = true
  }
  return settled
}

/** Enters what is known of one lease after a settle call; `result` null: unknown. */
function note(consumer: Consumer, lease: Lease, outcome: Outcome, result: SettleResult | null, wasLost: boolean): void {
  const { journal } = consumer
  const delivery = journal.delivery(lease)
  if (outcome === 'reject') delivery.rejectSent = true
  if (result !== null && !result.ok && result.code !== 'stale_lease') {
    journal.faults.push(`${outcome} of ${lease.leaseId}: ${result.code}`)
  }
  if (outcome !== 'ack') return
  if (result?.ok) delivery.acked.push({ leaseId: lease.leaseId, attempt: lease.attempt, answeredAt: journal.step() })
  else if (result === null || wasLost) delivery.maybeAcked = true
}

function outcomeAtRandom({ random }: Consumer): Outcome {
  const way = random.next()
  if (way < 0.8) return 'ack'
  return way < 0.97 ? 'nack' : 'reject'
}

function delay({ random }: Consumer): { delayMs?: number } {
  return random.chance(0.5) ? { delayMs: random.integer(0, longestDelayMs) } : {}
}
