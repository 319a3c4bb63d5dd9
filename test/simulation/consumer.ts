import type { Outcome as CommandOutcome, SettleItem } from '../../src/core/partition/commands.ts'
import type { Random } from '../crash/random.ts'
import type { Fetch, Lease, Outcome, Settle } from '../history/history.ts'
import { type Routine, wait } from './timeline.ts'
import type { Answered, Group, World } from './world.ts'

/** A lease with the receipt of its claim. */
type Held = Lease & { readonly receipt: string }

const WAIT_MS = 20_000
const TOKEN_CHARACTERS = 22

/** Who consumes: one consumer of one group, from every partition. */
interface Consumer {
  readonly world: World
  readonly random: Random
  readonly name: string
  readonly group: Group
}

/** Fetches and settles until the group is gone or the run is over: well, late, by receipts, or not at all. */
export function* consume(consumer: Consumer, isOver: () => boolean): Routine {
  const { world, random, group } = consumer
  let partition = random.integer(0, world.partitions.length - 1)
  while (!isOver() && group.isThere) {
    partition = (partition + 1) % world.partitions.length
    const leases = yield* fetch(consumer, partition)
    if (leases.length > 0) yield* work(consumer, leases)
    else if (random.chance(0.3)) {
      yield* wait<void>((resume) => world.partitions[partition]!.wait(group.uid, WAIT_MS, resume))
    } else yield* world.timeline.sleep(random.integer(1, world.isDraining ? 2_000 : 200))
  }
}

function* fetch({ world, random, name, group }: Consumer, partition: number): Routine<Held[]> {
  const fetch: Fetch = { ...world.newAsked(), group: group.uid, partition, isWhole: false }
  world.history.fetches.push(fetch)
  const limit = random.integer(1, 6)
  const leaseMs = random.chance(0.3) ? null : random.integer(50, 3_000)
  const make = () => {
    // Each request that arrives is given a token of its own.
    const token = world.newName('token-').padStart(TOKEN_CHARACTERS, '_')
    return {
      type: 'fetch' as const,
      fetch: { group: group.uid, limit, leaseMs, consumerId: name, token, maxBytes: 1_000_000 },
    }
  }
  const answered = yield* world.ask(name, partition, fetch, make)
  if (answered?.answer.status !== 'done') return []
  fetch.isWhole = fetch.recurs !== true
  const leases = (JSON.parse(`[${answered.answer.value.leases}]`) as WireLease[]).map((lease) => toHeld(fetch, lease))
  world.history.leases.push(...leases)
  return leases
}

interface WireLease {
  readonly leaseId: string
  readonly receipt: string
  readonly partition: number
  readonly sequence: number
  readonly attempt: number
  readonly consumerId: string | null
  readonly leasedAt: string
  readonly expiresAt: string
  readonly event: { readonly sequence: number; readonly payload: { readonly number: number } }
}

const toHeld = (fetch: Fetch, { leasedAt, expiresAt, event, ...lease }: WireLease): Held => ({
  ...lease,
  fetch,
  group: fetch.group,
  number: event.sequence === lease.sequence ? event.payload.number : -1,
  leasedAtMs: Date.parse(leasedAt),
  expiresAtMs: Date.parse(expiresAt),
})

/** Handles what was leased. */
function* work(consumer: Consumer, leases: readonly Held[]): Routine {
  const { world, random, name } = consumer
  const { timeline, faults } = world
  if (random.chance(faults.crash)) {
    world.note(name, () => 'crashes')
    return yield* timeline.sleep(random.integer(10, 5_000))
  }
  if (random.chance(faults.freeze)) {
    world.note(name, () => 'freezes')
    yield* timeline.sleep(random.integer(500, 20_000))
  } else yield* timeline.sleep(random.integer(0, world.isDraining ? 10 : 1_500))
  if (random.chance(0.1))
    yield* settle(
      consumer,
      leases,
      leases.map(() => 'renew'),
    )
  if (random.chance(0.25)) return yield* settleClaim(consumer, leases)
  const outcomes = leases.map(() => outcomeAtRandom(world, random))
  if (random.chance(0.5)) return yield* settle(consumer, leases, outcomes)
  for (const [index, lease] of leases.entries()) yield* settle(consumer, [lease], [outcomes[index]!])
}

function outcomeAtRandom({ isDraining }: World, random: Random): Outcome {
  const way = random.next()
  if (isDraining || way < 0.7) return 'ack'
  if (way < 0.88) return 'nack'
  return way < 0.93 ? 'reject' : 'release'
}

/** Settles leases of one partition, each with its outcome; now and then once more when no answer has come. */
function* settle(consumer: Consumer, leases: readonly Held[], outcomes: readonly Outcome[]): Routine {
  const { world, random, name, group } = consumer
  const asked = world.newAsked()
  const settles = leases.map((lease, index): Settle => ({ ...asked, lease, outcome: outcomes[index]!, answers: [] }))
  world.history.settles.push(...settles)
  const items = settles.map(
    ({ lease, outcome }): SettleItem => ({
      leaseId: lease.leaseId,
      receipt: random.chance(0.5) ? (lease as Held).receipt : null,
      outcome: outcome as CommandOutcome,
      reason: null,
      delayMs: random.chance(0.5) ? random.integer(0, 2_000) : null,
      leaseMs: random.chance(0.5) ? random.integer(100, 3_000) : null,
    }),
  )
  const seen = ({ answer, clock, step }: Answered<'settle'>) => {
    if (answer.status !== 'done') return
    for (const [index, result] of answer.value.results.entries()) {
      const isRenewal = outcomes[index] === 'renew'
      const state = result.ok ? result.state : null
      const untilMs = result.ok && isRenewal ? result.dueAtMs : null
      settles[index]!.answered ??= step
      settles[index]!.answers.push({ answered: step, ok: result.ok, state, untilMs, clock })
      const isStrange = !result.ok && result.code !== 'stale_lease'
      if (isStrange) world.history.surprises.push(`${items[index]!.leaseId} with its own receipt: ${result.code}`)
    }
  }
  const make = () => ({ type: 'settle' as const, group: group.uid, items })
  const answered = yield* world.ask(name, leases[0]!.partition, asked, make, seen)
  if (asked.recurs) for (const one of settles) one.recurs = true
  if (answered === null && random.chance(0.5)) yield* settle(consumer, leases, outcomes)
}

/** Settles all that is still held of a claim. */
function* settleClaim({ world, random, name, group }: Consumer, leases: readonly Held[]): Routine {
  const [{ receipt, partition }] = leases as readonly [Held]
  const outcome = random.chance(0.8) || world.isDraining ? 'ack' : 'nack'
  const asked = world.newAsked()
  const settles = leases.map((lease): Settle => ({ ...asked, lease, outcome, answers: [] }))
  world.history.settles.push(...settles)
  const seen = ({ answer, clock, step }: Answered<'settleClaims'>) => {
    if (answer.status !== 'done') return
    const result = answer.value.results[0]!
    if (result.ok && result.count + result.lost !== leases.length) {
      world.history.surprises.push(`${receipt}: ${result.count} settled and ${result.lost} lost of ${leases.length}`)
    }
    // Of a claim that is settled in part, nobody is told which part.
    const ok = result.ok ? result.count === leases.length || null : false
    for (const one of settles) {
      one.answered ??= step
      one.answers.push({ answered: step, ok, state: null, untilMs: null, clock })
    }
  }
  const claims = {
    group: group.uid,
    receipts: [receipt],
    outcome,
    reason: null,
    delayMs: random.integer(0, 1_000),
  } as const
  yield* world.ask(name, partition, asked, () => ({ type: 'settleClaims' as const, claims }), seen)
  if (asked.recurs) for (const one of settles) one.recurs = true
}
