import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { auditLog } from './audit.ts'
import { type Answer, type Client, createClient, type Request } from './client.ts'
import { createJournal, type Journal } from './journal.ts'
import { loseAnswers } from './lost-answers.ts'
import { randomFrom, seedOfRun } from './random.ts'
import { type Runtime, startRuntime } from './runtime.ts'
import { createStream, readLog } from './stream.ts'
import type { NewEvent, StreamEvent } from './wire.ts'

/*
 * Many appends are on their way when the runtime dies: some are in and their answers lost, some are not in, and some
 * batches are in on a part of their partitions. The same call again makes all of them right.
 */

const partitionCount = 16
const kills = 4

type Append = Required<Pick<Request, 'path' | 'idempotencyKey'>> & { body: { events: NewEvent[] } }
type Many = { events: (StreamEvent & { duplicate?: true })[] }
type Answers = (Answer<Many> | null)[]
/** What the repeats of appends without an answer found of them. */
type Found = { all: number; part: number; none: number }

let runtime: Runtime
let client: Client

beforeAll(async () => {
  runtime = await startRuntime()
  client = createClient(runtime)
})

afterAll(() => runtime?.stop())

test.each([
  [
    'an append whose answer is lost to a kill, sent again with its idempotency key after the restart, is there once',
    'single',
    { appends: 60, eventsPerAppend: 1 },
  ],
  [
    'a batch over partitions whose answer is lost to a kill, sent again with its idempotency key after the restart, is there once',
    'batch',
    { appends: 20, eventsPerAppend: partitionCount },
  ],
])('%s', async (_, stream, { appends, eventsPerAppend }) => {
  const seed = seedOfRun()
  console.log(`${stream}: CRASH_SEED=${seed}`)
  const random = randomFrom(seed)
  await createStream(client, stream, partitionCount)
  const journal = createJournal([])
  const found: Found = { all: 0, part: 0, none: 0 }
  for (let kill = 0; kill < kills; kill += 1) {
    const requests = Array.from({ length: appends }, (_, index) =>
      appendOf(stream, kill * appends + index, eventsPerAppend),
    )
    const answers = await killAtAnswer(random.integer(1, appends / 2), requests)
    await repeatAll(requests, answers, journal, found)
  }
  console.log(`${stream}: of the appends without an answer ${JSON.stringify(found)} were in`)
  expect(found.all, 'appends that were in though their answer was lost').toBeGreaterThanOrEqual(kills)
  expect(auditLog(journal, await readLog(client, stream, partitionCount))).toEqual([])
})

test('a batch that a kill has left on a part of its partitions, sent again with its idempotency key, is there once', async () => {
  const stream = 'torn'
  const appends = 4
  const mostKills = 40
  await createStream(client, stream, partitionCount)
  const journal = createJournal([])
  const found: Found = { all: 0, part: 0, none: 0 }
  let delayMs = 50
  let kill = 0
  for (; kill < mostKills && found.part === 0; kill += 1) {
    const requests = Array.from({ length: appends }, (_, index) =>
      appendOf(stream, kill * appends + index, 20 * partitionCount, 2_000),
    )
    const before = { ...found }
    const answers = await killAfter(delayMs, requests)
    await repeatAll(requests, answers, journal, found)
    // The first partitions are in and the last ones are not for a moment only, and when is up to the machine: too
    // late if a whole batch was in, else too early.
    const isLate = found.all > before.all || answers.some((answer) => answer !== null)
    delayMs *= isLate ? 0.8 : 1.15
  }
  console.log(`${stream}: ${JSON.stringify(found)} after ${kill} kills, the last one at ${delayMs.toFixed(0)} ms`)
  expect(found.part, 'batches that were in on a part of their partitions').toBeGreaterThan(0)
  expect(auditLog(journal, await readLog(client, stream, partitionCount))).toEqual([])
})

/** A batch with an idempotency key; its events go round the partitions. */
function appendOf(stream: string, append: number, events: number, paddingBytes = 0): Append {
  const padding = 'x'.repeat(paddingBytes)
  const numbered = Array.from({ length: events }, (_, index): NewEvent => {
    const number = append * events + index
    return { payload: { number, padding }, partition: number % partitionCount }
  })
  return { path: `/streams/${stream}/events`, body: { events: numbered }, idempotencyKey: `key-${append}` }
}

/** Sends all at once; the runtime dies as it begins its nth answer, which is lost as all that would have followed. */
async function killAtAnswer(nth: number, requests: Append[]): Promise<Answers> {
  const lost = await loseAnswers(runtime.url, nth, runtime.kill)
  const answers = await sendAll(createClient({ url: lost.url, up: runtime.up }), requests)
  lost.stop()
  expect(answers.filter((answer) => answer !== null).length).toBeLessThan(nth)
  return answers
}

/** Sends all at once; the runtime dies after so long. */
async function killAfter(delayMs: number, requests: Append[]): Promise<Answers> {
  const killing = pause(delayMs).then(runtime.kill)
  const answers = await sendAll(client, requests)
  await killing
  await runtime.up()
  return answers
}

function sendAll(sender: Client, requests: Append[]): Promise<Answers> {
  return Promise.all(requests.map((request) => sender.once<Many>(request)))
}

/** Repeats every append, answered or not, holds the answers against each other and enters them for the audit. */
async function repeatAll(requests: Append[], answers: Answers, journal: Journal, found: Found): Promise<void> {
  const repeats = await Promise.all(requests.map(repeat))
  for (const [index, events] of repeats.entries()) {
    const answered = withoutMarks(events)
    const duplicates = events.filter(({ duplicate }) => duplicate).length
    const first = answers[index]!
    if (first !== null) expect([first.status, withoutMarks(first.body.events)]).toEqual([201, answered])
    else if (duplicates === 0) found.none += 1
    else if (duplicates === events.length) found.all += 1
    else found.part += 1
    journal.appends.push({ events: requests[index]!.body.events, outcome: 'in', answered, wasFound: duplicates > 0 })
  }
}

/** Sends an append twice more. The second time it finds itself. */
async function repeat(request: Append): Promise<Many['events']> {
  const again = await client.call<Many>(request)
  expect([200, 201], JSON.stringify(again.body)).toContain(again.status)
  const last = await client.call<Many>(request)
  expect(last.status).toBe(200)
  expect(last.body.events.every(({ duplicate }) => duplicate === true)).toBe(true)
  expect(withoutMarks(last.body.events)).toEqual(withoutMarks(again.body.events))
  return again.body.events
}

function withoutMarks(events: Many['events']): StreamEvent[] {
  return events.map(({ duplicate: _, ...event }) => event)
}
