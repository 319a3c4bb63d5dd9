import type { Content, Options, SettleItem } from './calls.ts'

/** When every script begins, in milliseconds since 1970. */
export const START_MS = Date.UTC(2026, 2, 15, 12)

/**
 * A step of a script. It names groups, leases and receipts by numbers that are taken modulo what there is when the
 * step comes, so that a script stays meaningful while it is shrunk.
 */
export type Step =
  | ({ readonly do: 'append' } & StepAppend)
  /** One request with so many plain events. */
  | { readonly do: 'appendMany'; readonly count: number }
  /** Append requests that arrive together. */
  | { readonly do: 'appends'; readonly requests: readonly (StepAppend & { readonly agoMs: number })[] }
  /** An earlier append request comes once more, as it was. */
  | { readonly do: 'appendAgain'; readonly append: number }
  | { readonly do: 'read'; readonly after: number; readonly limit: number }
  | { readonly do: 'createGroup'; readonly start: StepStart; readonly options: Partial<Options> }
  | { readonly do: 'resolveStart'; readonly start: StepStart }
  | { readonly do: 'patchGroup'; readonly group: number; readonly patch: Partial<Options> }
  | { readonly do: 'repeatCreate' | 'lag' | 'groupInfo'; readonly group: number }
  | { readonly do: 'holes'; readonly group: number; readonly maxRanges: number }
  | { readonly do: 'leases'; readonly group: number; readonly consumer: number | null; readonly pageSize: number }
  | { readonly do: 'deadLetters'; readonly group: number; readonly pageSize: number }
  | {
      readonly do: 'fetch'
      readonly group: number
      readonly limit: number
      readonly leaseMs: number | null
      readonly consumer: number | null
    }
  | { readonly do: 'settle'; readonly group: number; readonly items: readonly StepItem[] }
  /** Settles every `stride`-th of the leases that the group holds, forwards or backwards. */
  | ({ readonly do: 'settleEvery'; readonly group: number; readonly stride: number; readonly backwards: boolean } & How)
  | { readonly do: 'renew'; readonly group: number; readonly items: readonly StepRenewal[] }
  | ({ readonly do: 'settleClaims'; readonly group: number; readonly receipts: readonly StepReceipt[] } & How<
      'ack' | 'nack' | 'reject'
    >)
  | { readonly do: 'releaseConsumer'; readonly group: number; readonly consumer: number }
  | { readonly do: 'event'; readonly event: StepEventId }
  | {
      readonly do: 'replay'
      readonly group: number
      readonly selector: StepSelector
      readonly resetAttempts: boolean
      readonly dryRun: boolean
    }
  | { readonly do: 'reset'; readonly group: number; readonly start: StepStart }
  | { readonly do: 'redrive'; readonly group: number; readonly events: readonly StepEventId[] | null }
  | { readonly do: 'removeGroup'; readonly group: number }
  | { readonly do: 'status' | 'expire' | 'evict' | 'restart' }
  | { readonly do: 'advance'; readonly ms: number }
  /** Moves the clock to the next time at which something is due, or `offMs` beside it. */
  | { readonly do: 'advanceToDue'; readonly offMs: number }

export interface How<O = SettleItem['outcome']> {
  readonly outcome: O
  readonly reason: string | null
  readonly delayMs: number | null
}

export interface StepAppend {
  readonly events: readonly StepEvent[]
  readonly key: number | null
  /** The expected sequence, from the high watermark. */
  readonly expected: number | null
}

/** `id` chooses one of a few ids; `position` asks for the generated id that many sequences from the high watermark. */
export interface StepEvent {
  readonly id: number | null
  readonly position: number | null
  /** Milliseconds from the start of the script. */
  readonly timestamp: number | null
  readonly content: number
}

export type StepStart =
  | { readonly kind: 'earliest' }
  | { readonly kind: 'latest' }
  /** So many sequences below the high watermark; above it when negative. */
  | { readonly kind: 'after'; readonly below: number }
  /** A time from the start of the script, or beside the timestamp of an event. */
  | { readonly kind: 'at'; readonly time: number }
  | { readonly kind: 'atEvent'; readonly event: number; readonly offMs: number }

/** The id of an event that is there, the generated id of a position, or one of the few chosen ids. */
export type StepEventId = { readonly event: number } | { readonly position: number } | { readonly id: number }

export type StepSelector =
  | Extract<StepStart, { kind: 'after' | 'at' | 'atEvent' }>
  | { readonly kind: 'type'; readonly content: number; readonly limit: number | null }

/** One of the leases that the group holds, one of all leases there ever were, or some other text. */
export type StepLease =
  | { readonly live: number }
  | { readonly ever: number }
  | { readonly receiptOf: number }
  | { readonly text: string }

/** `own` is the receipt of the lease it stands beside; claims count back from the latest, of the group or of any. */
export type StepReceipt =
  | 'own'
  | { readonly claim: number }
  | { readonly claimOfAny: number }
  | { readonly leaseOf: number }
  | { readonly text: string }

export interface StepItem extends How {
  readonly lease: StepLease
  readonly receipt: StepReceipt | null
}

export interface StepRenewal {
  readonly lease: StepLease
  readonly receipt: StepReceipt | null
  readonly leaseMs: number | null
}

export const defaultOptions: Options = { maxAttempts: 5, leaseMs: 100, maxInFlight: null, backoff: null, paused: false }

const content = (text: string): Content => JSON.parse(text) as Content

/** Few, so that retries meet equal and other content: the second and the third differ in the order of members only. */
export const contents: readonly Content[] = [
  content('{"type":null,"key":null,"payload":{},"metadata":{}}'),
  content('{"type":"paid","key":"k","payload":{"a":1,"b":[{"x":1,"y":2}]},"metadata":{"producer":"p"}}'),
  content('{"type":"paid","key":"k","payload":{"b":[{"y":2,"x":1}],"a":1},"metadata":{"producer":"p"}}'),
  content('{"type":"paid","key":"k","payload":{"a":1,"b":[{"x":1,"y":2}]},"metadata":{}}'),
  content(
    '{"type":"","key":"","payload":{"":"\\ud800","__proto__":{"a":"\\n\\u2028"},"constructor":1},"metadata":{"":null}}',
  ),
]
