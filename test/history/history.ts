/**
 * What clients of a stream did and saw, and what was there in the end: all that the checks know. Places are partition
 * and sequence; events carry a number of their own, so that nothing depends on what the server says they are. A group
 * is named so that one created again has another name.
 *
 * Steps are those of one counter for all clients: what was answered before something else was sent happened before it.
 */

/** Something asked of the server. `answered` is null as long as no answer has come: then it may happen at any time. */
export interface Asked {
  readonly sent: number
  answered: number | null
  /** Set when the network has made a second request of it, which may do the same once more at any time. */
  recurs?: true
}

export interface SeenEvent {
  readonly partition: number
  readonly sequence: number
  readonly id: string
  readonly number: number
}

export interface Append extends Asked {
  readonly partition: number
  readonly events: readonly { readonly number: number; readonly id: string | null }[]
  /** Whether the server recognises a repeat: by ids that the client chose, or by an idempotency key. */
  isSafe: boolean
  /** How many requests there were of it. */
  copies: number
  /** The answered events; null when no answer has come. */
  seen: readonly SeenEvent[] | null
}

/** A call that leases; `isWhole` says that all it did is known. */
export interface Fetch extends Asked {
  readonly group: string
  readonly partition: number
  isWhole: boolean
}

export interface Lease {
  readonly fetch: Fetch
  readonly group: string
  readonly partition: number
  readonly sequence: number
  readonly number: number
  readonly leaseId: string
  readonly attempt: number
  readonly consumerId: string | null
  readonly leasedAtMs: number
  readonly expiresAtMs: number
}

export type Outcome = 'ack' | 'nack' | 'reject' | 'release' | 'renew'

/** One answer to a settle; several when the request came twice. `ok` is null where the answer does not say. */
export interface Settled {
  readonly answered: number
  readonly ok: boolean | null
  readonly state: string | null
  /** The new end of a lease, after a renewal. */
  readonly untilMs: number | null
  /** The server's clock at that time, and the latest time it had shown before; null when it is not known. */
  readonly clock: { readonly nowMs: number; readonly latestMs: number } | null
}

export interface Settle extends Asked {
  readonly lease: Lease
  readonly outcome: Outcome
  readonly answers: Settled[]
}

/** A replay, reset or redrive: what may come back by it. */
export interface Reopening extends Asked {
  readonly kind: 'replay' | 'reset' | 'redrive'
  readonly group: string
  readonly resetsAttempts: boolean
  /** Whether it reaches all that `covers` says, or some of it. */
  readonly isExact: boolean
  covers(place: { partition: number; sequence: number; number: number }): boolean
}

/** Where a group was told to begin: all up to a sequence is skipped. */
export interface Start extends Asked {
  readonly group: string
  readonly partition: number
  readonly skipped: number
}

/** A group's options, as they were given at one time. */
export interface Rule extends Asked {
  readonly group: string
  readonly maxAttempts: number
}

/** All leases of a consumer given back by an operator. */
export interface Release extends Asked {
  readonly group: string
  readonly consumerId: string
}

export interface Hole {
  readonly first: number
  readonly last: number
  readonly state: string
}

/** Where a group stood in a partition. */
export interface Position extends Asked {
  readonly group: string
  readonly partition: number
  readonly frontier: number
  readonly highWatermark: number
  readonly lag: number
  readonly holes: readonly Hole[] | null
}

export interface Letter {
  readonly partition: number
  readonly sequence: number
  readonly number: number
  readonly cause: string
  readonly attempt: number
}

/** A list of dead letters, read in one piece. */
export interface Listing extends Asked {
  readonly group: string
  readonly letters: readonly Letter[]
}

/** Events as they were read; with `selects`, all of them up to `until` that it picks. */
export interface Reading extends Asked {
  readonly partition: number
  readonly events: readonly SeenEvent[]
  readonly highWatermark: number
  readonly selects: ((number: number) => boolean) | null
}

export class History {
  readonly appends: Append[] = []
  readonly fetches: Fetch[] = []
  readonly leases: Lease[] = []
  readonly settles: Settle[] = []
  readonly reopenings: Reopening[] = []
  readonly starts: Start[] = []
  readonly rules: Rule[] = []
  readonly releases: Release[] = []
  readonly positions: Position[] = []
  readonly listings: Listing[] = []
  readonly readings: Reading[] = []
  /** Steps at which a partition's clock may have gone back, because it started again with an earlier one. */
  readonly setbacks: { readonly partition: number; readonly at: number }[] = []
  /** Answers that nothing explains. */
  readonly surprises: string[] = []
  #steps = 0

  step(): number {
    this.#steps += 1
    return this.#steps
  }
}

/** What was there after all calls had ended. */
export interface End {
  /** The events of each partition, in order. */
  readonly log: readonly (readonly SeenEvent[])[]
  /** Every group that was not deleted. */
  readonly groups: readonly {
    readonly group: string
    readonly positions: readonly Position[]
    readonly letters: readonly Letter[]
  }[]
}

/** The step after which a call does nothing any more. */
export const endOf = ({ answered, recurs }: Asked): number => (answered === null || recurs ? Infinity : answered)

/** Whether a settle may have done what it asked for. */
export const mayHaveLanded = ({ answers, ...asked }: Settle): boolean =>
  endOf(asked) === Infinity || answers.length === 0 || answers.some(({ ok }) => ok !== false)

/** The step of the first answer that says that a settle has done what it asked for. */
export const landedAt = ({ answers }: Settle): number | null => answers.find(({ ok }) => ok === true)?.answered ?? null
