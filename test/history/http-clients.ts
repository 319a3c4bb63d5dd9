import type { Client } from '../crash/client.ts'
import type { Random } from '../crash/random.ts'
import type { Append, Asked, Fetch, History, Lease, Outcome, Reopening, SeenEvent, Settle } from './history.ts'

/** What all clients of a run share. */
export interface Shared {
  readonly client: Client
  readonly history: History
  readonly stream: string
  readonly partitionCount: number
  readonly isOver: () => boolean
  readonly nextNumber: () => number
}

export interface WireEvent {
  readonly id: string
  readonly partition: number
  readonly sequence: number
  readonly payload: { readonly number: number }
}

interface WireLease extends Omit<Lease, 'fetch' | 'number' | 'leasedAtMs' | 'expiresAtMs'> {
  readonly receipt: string
  readonly leasedAt: string
  readonly expiresAt: string
  readonly event: WireEvent
}

type Held = Lease & { readonly receipt: string }

/** A run's kinds of events, for replays by query. */
export const KINDS = 3

export const seenEvent = ({ id, partition, sequence, payload: { number } }: WireEvent): SeenEvent => ({
  ...{ id, partition, sequence, number },
})

export const newAsked = (history: History): Asked => ({ sent: history.step(), answered: null })

/** Sends once; null when nobody knows what was done. What is neither that nor `expected` is a surprise. */
export async function send<T>(
  { client, history }: Shared,
  asked: Asked,
  path: string,
  body: unknown,
  expected: readonly number[],
  method: 'GET' | 'POST' = 'POST',
  idempotencyKey?: string,
): Promise<{ status: number; body: T } | null> {
  const answer = await client.once<T>({
    method,
    path,
    body,
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  })
  if (answer === null || answer.status === 503 || answer.status === 504) return null
  asked.answered = history.step()
  if (expected.includes(answer.status)) return answer
  history.surprises.push(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return null
}

/** Appends until the run is over, each request until it is answered if that is safe. */
export async function produce(shared: Shared, random: Random): Promise<void> {
  const { history, stream, partitionCount, nextNumber } = shared
  while (!shared.isOver()) {
    const safety = (['ids', 'key', 'nothing'] as const)[random.integer(0, 2)]!
    const partition = random.integer(0, partitionCount - 1)
    const numbers = Array.from({ length: random.integer(1, 8) }, nextNumber)
    const events = numbers.map((number) => ({ number, id: safety === 'ids' ? `event-${number}` : null }))
    const append: Append = {
      ...newAsked(history),
      partition,
      events,
      isSafe: safety !== 'nothing',
      copies: 0,
      seen: null,
    }
    history.appends.push(append)
    const body = {
      events: events.map(({ number, id }) => ({
        ...{ partition, payload: { number, kind: number % KINDS } },
        ...(id === null ? {} : { id }),
      })),
    }
    const key = safety === 'key' ? `key-${numbers[0]}` : undefined
    do {
      append.copies += 1
      const path = `/streams/${stream}/events`
      const answer = await send<{ events: WireEvent[] }>(shared, append, path, body, [200, 201], 'POST', key)
      if (answer !== null) append.seen = answer.body.events.map(seenEvent)
    } while (append.isSafe && append.seen === null)
  }
}

/** Fetches and settles until the run is over: well, late, by receipts, or not at all. */
export async function consume(shared: Shared, random: Random, group: string, consumerId: string): Promise<void> {
  while (!shared.isOver()) {
    const partition = random.integer(0, shared.partitionCount - 1)
    const body = { partition, consumerId, limit: random.integer(1, 10), leaseMs: random.integer(150, 800), waitMs: 50 }
    const leases = await fetchLeases(shared, group, partition, body)
    const way = random.next()
    if (leases.length === 0 || way < 0.08) continue
    if (way < 0.2) await new Promise((resolve) => setTimeout(resolve, random.integer(100, 1_000)))
    if (random.chance(0.1)) await settle(shared, random, group, leases, () => 'renew')
    if (way < 0.5) await ackClaim(shared, group, leases)
    else await settle(shared, random, group, leases, () => outcomeAtRandom(random))
  }
}

/** Takes and acks what is there until the group has caught up. */
export async function drain(shared: Shared, random: Random, group: string): Promise<void> {
  for (let partition = 0; partition < shared.partitionCount; ) {
    const body = { partition, consumerId: 'drain', limit: 1_000, waitMs: 1_000 }
    const reasons: (string | undefined)[] = []
    const leases = await fetchLeases(shared, group, partition, body, (reason) => void reasons.push(reason))
    if (leases.length > 0) await settle(shared, random, group, leases, () => 'ack')
    else if (reasons[0] === 'caught_up') partition += 1
  }
}

async function fetchLeases(
  shared: Shared,
  group: string,
  partition: number,
  body: object,
  told: (reason?: string) => void = () => {},
): Promise<Held[]> {
  const { history, stream } = shared
  const fetch: Fetch = { ...newAsked(history), group, partition, isWhole: false }
  history.fetches.push(fetch)
  const path = `/streams/${stream}/groups/${group}/fetch`
  const answer = await send<{ leases: WireLease[]; reason?: string }>(shared, fetch, path, body, [200])
  if (answer === null) return []
  fetch.isWhole = true
  told(answer.body.reason)
  const leases = answer.body.leases.map(
    ({ leasedAt, expiresAt, event, ...lease }): Held => ({
      ...lease,
      ...{ fetch, number: event.payload.number, leasedAtMs: Date.parse(leasedAt), expiresAtMs: Date.parse(expiresAt) },
    }),
  )
  history.leases.push(...leases)
  return leases
}

function outcomeAtRandom(random: Random): Outcome {
  const way = random.next()
  if (way < 0.75) return 'ack'
  if (way < 0.9) return 'nack'
  return way < 0.95 ? 'reject' : 'release'
}

interface WireResult {
  readonly ok: boolean
  readonly code?: string
  readonly state?: string
  readonly expiresAt?: string
}

async function settle(
  shared: Shared,
  random: Random,
  group: string,
  leases: readonly Held[],
  outcomeOf: () => Outcome,
): Promise<void> {
  const { history, stream } = shared
  const asked = newAsked(history)
  const settles = leases.map((lease): Settle => ({ ...asked, lease, outcome: outcomeOf(), answers: [] }))
  history.settles.push(...settles)
  const isRenewal = settles[0]!.outcome === 'renew'
  const items = settles.map(({ lease: { leaseId }, outcome }) => ({
    leaseId,
    ...(isRenewal ? {} : { outcome }),
    ...(outcome === 'nack' && random.chance(0.5) ? { delayMs: random.integer(0, 500) } : {}),
  }))
  const path = `/streams/${stream}/groups/${group}/${isRenewal ? 'renew' : 'settle'}`
  const body = isRenewal ? { leases: items } : { items }
  const answer = await send<{ results: WireResult[] }>(shared, asked, path, body, [200])
  if (answer === null) return
  for (const [index, { ok, code, state, expiresAt }] of answer.body.results.entries()) {
    const one = settles[index]!
    // An object that fails says of each of its leases that nobody knows.
    const isKnown = ok || code === 'stale_lease'
    if (!isKnown) continue
    one.answered = asked.answered
    const untilMs = expiresAt === undefined ? null : Date.parse(expiresAt)
    one.answers.push({ answered: asked.answered!, ok, state: state ?? null, untilMs, clock: null })
  }
}

async function ackClaim(shared: Shared, group: string, leases: readonly Held[]): Promise<void> {
  const { history, stream } = shared
  const asked = newAsked(history)
  const settles = leases.map((lease): Settle => ({ ...asked, lease, outcome: 'ack', answers: [] }))
  history.settles.push(...settles)
  const body = { receipts: [leases[0]!.receipt] }
  const path = `/streams/${stream}/groups/${group}/ack`
  const answer = await send<{ results: (WireResult & { count?: number })[] }>(shared, asked, path, body, [200])
  const result = answer?.body.results[0]
  if (result === undefined || (!result.ok && result.code !== 'stale_lease')) return
  // Of a claim that is settled in part, nobody is told which part.
  const ok = result.ok ? result.count === leases.length || null : false
  for (const one of settles) {
    one.answered = asked.answered
    one.answers.push({ answered: asked.answered!, ok, state: null, untilMs: null, clock: null })
  }
}

/** Replays, redrives, resets and releases what a group holds, now and then. */
export async function operate(
  shared: Shared,
  random: Random,
  group: string,
  consumers: readonly string[],
): Promise<void> {
  const { history, stream } = shared
  const path = `/streams/${stream}/groups/${group}`
  while (!shared.isOver()) {
    await new Promise((resolve) => setTimeout(resolve, random.integer(100, 600)))
    const way = random.next()
    if (way < 0.2) {
      const consumerId = consumers[random.integer(0, consumers.length - 1)]!
      const release = { ...newAsked(history), group, consumerId }
      history.releases.push(release)
      await send(shared, release, `${path}/leases/release`, { consumerId }, [200])
      continue
    }
    const reopening = reopeningAtRandom(shared, random, group, way)
    history.reopenings.push(reopening.seen)
    await send(shared, reopening.seen, `${path}/${reopening.path}`, reopening.body, [200])
  }
}

function reopeningAtRandom({ history }: Shared, random: Random, group: string, way: number) {
  const asked = newAsked(history)
  const kind = random.integer(0, KINDS - 1)
  const fromSequence = random.integer(0, 300)
  const reopening = (seen: Omit<Reopening, keyof Asked | 'group'>, path: string, body: object) => {
    return { seen: { ...asked, group, ...seen } as Reopening, path, body }
  }
  if (way < 0.5) {
    const covers: Reopening['covers'] = ({ sequence }) => sequence > fromSequence
    return reopening({ kind: 'replay', resetsAttempts: false, isExact: true, covers }, 'replay', { fromSequence })
  }
  if (way < 0.65) {
    const covers: Reopening['covers'] = ({ number }) => number % KINDS === kind
    const body = { query: { where: { kind } }, resetAttempts: true }
    return reopening({ kind: 'replay', resetsAttempts: true, isExact: true, covers }, 'replay', body)
  }
  const covers = () => true
  if (way < 0.9) {
    const seen = { kind: 'redrive', resetsAttempts: true, isExact: false, covers } as const
    return reopening(seen, 'dead-letters/redrive', { all: true })
  }
  return reopening({ kind: 'reset', resetsAttempts: true, isExact: true, covers }, 'reset', { confirm: true })
}
