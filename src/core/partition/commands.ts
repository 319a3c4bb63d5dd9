import type { Cause, DeliveryState } from '../delivery.ts'
import type { Failure } from '../failure.ts'
import type { GroupOptions, Start } from '../group.ts'
import type { Key, Order, Selection } from '../query/query.ts'
import type {
  DeadLetterInfo,
  GroupInfo,
  Holes,
  LeaseInfo,
  PartitionLag,
  PartitionMetrics,
  PartitionStatus,
} from './info.ts'

export type * from './info.ts'

/** Who is meant by a call: one incarnation of a stream and one of its partitions. */
export interface Address {
  readonly tenant: string
  readonly stream: string
  readonly uid: string
  readonly partition: number
}

/** What one append request brings to one partition. Lines are canonical (see event.ts), joined by newlines. */
export interface Append {
  readonly lines: string
  readonly count: number
  /** Index and id of each event whose producer chose one. */
  readonly ids: readonly (readonly [index: number, id: string])[]
  /** Index and time of each event whose producer gave one. */
  readonly times: readonly (readonly [index: number, timestampMs: number])[]
  /** The terms of all events together (see query/terms.ts). */
  readonly terms: ArrayLike<number>
  /** The request's now: the timestamp of all others. */
  readonly atMs: number
  readonly idempotency: Idempotency | null
  readonly expectedSequence: number | null
}

/** A request's idempotency key, with a digest of the whole request that tells a repeat from another request. */
export interface Idempotency {
  readonly key: string
  readonly fingerprint: string
}

/** What became of an append: events not in `duplicates` have the sequences from `first` on, in input order. */
export interface Appended {
  readonly first: number
  readonly duplicates: readonly { readonly index: number; readonly event: string }[]
}

/** A group as a partition is told it: `revision` grows with each change of the options. */
export interface GroupInstall {
  readonly uid: string
  readonly name: string
  readonly revision: number
  readonly options: GroupOptions
  /** The last sequence that is skipped. */
  readonly start: number
  /** Grows with each reset: a partition that knows a lower one forgets the group's deliveries and starts again. */
  readonly epoch: number
}

export interface Fetch {
  readonly group: string
  readonly limit: number
  readonly leaseMs: number | null
  readonly consumerId: string | null
  /** 128 random bits as 22 characters of base64url; the fence of all leases of this claim. */
  readonly token: string
  readonly maxBytes: number
}

/** What a partition gave. `leases` is JSON text, comma-separated; `receipt` is null when it gave none. */
export interface Fetched {
  readonly count: number
  readonly bytes: number
  readonly receipt: string | null
  readonly leases: string
  /** Why it gave none; null when it gave some. */
  readonly reason: EmptyReason | null
}

/** Why a fetch came back empty, the first that holds (S3.7). */
export const emptyReasons = ['paused', 'in_flight_limit', 'all_delayed', 'all_leased', 'caught_up'] as const
export type EmptyReason = (typeof emptyReasons)[number]

export type Outcome = 'ack' | 'nack' | 'reject' | 'renew' | 'release'

export interface SettleItem {
  readonly leaseId: string
  readonly receipt: string | null
  readonly outcome: Outcome
  readonly reason: string | null
  /** Of a nack; null asks for the group's backoff. */
  readonly delayMs: number | null
  /** Of a renew; null keeps the length last granted. */
  readonly leaseMs: number | null
}

export type SettleResult =
  | { readonly ok: true; readonly state: DeliveryState; readonly dueAtMs: number | null }
  | { readonly ok: false; readonly code: 'stale_lease' | 'receipt_mismatch' }

export interface SettleClaims {
  readonly group: string
  readonly receipts: readonly string[]
  readonly outcome: 'ack' | 'nack' | 'reject'
  readonly reason: string | null
  readonly delayMs: number | null
}

export type ClaimResult =
  | { readonly ok: true; readonly count: number; readonly lost: number }
  | { readonly ok: false; readonly code: 'stale_lease' }

export interface QueryRequest {
  readonly selection: Selection
  readonly order: Order
  /** The page begins behind this place; null for the first page. */
  readonly position: Key | null
  /** The last sequence that belongs to the listing; null lets this page fix it. */
  readonly highWatermark: number | null
  readonly limit: number
  readonly maxBytes: number
  /** How many characters of the log one call looks at, about. */
  readonly maxLooked: number
}

export interface QueryPage {
  /** `event` is JSON text; null when it alone is larger than `maxBytes`, to be read by its sequence. */
  readonly matches: readonly { readonly key: Key; readonly event: string | null }[]
  /** How far this page has come; null at the end. */
  readonly next: Key | null
  readonly highWatermark: number
}

/** What a replay selects (S5.2). */
export type ReplaySelector =
  | { readonly kind: 'after'; readonly sequence: number }
  | { readonly kind: 'at'; readonly timeMs: number }
  | { readonly kind: 'matches'; readonly selection: Selection; readonly limit: number | null }

export interface Replay {
  readonly group: string
  readonly selector: ReplaySelector
  readonly resetAttempts: boolean
  readonly dryRun: boolean
}

/** `inRange` is false when a replay by time found no event at or after its time. */
export interface Replayed extends PartitionLag {
  readonly reopened: number
  readonly inRange: boolean
}

export interface Redriven extends PartitionLag {
  readonly redriven: number
}

/** What became of one event in one group. Times are milliseconds since 1970. */
export interface DeliveryInfo {
  /** The group's uid. */
  readonly group: string
  readonly state: DeliveryState
  readonly attempt: number
  readonly consumerId: string | null
  readonly expiresAtMs: number | null
  readonly dueAtMs: number | null
  readonly reason: string | null
  readonly cause: Cause | null
}

/** Every command of a partition with its parameters and its outcome. `group` is always the group's uid. */
export interface PartitionCommands {
  append: { in: { append: Append }; out: Appended }
  read: {
    in: { after: number; limit: number; maxBytes: number }
    out: { events: string; count: number; last: number; highWatermark: number }
  }
  query: { in: { query: QueryRequest }; out: QueryPage }
  status: { in: Record<never, never>; out: PartitionStatus }
  resolveStart: { in: { start: Start }; out: { start: number } }
  installGroup: { in: { install: GroupInstall }; out: Record<never, never> }
  fetch: { in: { fetch: Fetch }; out: Fetched }
  /** Why a fetch would come back empty; null when there is work. Leases nothing. */
  work: { in: { group: string }; out: { reason: EmptyReason | null } }
  settle: { in: { group: string; items: readonly SettleItem[] }; out: { results: readonly SettleResult[] } }
  settleClaims: { in: { claims: SettleClaims }; out: { results: readonly ClaimResult[] } }
  lag: { in: { group: string }; out: PartitionLag }
  holes: { in: { group: string; maxRanges: number }; out: Holes }
  groupInfo: { in: { group: string }; out: GroupInfo }
  /** What the partition counts of itself and of all its groups. */
  metrics: { in: Record<never, never>; out: PartitionMetrics }
  leases: {
    in: { group: string; consumerId: string | null; after: number; limit: number }
    out: { leases: readonly LeaseInfo[]; more: boolean }
  }
  releaseConsumer: { in: { group: string; consumerId: string }; out: { released: number } }
  deadLetters: {
    in: { group: string; after: number; limit: number; maxBytes: number }
    out: { deadLetters: readonly DeadLetterInfo[]; more: boolean }
  }
  /** The event with a chosen id, or at a sequence; null when there is none. */
  event: {
    in: { id: string; sequence: number | null; withGroups: boolean }
    out: { event: string; deliveries: readonly DeliveryInfo[] } | null
  }
  replay: { in: { replay: Replay }; out: Replayed }
  /** How many deliveries a selection matches, as their sequences: the first `limit` of them. */
  matching: { in: { group: string; selection: Selection; limit: number }; out: { sequences: readonly number[] } }
  /** Chosen ids and sequences of dead letters to reopen; all of them when both are null. */
  redrive: {
    in:
      | { group: string; eventIds: readonly string[]; sequences: readonly number[] }
      | { group: string; eventIds: null; sequences: null }
    out: Redriven
  }
  removeGroup: { in: { group: string }; out: Record<never, never> }
  /** Applies what is due; the alarm's command. */
  expire: { in: Record<never, never>; out: Record<never, never> }
}

export type CommandName = keyof PartitionCommands
export type Command<N extends CommandName = CommandName> = {
  [K in N]: { readonly type: K } & Readonly<PartitionCommands[K]['in']>
}[N]
export type CommandOut<N extends CommandName> = PartitionCommands[N]['out']

/**
 * The answer to a command. `moved` says that the caller's idea of the stream or group is out of date: it asks the
 * catalog and tries once more.
 */
export type Answer<T> =
  | { readonly status: 'done'; readonly value: T }
  | { readonly status: 'refused'; readonly failure: Failure }
  | { readonly status: 'moved' }

export const done = <T>(value: T): Answer<T> => ({ status: 'done', value })
export const refused = (failure: Failure): { readonly status: 'refused'; readonly failure: Failure } => ({
  status: 'refused',
  failure,
})
export const moved = { status: 'moved' } as const
