import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClient } from '../crash/client.ts'
import { type Random, randomFrom, seedOfRun } from '../crash/random.ts'
import { type Runtime, startRuntime } from '../crash/runtime.ts'
import { createGroup, createStream, readLog } from '../crash/stream.ts'
import { check } from './check.ts'
import { History } from './history.ts'
import { consume, drain, operate, produce, type Shared, seenEvent } from './http-clients.ts'
import { look, readHoles, readLetters } from './http-readers.ts'

/*
 * The checks of the simulation over HTTP: clients that race for real, a runtime that is killed under them, and on one
 * of the groups an operator who replays, redrives, resets and releases all the while.
 */

const LOAD_MS = 15_000
const kills = 8
const partitionCount = 3
const consumers = ['c1', 'c2']
const groups = [
  { name: 'patient', maxAttempts: 1_000 },
  { name: 'busy', maxAttempts: 3 },
]

let runtime: Runtime

beforeAll(async () => {
  runtime = await startRuntime()
})

afterAll(() => runtime?.stop())

test('eight kills under producers, consumers, readers and an operator: the history holds what was promised', async () => {
  const seed = seedOfRun()
  console.log(`history: CRASH_SEED=${seed}`)
  const random = randomFrom(seed)
  const client = createClient(runtime)
  const history = new History()
  const stream = 'seen'
  await createStream(client, stream, partitionCount)
  for (const { name, maxAttempts } of groups) {
    await createGroup(client, stream, name, { maxAttempts, backoff: { baseMs: 20, maxMs: 200 } })
    history.rules.push({ sent: history.step(), answered: history.step(), group: name, maxAttempts })
  }
  let isOver = false
  let number = 0
  const shared: Shared = {
    ...{ client, history, stream, partitionCount },
    isOver: () => isOver,
    nextNumber: () => ++number,
  }
  const load = loadOf(shared, random)
  await killNowAndThen(random)
  isOver = true
  await Promise.all(load)
  await Promise.all(groups.map(({ name }) => drain(shared, random.fork(), name)))

  const log = (await readLog(client, stream, partitionCount)).map((events) => events.map(seenEvent))
  const ends = await Promise.all(
    groups.map(async ({ name: group }) => ({
      group,
      positions: await readHoles(shared, group),
      letters: await readLetters(shared, group),
    })),
  )
  const { leases, settles, appends } = history
  console.log(
    `${appends.length} appends, ${leases.length} leases, ${settles.length} settles, ${client.answers()} answers`,
  )
  expect(ends.every(({ positions }) => positions.length === partitionCount)).toBe(true)
  const violations = check(history, { log, groups: ends })
  expect(violations.slice(0, 20), `CRASH_SEED=${seed}: ${violations.length} violations`).toEqual([])
  expect(runtime.complaints).toEqual([])
})

function loadOf(shared: Shared, random: Random): Promise<void>[] {
  const names = groups.map(({ name }) => name)
  return [
    ...[1, 2].map(() => produce(shared, random.fork())),
    ...names.flatMap((name) => consumers.map((consumerId) => consume(shared, random.fork(), name, consumerId))),
    look(shared, random.fork(), names),
    operate(shared, random.fork(), 'busy', consumers),
  ]
}

async function killNowAndThen(random: Random): Promise<void> {
  for (let kill = 0; kill < kills; kill += 1) {
    await pause((LOAD_MS / kills) * (0.5 + random.next()))
    runtime.kill()
    await runtime.up()
  }
}
