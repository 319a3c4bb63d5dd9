import type { Log } from './audit.ts'
import type { Client } from './client.ts'
import type { DeadLetter, Lag, NewEvent, StreamEvent } from './wire.ts'

const page = 1_000
/** More pages than any test here fills. */
const maxPages = 1_000

/** Makes a stream. */
export async function createStream(client: Client, name: string, partitionCount: number): Promise<void> {
  await client.expect(201, { path: '/streams', body: { name, partitionCount } })
}

/** Makes a group; `options` as in the contract. */
export async function createGroup(client: Client, stream: string, name: string, options: object = {}): Promise<void> {
  await client.expect(201, { path: `/streams/${stream}/groups`, body: { name, ...options } })
}

/** Appends events numbered from 1, as many a call as the server takes; `toEvent` adds to each what it needs. */
export async function appendNumbered(
  client: Client,
  stream: string,
  count: number,
  toEvent: (number: number) => Partial<NewEvent> = () => ({}),
): Promise<void> {
  for (let first = 1; first <= count; first += page) {
    const events = Array.from({ length: Math.min(page, count - first + 1) }, (_, index) => {
      return { payload: { number: first + index }, ...toEvent(first + index) }
    })
    await client.expect(201, { path: `/streams/${stream}/events`, body: { events } })
  }
}

/** Reads every partition from its first event to its last. */
export async function readLog(client: Client, stream: string, partitionCount: number): Promise<Log> {
  return Promise.all(Array.from({ length: partitionCount }, (_, partition) => readPartition(client, stream, partition)))
}

async function readPartition(client: Client, stream: string, partition: number): Promise<StreamEvent[]> {
  const events: StreamEvent[] = []
  let after = 0
  for (let pages = 0; pages < maxPages; pages += 1) {
    const query = `partition=${partition}&after=${after}&limit=${page}`
    const answer = await client.expect<{ events: StreamEvent[]; nextAfter: number | null; highWatermark: number }>(
      200,
      {
        method: 'GET',
        path: `/streams/${stream}/events?${query}`,
      },
    )
    events.push(...answer.events)
    if (answer.nextAfter === null) {
      const last = events.at(-1)?.sequence ?? 0
      if (last === answer.highWatermark) return events
      throw new Error(
        `reading partition ${partition} ends at ${last}, below the high watermark ${answer.highWatermark}`,
      )
    }
    after = answer.nextAfter
  }
  throw new Error(`reading partition ${partition} does not end`)
}

export async function readLag(client: Client, stream: string, group: string): Promise<Lag> {
  return client.expect(200, { method: 'GET', path: `/streams/${stream}/groups/${group}/lag` })
}

/** All dead letters of a group. */
export async function readDeadLetters(client: Client, stream: string, group: string): Promise<DeadLetter[]> {
  const deadLetters: DeadLetter[] = []
  let after = ''
  for (let pages = 0; pages < maxPages; pages += 1) {
    const query = `limit=${page}${after === '' ? '' : `&after=${encodeURIComponent(after)}`}`
    const answer = await client.expect<{ deadLetters: DeadLetter[]; nextCursor: string | null }>(200, {
      method: 'GET',
      path: `/streams/${stream}/groups/${group}/dead-letters?${query}`,
    })
    deadLetters.push(...answer.deadLetters)
    if (answer.nextCursor === null) return deadLetters
    after = answer.nextCursor
  }
  throw new Error(`the dead letters of ${group} do not end`)
}
