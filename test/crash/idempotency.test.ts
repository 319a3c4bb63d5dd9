import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { auditLog } from './audit.ts'
import { type Answer, type Client, createClient, type Request } from './client.ts'
import { createJournal } from './journal.ts'
import { type Random, randomFrom, seedOfRun } from './random.ts'
import { type Runtime, startRuntime } from './runtime.ts'
import { createStream, readLog } from './stream.ts'
import type { NewEvent, StreamEvent } from './wire.ts'

/*
 * Many appends are on their way when the runtime dies just after it has answered the first of them: some are in and
 * their answers lost, some are not in, and some batches are in on a part of their partitions.
 */

const partitionCount = 16
const leastKills = 4
/** Whether a kill catches answers on their way is chance; these many are enough for any luck. */
const mostKills = 25

/** What is sent at once, and when the runtime dies under it. */
type Load = {
  stream: string
  appends: number
  eventsPerAppend: number
  paddingBytes: number
  /** Resolves at the moment of the kill. */
  moment: (client: Client, random: Random) => Promise<void>
  /** Whether the kills have met what they are for. */
  isEnough: (found: Found) => boolean
}

type Many = { events: (StreamEvent & { duplicate?: true })[] }
/** What the repeat of an append without an answer found. */
type Found = { all: number; part: number; none: number }

let runtime: Runtime

beforeAll(async () => {
  runtime = await startRuntime()
})

afterAll(() => runtime?.stop())

test('an append whose answer is lost to a kill, sent again with its idempotency key after the restart, is there once', async () => {
  const found = await killAndRepeat({
    ...{ stream: 'single', appends: 120, eventsPerAppend: 1, paddingBytes: 0, moment: afterSomeAnswers },
    isEnough: ({ all }) => all > 0,
  })
  expect(found.all, 'appends that were in though their answer was lost').toBeGreaterThan(0)
})

test('a batch over partitions whose answer is lost to a kill, sent again with its idempotency key after the restart, is there once', async () => {
  const found = await killAndRepeat({
    ...{ stream: 'batch', appends: 30, eventsPerAppend: partitionCount, paddingBytes: 0, moment: afterSomeAnswers },
    isEnough: ({ all }) => all > 0,
  })
  expect(found.all, 'batches that were in though their answer was lost').toBeGreaterThan(0)
})

test('a batch that a kill has left on a part of its partitions, sent again with its idempotency key, is there once', async () => {
  const found = await killAndRepeat({
    ...{ stream: 'torn', appends: 4, eventsPerAppend: 20 * partitionCount, paddingBytes: 2_000 },
    // Closer together at the beginning: how long these take is up to the machine.
    moment: (_, random) => pause(random.next() ** 2 * 200),
    isEnough: ({ part }) => part > 0,
  })
  expect(found.part, 'batches that were in on a part of their partitions').toBeGreaterThan(0)
})

/** In the midst of what the first answers were committed with. */
function afterSomeAnswers(client: Client, random: Random): Promise<void> {
  return client.answered(random.integer(1, 25))
}

/** Kills until the repeats have found what they should; every append is repeated, and audited in the end. */
async function killAndRepeat(load: Load): Promise<Found> {
  const { stream } = load
  const seed = seedOfRun()
  console.log(`${stream}: CRASH_SEED=${seed}`)
  const random = randomFrom(seed)
  const client = createClient(runtime)
  await createStream(client, stream, partitionCount)
  const journal = createJournal([])
  const found: Found = { all: 0, part: 0, none: 0 }
  for (let kill = 0; kill < mostKills && (kill < leastKills || !load.isEnough(found)); kill += 1) {
    const requests = Array.from({ length: load.appends }, (_, index) => requestOf(load, kill * load.appends + index))
    const answers = await killDuring(client, requests, load.moment(client, random))
    const repeats = await Promise.all(requests.map((request) => repeat(client, request)))
    for (const [index, events] of repeats.entries()) {
      const first = answers[index]!
      if (first === null) count(found, events)
      else expect([first.status, withoutMarks(events)]).toEqual([201, withoutMarks(first.body.events)])
      journal.appends.push({
        ...{ events: requests[index]!.body.events, outcome: 'in', answered: withoutMarks(events) },
        wasFound: events.some(({ duplicate }) => duplicate),
      })
    }
  }
  console.log(`${stream}: of the appends without an answer ${JSON.stringify(found)} were in`)
  expect(auditLog(journal, await readLog(client, stream, partitionCount))).toEqual([])
  return found
}

function requestOf({ stream, eventsPerAppend, paddingBytes }: Load, append: number) {
  const padding = 'x'.repeat(paddingBytes)
  const events = Array.from({ length: eventsPerAppend }, (_, index): NewEvent => {
    const number = append * eventsPerAppend + index
    return { payload: { number, padding }, partition: number % partitionCount }
  })
  return { path: `/streams/${stream}/events`, body: { events }, idempotencyKey: `key-${append}` }
}

/** Sends all at once and kills the runtime at the moment; the answers, null for those that were lost. */
async function killDuring(
  client: Client,
  requests: Request[],
  moment: Promise<void>,
): Promise<(Answer<Many> | null)[]> {
  const killing = moment.then(() => runtime.kill())
  const answers = await Promise.all(requests.map((request) => client.once<Many>(request)))
  await killing
  await runtime.up()
  return answers
}

/** Sends an append twice more. The second time it finds itself. */
async function repeat(client: Client, request: Request): Promise<Many['events']> {
  const again = await client.call<Many>(request)
  expect([200, 201], JSON.stringify(again.body)).toContain(again.status)
  const last = await client.call<Many>(request)
  expect(last.status).toBe(200)
  expect(last.body.events.every(({ duplicate }) => duplicate === true)).toBe(true)
  expect(withoutMarks(last.body.events)).toEqual(withoutMarks(again.body.events))
  return again.body.events
}

function count(found: Found, events: Many['events']): void {
  const duplicates = events.filter(({ duplicate }) => duplicate).length
  if (duplicates === 0) found.none += 1
  else if (duplicates === events.length) found.all += 1
  else found.part += 1
}

function withoutMarks(events: Many['events']): StreamEvent[] {
  return events.map(({ duplicate: _, ...event }) => event)
}
