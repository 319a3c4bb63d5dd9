import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { auditGroup, auditLog } from './audit.ts'
import { type Client, createClient } from './client.ts'
import { type Consumer, consume, fetchLeases } from './consumer.ts'
import { createJournal, type Journal } from './journal.ts'
import { produce } from './producer.ts'
import { type Random, randomFrom, seedOfRun } from './random.ts'
import { type Runtime, startRuntime } from './runtime.ts'
import { ackClaims } from './settle.ts'
import { createGroup, createStream, readDeadLetters, readLag, readLog } from './stream.ts'

/*
 * The whole promise of the log and of the groups, held against a runtime that is killed ten times (or as often as
 * CRASH_KILLS says) at moments nobody chose: what the server has answered is true for ever, whatever it was doing when it died.
 */

/** A whole number from the environment, for a run that is longer or narrower than the usual one. */
const fromEnv = (name: string, usual: number): number => Number(process.env[name] ?? usual)

const kills = fromEnv('CRASH_KILLS', 10)
const stream = 'killed'
const partitionCount = fromEnv('CRASH_PARTITIONS', 4)
const producers = 32
const consumersPerGroup = fromEnv('CRASH_CONSUMERS', 12)
/** A kill takes a second or two, most of it until the runtime is back and has answered enough for the next one. */
const timeoutMs = 120_000 + 12_000 * kills
/** One group forgives all, the other one makes dead letters of what dies with its consumers. */
const groups = [
  { name: 'patient', maxAttempts: 1_000 },
  { name: 'strict', maxAttempts: 4 },
]
/** Delays and leases end within half a second, so a drain that takes so many fetches of one worker does not end. */
const maxDrainFetches = 500

let runtime: Runtime

beforeAll(async () => {
  runtime = await startRuntime()
})

afterAll(() => runtime?.stop())

test(
  `${kills} kills of the runtime under load lose nothing and give nothing acked again`,
  async () => {
    const seed = seedOfRun()
    console.log(
      `${kills} kills, ${partitionCount} partitions, ${consumersPerGroup} consumers a group: CRASH_SEED=${seed}`,
    )
    const random = randomFrom(seed)
    const client = createClient(runtime)
    await createStream(client, stream, partitionCount)
    for (const { name, maxAttempts } of groups) await createGroup(client, stream, name, { maxAttempts })
    const journal = createJournal(groups.map(({ name }) => name))

    await runLoad(client, journal, random)
    await Promise.all(groups.map(({ name }) => drain(client, journal, random, name)))

    const log = await readLog(client, stream, partitionCount)
    const violations = [...journal.faults, ...auditLog(journal, log)]
    for (const { name } of groups) {
      const deadLetters = await readDeadLetters(client, stream, name)
      violations.push(...auditGroup(name, journal.groups.get(name)!, log, deadLetters))
      const lag = await readLag(client, stream, name)
      const partitions = log.map(({ length }) => ({ frontier: length, highWatermark: length, lag: 0 }))
      expect(lag, `seed ${seed}`).toMatchObject({ partitions: { ...partitions }, lag: 0 })
      console.log(`${name}: ${summaryOf(journal, name)}, ${deadLetters.length} dead letters`)
    }
    const maybes = journal.appends.filter(({ outcome }) => outcome === 'maybe').length
    const found = journal.appends.filter(({ wasFound }) => wasFound).length
    console.log(`${client.answers()} answers, ${log.flat().length} events`)
    console.log(`appends whose answer was lost: ${maybes} not sent again, ${found} found by their repeat`)
    expect(violations.slice(0, 20), `seed ${seed}: ${violations.length} violations`).toEqual([])
    expect(runtime.complaints, `seed ${seed}`).toEqual([])
  },
  timeoutMs,
)

/** Producers and consumers at work until the runtime has been killed for the last time and is up again. */
async function runLoad(client: Client, journal: Journal, random: Random): Promise<void> {
  let isOver = false
  let number = 0
  const shared = { client, journal, stream, partitionCount, isOver: () => isOver, nextNumber: () => ++number }
  const load = [
    ...Array.from({ length: producers }, () => produce({ ...shared, random: random.fork() })),
    ...groups.flatMap(({ name: group }) =>
      Array.from({ length: consumersPerGroup }, (_, index) =>
        consume({ ...shared, random: random.fork(), group, consumerId: `${group}-${index}` }),
      ),
    ),
  ]
  const killing = killAgainAndAgain(client, random.fork()).finally(() => {
    isOver = true
  })
  await Promise.all([killing, ...load])
}

/** Kills after so many answers: most times in the midst of load, sometimes when the runtime has hardly come back. */
async function killAgainAndAgain(client: Client, random: Random): Promise<void> {
  for (let kill = 0; kill < kills; kill += 1) {
    await client.answered(random.chance(0.2) ? random.integer(1, 5) : random.integer(50, 900))
    // At once, in the midst of the answers of one commit, or anywhere between it and the next ones.
    if (random.chance(0.5)) await pause(random.next() * 5)
    runtime.kill()
    await runtime.up()
  }
}

/** Acks what is left until the group has caught up. */
async function drain(client: Client, journal: Journal, random: Random, group: string): Promise<void> {
  const consumer: Consumer = {
    ...{ client, journal, random: random.fork(), stream, group, partitionCount },
    ...{ consumerId: `${group}-drain`, isOver: () => false },
  }
  for (let fetches = 0; fetches < maxDrainFetches; fetches += 1) {
    const body = { limit: 500, leaseMs: 20_000, consumerId: consumer.consumerId, waitMs: 1_000 }
    const fetched = await fetchLeases(consumer, body)
    if (fetched?.reason === 'caught_up') return
    if (fetched !== null && fetched.leases.length > 0) await ackClaims(consumer, fetched.leases)
  }
  throw new Error(`${group} has not caught up after ${maxDrainFetches} fetches`)
}

function summaryOf(journal: Journal, group: string): string {
  const deliveries = [...journal.groups.get(group)!.values()]
  const leases = deliveries.reduce((sum, { leased }) => sum + leased.length, 0)
  const acked = deliveries.filter((delivery) => delivery.acked.length > 0).length
  const maybe = deliveries.filter((delivery) => delivery.acked.length === 0 && delivery.maybeAcked).length
  return `${leases} leases, ${acked} acked, ${maybe} acked without an answer`
}
