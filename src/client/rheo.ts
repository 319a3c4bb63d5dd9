import type { AppendOptions } from './append.ts'
import { type Connection, connect, connections } from './connection.ts'
import { type Consumer, startConsumer } from './consume/consumer.ts'
import { LeaseBook } from './consume/lease-book.ts'
import { type LeaseStream, type LeaseStreamOptions, openLeaseStream } from './consume/lease-stream.ts'
import type { ConsumerOptions } from './consume/options.ts'
import { Ownership } from './consume/ownership.ts'
import { type DeadLetters, deadLettersOf } from './dead-letter.ts'
import type { AppendedEvent, JsonObject, NewEvent, StreamEvent } from './event.ts'
import { type Fetched, type FetchOptions, fetchLeases } from './fetch.ts'
import { type Groups, groupsOf } from './group.ts'
import type { LeaseRef } from './lease.ts'
import type { RheoOptions } from './options.ts'
import { Producer } from './producer.ts'
import { type Query, type QueryPage, query, streamQuery } from './query.ts'
import { type EventOptions, type FoundEvent, findEvent, type ReadOptions, type ReadPage, read } from './read.ts'
import type { CallOptions, Send } from './request.ts'
import {
  type ClaimResult,
  type GroupRef,
  type LeaseResult,
  type Renewed,
  type Results,
  type Settled,
  type SettledAll,
  type SettleItem,
  type SettleOptions,
  settleMany,
  settleOne,
  type VerbOptions,
} from './settle.ts'
import { Settler } from './settler.ts'
import { type Streams, streamsOf } from './stream.ts'
import { type Capabilities, capabilities, type Health, health } from './system.ts'

type Ref = Pick<LeaseRef, 'leaseId' | 'receipt'>

/**
 * A client of a Rheo Edge server. Every call gives plain data, throws the `RheoError` of its failure's code, and takes a
 * `signal`. Calls that are safe to repeat are repeated after a failure that may pass.
 *
 * @example
 * const rheo = new Rheo({ url: 'http://localhost:8787' })
 * await rheo.streams.create('orders', { partitionCount: 4 })
 * await rheo.append('orders', { type: 'placed', key: 'customer-7', payload: { total: 12.5 } })
 *
 * @example
 * // In another Worker, over a service binding:
 * const rheo = new Rheo({ fetch: env.RHEO.fetch.bind(env.RHEO), token: env.RHEO_TOKEN })
 */
export class Rheo {
  /** Create, list, show and delete streams. */
  readonly streams: Streams
  /** Create, change and delete groups; see how far they are; replay and reset them. */
  readonly groups: Groups
  /** List and redrive dead letters. */
  readonly deadLetters: DeadLetters
  readonly #connection: Connection
  readonly #send: Send
  readonly #ownership: Ownership
  readonly #book = new LeaseBook()
  readonly #producer: Producer
  readonly #settler: Settler

  /** @throws TypeError when there is neither a url nor a fetch. */
  constructor(options: RheoOptions) {
    this.#connection = connect(options)
    connections.set(this, this.#connection)
    this.#ownership = new Ownership(this.#connection.identity)
    const { send } = this.#connection
    const gather = options.gather ?? true
    this.#send = send
    this.streams = streamsOf(send)
    this.groups = groupsOf(send)
    this.deadLetters = deadLettersOf(send)
    this.#producer = new Producer(send, gather)
    this.#settler = new Settler(send, gather, this.#book)
  }

  /** Whether the server is there, and its version. Needs no token. */
  health(options: CallOptions = {}): Promise<Health> {
    return health(this.#send, options)
  }

  /** What the server promises, and its limits. */
  capabilities(options: CallOptions = {}): Promise<Capabilities> {
    return capabilities(this.#send, options)
  }

  /**
   * Appends one event. Calls made while another one of the stream is in flight go out together as the next request;
   * those with options of their own beside `signal` go alone.
   *
   * @example const { id, sequence } = await rheo.append('orders', { type: 'placed', key: 'customer-7', payload })
   * @throws StreamNotFoundError, IdConflictError, SequenceConflictError, PayloadTooLargeError, PartitionFullError;
   * AmbiguousError when nobody knows whether the event is in
   */
  append(stream: string, event: NewEvent, options: AppendOptions = {}): Promise<AppendedEvent> {
    return this.#producer.one(stream, event, options)
  }

  /**
   * Appends up to 1 000 events in one request, atomically in each partition and in their order. When not all are in, the
   * error is the worst of its partitions, and `data.results` tells each event's fate if they went to more than one.
   */
  appendMany(stream: string, events: readonly NewEvent[], options: AppendOptions = {}): Promise<AppendedEvent[]> {
    return this.#producer.many(stream, events, options)
  }

  /** Reads a part of a partition in order. @throws StreamNotFoundError, InvalidPartitionError */
  read<P = JsonObject>(stream: string, options: ReadOptions = {}): Promise<ReadPage<P>> {
    return read(this.#send, stream, options)
  }

  /** Looks up an event by its id. @throws EventNotFoundError */
  event<P = JsonObject>(stream: string, id: string, options: EventOptions = {}): Promise<FoundEvent<P>> {
    return findEvent(this.#send, stream, id, options)
  }

  /** A page of a search; `cursor` is the `nextCursor` of the page before. @throws InvalidQueryError, CursorNotFoundError */
  query<P = JsonObject>(
    stream: string,
    options: Query & CallOptions & { readonly cursor?: string | undefined } = {},
  ): Promise<QueryPage<P>> {
    return query(this.#send, stream, options)
  }

  /**
   * Every match of a search, in order, as the stream was when it began.
   *
   * @example for await (const event of rheo.streamQuery('orders', { where: { type: 'placed' } })) console.log(event.id)
   */
  streamQuery<P = JsonObject>(
    stream: string,
    options: Query & CallOptions = {},
  ): AsyncGenerator<StreamEvent<P>, void, undefined> {
    return streamQuery(this.#send, stream, options)
  }

  /**
   * Leases deliveries of a group. A lost answer takes its leases along: they come again when they expire.
   *
   * @example const { leases } = await rheo.fetch('orders', 'billing', { limit: 100, waitMs: 20_000 })
   * @throws StreamNotFoundError, GroupNotFoundError
   */
  fetch<P = JsonObject>(stream: string, group: string, options: FetchOptions = {}): Promise<Fetched<P>> {
    return fetchLeases(this.#send, stream, group, options)
  }

  /**
   * Settles a delivery as done. Like all settles it is never repeated by the SDK: after a lost answer the second try
   * would be told `stale_lease` by the success of the first. Leave such a lease to expire.
   *
   * @throws StaleLeaseError, ReceiptMismatchError
   */
  ack(lease: LeaseRef, options: CallOptions = {}): Promise<Settled> {
    return this.#settler.one('ack', lease, options)
  }

  /** Gives a delivery back to be tried again, or makes a dead letter of it after its last attempt: the answer says. */
  nack(lease: LeaseRef, options: VerbOptions['nack'] & CallOptions = {}): Promise<Settled> {
    return this.#settler.one('nack', lease, options)
  }

  /** Makes a dead letter of a delivery. */
  reject(lease: LeaseRef, options: VerbOptions['reject'] & CallOptions = {}): Promise<Settled> {
    return this.#settler.one('reject', lease, options)
  }

  /** Gives a delivery back unworked: available at once, its attempt refunded. */
  release(lease: LeaseRef, options: CallOptions = {}): Promise<Settled> {
    return this.#settler.one('release', lease, options)
  }

  /** Makes a lease longer, counted from now. */
  renew(lease: LeaseRef, options: VerbOptions['renew'] & CallOptions = {}): Promise<Renewed> {
    return settleOne(this.#send, 'renew', lease, options)
  }

  /** Acks up to 1 000 leases, each with its own result. */
  ackMany(group: GroupRef, leases: readonly Ref[], options: CallOptions = {}): Promise<Results<LeaseResult>> {
    return this.#settler.many('ack', group, leases, options)
  }

  /** Nacks up to 1 000 leases alike, each with its own result. */
  nackMany(
    group: GroupRef,
    leases: readonly Ref[],
    options: VerbOptions['nack'] & CallOptions = {},
  ): Promise<Results<LeaseResult>> {
    return this.#settler.many('nack', group, leases, options)
  }

  /** Rejects up to 1 000 leases alike, each with its own result. */
  rejectMany(
    group: GroupRef,
    leases: readonly Ref[],
    options: VerbOptions['reject'] & CallOptions = {},
  ): Promise<Results<LeaseResult>> {
    return this.#settler.many('reject', group, leases, options)
  }

  /** Releases up to 1 000 leases, each with its own result. */
  releaseMany(group: GroupRef, leases: readonly Ref[], options: CallOptions = {}): Promise<Results<LeaseResult>> {
    return this.#settler.many('release', group, leases, options)
  }

  /** Renews up to 1 000 leases, each with its own result. */
  renewMany(
    group: GroupRef,
    leases: readonly Ref[],
    options: VerbOptions['renew'] & CallOptions = {},
  ): Promise<Results<LeaseResult<Renewed>>> {
    return settleMany(this.#send, 'renew', group, leases, options)
  }

  /** Acks whole claims by their receipts: all that is still held under each. */
  ackClaims(group: GroupRef, receipts: readonly string[], options: CallOptions = {}): Promise<Results<ClaimResult>> {
    return this.#settler.claims('ack', group, receipts, options)
  }

  /** Nacks whole claims alike. */
  nackClaims(
    group: GroupRef,
    receipts: readonly string[],
    options: VerbOptions['nack'] & CallOptions = {},
  ): Promise<Results<ClaimResult>> {
    return this.#settler.claims('nack', group, receipts, options)
  }

  /** Rejects whole claims alike. */
  rejectClaims(
    group: GroupRef,
    receipts: readonly string[],
    options: VerbOptions['reject'] & CallOptions = {},
  ): Promise<Results<ClaimResult>> {
    return this.#settler.claims('reject', group, receipts, options)
  }

  /**
   * Settles up to 1 000 leases, each by its own outcome, and takes the next ones in the same call if asked to.
   *
   * @example
   * const items = leases.map(({ leaseId }) => ({ leaseId, outcome: 'ack' as const }))
   * const { results, fetched } = await rheo.settle({ stream: 'orders', group: 'billing' }, items, { fetch: { limit: 100 } })
   */
  settle<P = JsonObject>(
    group: GroupRef,
    items: readonly SettleItem[],
    options: SettleOptions = {},
  ): Promise<SettledAll<P>> {
    return this.#settler.all(group, items, options)
  }

  /**
   * Starts a consumer: fetches, runs the handler on each event, settles by its outcome, and renews leases meanwhile. It
   * goes on until it is drained, whatever fails. Resolves when `setup` is through.
   *
   * @example
   * const consumer = await rheo.consumer({
   *   stream: 'orders',
   *   group: 'billing',
   *   concurrency: 8,
   *   handler: async (event, { signal }) => {
   *     if (event.type !== 'placed') return reject('not an order')
   *     const isCharged = await charge(event.payload, signal)
   *     return isCharged ? ack : retry('declined', { delayMs: 60_000 })
   *   },
   * })
   * process.once('SIGTERM', () => void consumer.drain(25_000))
   * @throws AlreadyStartedError when the group has a consumer or lease stream in this process; RangeError; what `setup`
   * throws
   */
  consumer<P = JsonObject, S = undefined>(options: ConsumerOptions<P, S>): Promise<Consumer> {
    return startConsumer(this.#connection, this.#ownership, options)
  }

  /**
   * Leases as a stream, fetched only when somebody reads and no more than `maxDemand` at once. What was read is renewed
   * until it is settled through this client, which frees its place. Cancelling the stream gives back what nobody has
   * read.
   *
   * @example
   * for await (const lease of rheo.leases({ stream: 'orders', group: 'billing', maxDemand: 100 })) {
   *   await bill(lease.event)
   *   void rheo.ack(lease).catch(report)
   * }
   * @throws AlreadyStartedError, RangeError
   */
  leases<P = JsonObject>(options: LeaseStreamOptions): LeaseStream<P> {
    return openLeaseStream(this.#connection, this.#ownership, this.#book, options)
  }
}
