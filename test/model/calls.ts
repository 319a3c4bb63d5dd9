/**
 * What a partition with its groups is asked, as plain data that no implementation shapes: times are milliseconds,
 * pages are whole lists, and a lease is named by the claim that took it. Claims are numbered from 0 in the order in
 * which fetches answered with leases; each driver keeps the real ids and receipts that belong to a number.
 *
 * Nothing in here, in reference.ts or in commands.ts imports the product, so that a black-box suite can use them.
 */

export type State = 'undelivered' | 'available' | 'delayed' | 'leased' | 'acked' | 'rejected' | 'skipped'
export type Cause = 'rejected' | 'max_attempts' | 'lease_expired'
export type Reason = 'paused' | 'in_flight_limit' | 'all_delayed' | 'all_leased' | 'caught_up'

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

export interface Content {
  readonly type: string | null
  readonly key: string | null
  readonly payload: { [name: string]: Json }
  readonly metadata: { [name: string]: Json }
}

/** An event to append. An id `generated:n` stands for the id that the stream generates for sequence n. */
export interface EventInput {
  readonly id: string | null
  readonly timestampMs: number | null
  readonly content: Content
}

export interface Event extends Content {
  readonly sequence: number
  /** The chosen id, or `generated:n`. */
  readonly id: string
  readonly timestampMs: number
}

export interface Options {
  readonly maxAttempts: number
  readonly leaseMs: number
  readonly maxInFlight: number | null
  readonly backoff: { readonly baseMs: number; readonly factor: number; readonly maxMs: number } | null
  readonly paused: boolean
}

export type Start =
  | { readonly kind: 'earliest' }
  | { readonly kind: 'latest' }
  | { readonly kind: 'after'; readonly sequence: number }
  | { readonly kind: 'at'; readonly timeMs: number }

/** A lease (`sequence` given) or the receipt (`sequence` null) of a claim, or a text that was never either. */
export type Ref = { readonly claim: number; readonly sequence: number | null } | { readonly text: string }

export interface SettleItem {
  readonly lease: Ref
  readonly receipt: Ref | null
  readonly outcome: 'ack' | 'nack' | 'reject' | 'release'
  readonly reason: string | null
  readonly delayMs: number | null
}

export interface RenewItem {
  readonly lease: Ref
  readonly receipt: Ref | null
  readonly leaseMs: number | null
}

export interface Lease {
  readonly claim: number
  readonly sequence: number
  readonly eventId: string
  readonly attempt: number
  readonly consumerId: string | null
  readonly leasedAtMs: number
  readonly expiresAtMs: number
  readonly event: Event
}

/** `untilMs` is the end of the delay, or of the renewed lease. */
export type SettleResult =
  | { readonly ok: true; readonly state: State; readonly untilMs: number | null }
  | { readonly ok: false; readonly code: 'stale_lease' | 'receipt_mismatch' }

export type ClaimResult =
  | { readonly ok: true; readonly count: number; readonly lost: number }
  | { readonly ok: false; readonly code: 'stale_lease' }

export interface Lag {
  readonly frontier: number
  readonly highWatermark: number
  readonly lag: number
}

export interface Blocker {
  readonly sequence: number
  readonly eventId: string
  readonly state: State
  readonly attempt: number
  readonly consumerId: string | null
  readonly expiresAtMs: number | null
  readonly dueAtMs: number | null
  readonly reason: string | null
}

export interface Hole {
  readonly first: number
  readonly last: number
  readonly state: State
  readonly attempt: number
}

export interface DeadLetter {
  readonly sequence: number
  readonly eventId: string
  readonly reason: string | null
  readonly cause: Cause
  readonly attempt: number
  readonly consumerId: string | null
  readonly deadLetteredAtMs: number
  readonly event: Event
}

export interface GroupInfo {
  readonly lag: Lag
  readonly inFlight: number
  readonly delayed: number
  readonly available: number
  readonly deadLetters: number
  readonly oldestUnsettled: {
    readonly sequence: number
    readonly eventId: string
    readonly timestampMs: number
    readonly state: State
  } | null
}

/** What became of an event in a group. */
export interface DeliveryInfo {
  readonly group: string
  readonly state: State
  readonly attempt: number
  readonly consumerId: string | null
  readonly expiresAtMs: number | null
  readonly dueAtMs: number | null
  readonly reason: string | null
  readonly cause: Cause | null
}

/** What a replay reopens: all behind a sequence, all from a time on, or the first `limit` events of a type. */
export type ReplaySelector =
  | { readonly kind: 'after'; readonly sequence: number }
  | { readonly kind: 'at'; readonly timeMs: number }
  | { readonly kind: 'type'; readonly type: string | null; readonly limit: number | null }

/** Every call with its parameters and its answer. */
export interface Calls {
  append: {
    in: {
      readonly events: readonly EventInput[]
      readonly idempotencyKey: string | null
      readonly expectedSequence: number | null
    }
    out: { readonly events: readonly { readonly duplicate: boolean; readonly event: Event }[] }
  }
  /** Several append requests that arrive together, in this order, each with a now of its own that lies a little back. */
  appends: {
    in: { readonly requests: readonly (Calls['append']['in'] & { readonly agoMs: number })[] }
    out: { readonly answers: readonly Answer<Calls['append']['out']>[] }
  }
  read: {
    in: { readonly after: number; readonly limit: number }
    out: { readonly events: readonly Event[]; readonly highWatermark: number }
  }
  status: { in: Record<never, never>; out: { readonly highWatermark: number } }
  resolveStart: { in: { readonly start: Start }; out: { readonly start: number } }
  /** Creates a group that does not exist; `start` is the last skipped sequence. */
  createGroup: {
    in: { readonly group: string; readonly start: Start; readonly options: Options }
    out: { readonly start: number }
  }
  patchGroup: { in: { readonly group: string; readonly patch: Partial<Options> }; out: Record<never, never> }
  /** The creation of a group arrives once more, late: it must change nothing. */
  repeatCreate: { in: { readonly group: string }; out: Record<never, never> }
  fetch: {
    in: {
      readonly group: string
      readonly limit: number
      readonly leaseMs: number | null
      readonly consumerId: string | null
    }
    out: { readonly leases: readonly Lease[]; readonly reason: Reason | null }
  }
  settle: {
    in: { readonly group: string; readonly items: readonly SettleItem[] }
    out: { readonly results: readonly SettleResult[] }
  }
  renew: {
    in: { readonly group: string; readonly items: readonly RenewItem[] }
    out: { readonly results: readonly SettleResult[] }
  }
  settleClaims: {
    in: {
      readonly group: string
      readonly receipts: readonly Ref[]
      readonly outcome: 'ack' | 'nack' | 'reject'
      readonly reason: string | null
      readonly delayMs: number | null
    }
    out: { readonly results: readonly ClaimResult[] }
  }
  releaseConsumer: {
    in: { readonly group: string; readonly consumerId: string }
    out: { readonly released: number }
  }
  lag: { in: { readonly group: string }; out: Lag }
  holes: {
    in: { readonly group: string; readonly maxRanges: number }
    out: Omit<Lag, 'lag'> & {
      readonly blockedBy: Blocker | null
      readonly holes: readonly Hole[]
      readonly more: boolean
    }
  }
  groupInfo: { in: { readonly group: string }; out: GroupInfo }
  /** All leases, or all of a consumer, gathered in pages of `pageSize`. */
  leases: {
    in: { readonly group: string; readonly consumerId: string | null; readonly pageSize: number }
    out: { readonly leases: readonly Omit<Lease, 'claim' | 'event'>[] }
  }
  deadLetters: {
    in: { readonly group: string; readonly pageSize: number }
    out: { readonly deadLetters: readonly DeadLetter[] }
  }
  event: {
    in: { readonly id: string }
    out: { readonly found: { readonly event: Event; readonly deliveries: readonly DeliveryInfo[] } | null }
  }
  replay: {
    in: {
      readonly group: string
      readonly selector: ReplaySelector
      readonly resetAttempts: boolean
      readonly dryRun: boolean
    }
    out: Lag & { readonly reopened: number }
  }
  reset: { in: { readonly group: string; readonly start: Start }; out: Lag }
  /** Dead letters of these events, or all. */
  redrive: {
    in: { readonly group: string; readonly eventIds: readonly string[] | null }
    out: Lag & { readonly redriven: number }
  }
  removeGroup: { in: { readonly group: string }; out: Record<never, never> }
  /** What the alarm does. */
  expire: { in: Record<never, never>; out: Record<never, never> }
}

export type CallName = keyof Calls
export type In<N extends CallName> = Calls[N]['in']
export type Out<N extends CallName> = Calls[N]['out']
export type Call<N extends CallName = CallName> = { [K in N]: { readonly type: K } & Calls[K]['in'] }[N]

/** A refusal carries its code and the data that the code promises, never the text for people. */
export type Refusal = { readonly code: string; readonly [data: string]: Json }
export type Answer<T> = { readonly value: T } | { readonly refused: Refusal }
