/**
 * The SDK of Rheo Edge: no dependency, only web standards, so it runs in Node 20, browsers, Deno, Bun and Workers.
 *
 * @module
 */
export type { AppendOptions } from './append.ts'
export { type Clock, systemClock } from './clock.ts'
export type { Consumer } from './consume/consumer.ts'
export type { ConsumeEvent, LostCause, OnConsumeEvent } from './consume/event.ts'
export type { Drained } from './consume/intake.ts'
export type { LeaseStream, LeaseStreamControl, LeaseStreamOptions } from './consume/lease-stream.ts'
export type { ConsumeOptions, ConsumerOptions, HandlerContext } from './consume/options.ts'
export { ack, type Outcome, reject, retry } from './consume/outcome.ts'
export { type BatchOptions, type PipelineOptions, type Processed, pipeline } from './consume/pipeline.ts'
export type { DeadLetter, DeadLetters, Redriven } from './dead-letter.ts'
export * from './errors.ts'
export type { AppendedEvent, AppendResult, Json, JsonObject, NewEvent, StreamEvent, Time } from './event.ts'
export type { Code, FailureData } from './failure.ts'
export type { AlsoFetched, EmptyReason, Fetched, FetchNowOptions, FetchOptions } from './fetch.ts'
export type { Backoff, Group, GroupOptions, Groups, Start } from './group.ts'
export type {
  DeliveryState,
  GroupInfo,
  GroupLag,
  Inspecting,
  ListedLease,
  PartitionHoles,
  PartitionLag,
} from './inspect.ts'
export type { Lease, LeaseRef } from './lease.ts'
export type { Fetch, RetryOptions, RheoOptions } from './options.ts'
export type { Operators, Query, QueryPage, Selection, Where } from './query.ts'
export type { Delivery, EventOptions, FoundEvent, ReadOptions, ReadPage } from './read.ts'
export type { Replayed, Replaying, ReplayOptions, ReplaySelector, ResetOptions, Scope } from './replay.ts'
export type { CallOptions } from './request.ts'
export { Rheo } from './rheo.ts'
export type {
  ClaimResult,
  GroupRef,
  LeaseResult,
  Renewed,
  Results,
  Settled,
  SettledAll,
  SettleItem,
  SettleOptions,
  VerbOptions,
} from './settle.ts'
export type { ConfirmOptions, ListOptions, Stream, StreamInfo, Streams } from './stream.ts'
export type { Capabilities, Health } from './system.ts'
export { type Tail, type TailOptions, tail } from './tail.ts'
