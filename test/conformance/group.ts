import { expect } from 'vitest'
import type { Answer, CallOptions } from './client.ts'
import type { Stream } from './stream.ts'
import type {
  DeadLetter,
  Fetched,
  GroupInfo,
  GroupLag,
  Lease,
  ListedLease,
  PartitionHoles,
  PartitionLag,
  Redriven,
  Replayed,
  Settled,
  SettledMany,
} from './wire.ts'

/** The verbs that settle or keep one lease. */
export const verbs = ['ack', 'nack', 'reject', 'renew', 'release'] as const
export type Verb = (typeof verbs)[number]

/** A consumer group of the test. Methods with a plain result assert success; `send` and `settle` answer whatever comes. */
export interface Group {
  name: string
  stream: Stream
  send<T = unknown>(method: string, suffix: string, options?: CallOptions): Promise<Answer<T>>
  fetch(body?: Record<string, unknown>): Promise<Lease[]>
  /** The whole answer of a fetch: the leases, or why there are none. */
  fetched(body?: Record<string, unknown>): Promise<Fetched>
  settle<T = Settled>(verb: Verb, body: unknown): Promise<Answer<T>>
  /** Settles one lease, asserts that it was the current one, and answers what became of the delivery. */
  ok(verb: Verb, lease: { leaseId: string }, options?: Record<string, unknown>): Promise<Settled>
  /** Settles many in one call. */
  many(verb: Verb, body: Record<string, unknown>): Promise<SettledMany>
  lag(): Promise<GroupLag>
  frontier(partition?: number): Promise<number>
  holes(partition?: number): Promise<PartitionHoles>
  info(): Promise<GroupInfo>
  leases(): Promise<ListedLease[]>
  deadLetters(query?: string): Promise<DeadLetter[]>
  patch(fields: Record<string, unknown>): Promise<GroupInfo>
  replay(body: Record<string, unknown>): Promise<Replayed>
  /** Starts the group over, confirmed unless `body` says otherwise; the lag of each partition in scope. */
  reset(body?: Record<string, unknown>): Promise<Record<string, PartitionLag>>
  redrive(body: Record<string, unknown>): Promise<Redriven>
}

/** A handle to a group that may or may not exist. */
export function groupAt(stream: Stream, name: string): Group {
  const path = `/groups/${name}`
  /** The body of a call that must succeed. */
  async function got<T>(method: string, suffix: string, body?: unknown): Promise<T> {
    const answer = await group.send<T>(method, suffix, body === undefined ? {} : { body })
    expect(answer.status, answer.where).toBe(200)
    return answer.body
  }
  const group: Group = {
    name,
    stream,
    send: (method, suffix, options = {}) => stream.send(method, path + suffix, options),
    fetched: (body = {}) => got('POST', '/fetch', body),
    fetch: async (body = {}) => (await group.fetched(body)).leases,
    settle: (verb, body) => group.send('POST', `/${verb}`, { body }),
    async ok(verb, lease, options = {}) {
      const settled = await got<Settled>('POST', `/${verb}`, { leaseId: lease.leaseId, ...options })
      expect(settled.ok).toBe(true)
      return settled
    },
    many: (verb, body) => got('POST', `/${verb}`, body),
    lag: () => got('GET', '/lag'),
    frontier: async (partition = 0) => (await group.lag()).partitions[String(partition)]!.frontier,
    async holes(partition = 0) {
      const holes = await got<{ partitions: Record<string, PartitionHoles> }>('GET', '/holes')
      return holes.partitions[String(partition)]!
    },
    info: () => got('GET', ''),
    leases: async () => (await got<{ leases: ListedLease[] }>('GET', '/leases?limit=1000')).leases,
    deadLetters: async (query = '') =>
      (await got<{ deadLetters: DeadLetter[] }>('GET', `/dead-letters${query}`)).deadLetters,
    patch: (fields) => got('PATCH', '', fields),
    replay: (body) => got('POST', '/replay', body),
    reset: async (body = {}) =>
      (await got<{ partitions: Record<string, PartitionLag> }>('POST', '/reset', { confirm: true, ...body }))
        .partitions,
    redrive: (body) => got('POST', '/dead-letters/redrive', body),
  }
  return group
}

/** Fetches until `count` leases are held or the group has no more to give. */
export async function fetchAll(group: Group, count: number, body: Record<string, unknown> = {}): Promise<Lease[]> {
  const leases: Lease[] = []
  while (leases.length < count) {
    const more = await group.fetch({ limit: Math.min(1000, count - leases.length), ...body })
    if (more.length === 0) break
    leases.push(...more)
  }
  return leases
}

/** Acks everything that can be fetched now; answers what was acked. */
export async function drain(group: Group): Promise<Lease[]> {
  const leases = await fetchAll(group, Number.POSITIVE_INFINITY)
  for (let start = 0; start < leases.length; start += 1_000) {
    const { failed } = await group.many('ack', { leases: leases.slice(start, start + 1_000) })
    expect(failed).toBe(0)
  }
  return leases
}

/** The sequences of leases or events, in the order given. */
export function sequences(items: readonly { sequence: number }[]): number[] {
  return items.map((item) => item.sequence)
}
