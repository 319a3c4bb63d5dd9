import { expect } from 'vitest'
import { type Answer, type CallOptions, call } from './client.ts'
import type { Clock } from './clock.ts'
import { type Group, groupAt } from './group.ts'
import { randomName } from './random.ts'
import type { GroupOptions, NewEvent, StreamEvent, StreamInfo } from './wire.ts'

/** Under which clock and tenant a stream is used. */
export interface Context {
  clock?: Clock | undefined
  tenant?: string | undefined
}

/** A stream of the test. Methods with a plain result assert success; `send` answers whatever comes. */
export interface Stream {
  name: string
  path: string
  context: Context
  send<T = unknown>(method: string, suffix: string, options?: CallOptions): Promise<Answer<T>>
  /** Posts to `/events` as it is given. */
  post<T = unknown>(body: unknown, headers?: Record<string, string>): Promise<Answer<T>>
  /** Appends one event that is new. */
  append(event?: NewEvent): Promise<StreamEvent>
  /** Appends events of which at least one is new, in one request. */
  appendMany(events: NewEvent[]): Promise<StreamEvent[]>
  info(): Promise<StreamInfo>
  highWatermark(partition?: number): Promise<number>
  /** Every event of a partition, page by page. */
  read(partition?: number): Promise<StreamEvent[]>
  /** Creates a group with a new name. */
  group(options?: Record<string, unknown>): Promise<Group>
}

/** A handle to a stream that may or may not exist. */
export function streamAt(name: string, context: Context = {}): Stream {
  const path = `/v1/streams/${name}`
  const stream: Stream = {
    name,
    path,
    context,
    send: (method, suffix, options = {}) => call(method, path + suffix, { ...context, ...options }),
    post: (body, headers = {}) => stream.send('POST', '/events', { body, headers }),
    async append(event = {}) {
      const answer = await stream.post<{ event: StreamEvent }>(event)
      expect(answer.status, answer.where).toBe(201)
      return answer.body.event
    },
    async appendMany(events) {
      const answer = await stream.post<{ events: StreamEvent[] }>({ events })
      expect(answer.status, answer.where).toBe(201)
      return answer.body.events
    },
    async info() {
      const answer = await stream.send<StreamInfo>('GET', '')
      expect(answer.status, answer.where).toBe(200)
      return answer.body
    },
    async highWatermark(partition = 0) {
      return (await stream.info()).partitions[String(partition)]!.highWatermark
    },
    read: (partition = 0) => readAll(stream, partition),
    async group(options = {}) {
      const group = groupAt(stream, randomName('group'))
      const answer = await stream.send<GroupOptions>('POST', '/groups', { body: { name: group.name, ...options } })
      expect(answer.status, answer.where).toBe(201)
      return group
    },
  }
  return stream
}

async function readAll(stream: Stream, partition: number): Promise<StreamEvent[]> {
  const events: StreamEvent[] = []
  let after: number | null = 0
  while (after !== null) {
    const answer: Answer<{ events: StreamEvent[]; nextAfter: number | null }> = await stream.send(
      'GET',
      `/events?partition=${partition}&after=${after}&limit=1000`,
    )
    expect(answer.status, answer.where).toBe(200)
    events.push(...answer.body.events)
    after = answer.body.nextAfter
  }
  return events
}

/** Creates a stream with a new name. */
export async function createStream(partitionCount = 1, context: Context = {}): Promise<Stream> {
  const stream = streamAt(randomName('stream'), context)
  const answer = await call('POST', '/v1/streams', { ...context, body: { name: stream.name, partitionCount } })
  expect(answer.status, answer.where).toBe(201)
  return stream
}

/** So many events, each with its number in the payload. */
export function numbered(count: number, event: NewEvent = {}): NewEvent[] {
  return Array.from({ length: count }, (_, index) => ({ payload: { number: index + 1 }, ...event }))
}
