import type { Answer, Client } from './client.ts'
import type { Append, Journal } from './journal.ts'
import type { Random } from './random.ts'
import type { NewEvent, StreamEvent } from './wire.ts'

/** How a producer makes a repeated append safe: by chosen ids, by an idempotency key, by both, or not at all. */
const safeties = ['ids', 'key', 'ids and key', 'none'] as const
const largestBatch = 12
/** An object that cannot take the append right now; everything else but success is a fault. */
const refusals = [503, 504]
/** How often an append without an answer is sent again before it counts as a fault. */
const maxTries = 40

type Appended = { event: StreamEvent; duplicate?: true } | { events: (StreamEvent & { duplicate?: true })[] }

export type Producer = {
  client: Client
  journal: Journal
  random: Random
  stream: string
  partitionCount: number
  /** Numbers the events of all producers. */
  nextNumber: () => number
  isOver: () => boolean
}

/** Appends single events and batches until it is over, each request once as far as the producer can see to it. */
export async function produce(producer: Producer): Promise<void> {
  while (!producer.isOver()) await appendOne(producer)
}

async function appendOne({ client, journal, random, stream, partitionCount, nextNumber }: Producer): Promise<void> {
  const safety = safeties[random.integer(0, safeties.length - 1)]!
  const count = random.chance(0.5) ? 1 : random.integer(2, largestBatch)
  const events = Array.from({ length: count }, () => newEvent(random, partitionCount, nextNumber(), safety))
  const idempotencyKey = safety.includes('key') ? `key-${events[0]!.payload.number}` : undefined
  const request = {
    path: `/streams/${stream}/events`,
    body: count === 1 ? events[0] : { events },
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  }
  const append: Append = { events, outcome: 'maybe', answered: [], wasFound: false }
  journal.appends.push(append)

  for (let tries = 1; tries <= maxTries; tries += 1) {
    const answer = await client.once<Appended>(request)
    if (answer !== null && !refusals.includes(answer.status)) return conclude(journal, append, answer, tries > 1)
    // Nobody knows whether it is in, and nothing would recognize it if it were sent again.
    if (safety === 'none') return
  }
  journal.faults.push(`append of ${events[0]!.payload.number}: no answer in ${maxTries} tries`)
}

function conclude(journal: Journal, append: Append, { status, body }: Answer<Appended>, isRepeat: boolean): void {
  const what = `append of ${append.events.map(({ payload }) => payload.number).join()}`
  if (status !== 200 && status !== 201) {
    journal.faults.push(`${what}: ${status} ${JSON.stringify(body)}`)
    return
  }
  const answered = 'events' in body ? body.events : [{ ...body.event, ...(body.duplicate && { duplicate: true }) }]
  append.wasFound = answered.some((event) => 'duplicate' in event)
  if (append.wasFound && !isRepeat) {
    journal.faults.push(`${what}: a first append is answered as a duplicate`)
  }
  append.outcome = 'in'
  append.answered = answered.map(({ duplicate: _, ...event }: StreamEvent & { duplicate?: unknown }) => event)
}

/** Routed by partition, by key, or by neither. */
function newEvent(random: Random, partitionCount: number, number: number, safety: string): NewEvent {
  const way = random.next()
  return {
    payload: { number },
    ...(safety.includes('ids') && { id: `event-${number}` }),
    ...(way < 0.5 && { partition: random.integer(0, partitionCount - 1) }),
    ...(way >= 0.5 && way < 0.95 && { key: `key-${number % 50}` }),
  }
}
