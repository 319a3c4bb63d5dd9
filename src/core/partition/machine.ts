import { append } from './append.ts'
import {
  type Address,
  type Answer,
  type Append,
  type Appended,
  type Command,
  type CommandName,
  type CommandOut,
  done,
  moved,
  refused,
} from './commands.ts'
import type { Context } from './context.ts'
import { event } from './event.ts'
import { expire } from './expire.ts'
import { fetch, hasWork } from './fetch.ts'
import { installGroup, removeGroup, resolveStart } from './groups.ts'
import { deadLetters, groupInfo, holes, lag, leases } from './inspect.ts'
import { KeyMemory } from './key-memory.ts'
import { query } from './query.ts'
import { read, status } from './read.ts'
import { matching, redrive, replay } from './replay.ts'
import { SegmentBuilder } from './segment-builder.ts'
import { releaseConsumer, settle, settleClaims } from './settle.ts'
import type { Group, PartitionStore } from './store.ts'

type Decide<N extends CommandName> = (context: Context, command: Command<N>) => Answer<CommandOut<N>>

/** A command on a group: a group that is not here means that the caller's idea of it is out of date. */
const ofGroup =
  <N extends CommandName>(
    groupOf: (command: Command<N>) => string,
    decide: (context: Context, group: Group, command: Command<N>) => CommandOut<N>,
  ): Decide<N> =>
  (context, command) => {
    const group = context.store.groups.byUid(groupOf(command))
    return group === null ? moved : done(decide(context, group, command))
  }

const decisions: { [N in Exclude<CommandName, 'append'>]: Decide<N> } = {
  read: (context, command) => done(read(context, command)),
  query: (context, command) => done(query(context, command.query)),
  status: (context) => done(status(context)),
  resolveStart(context, { start }) {
    const resolved = resolveStart(context, start)
    return resolved.ok ? done({ start: resolved.value }) : refused(resolved.failure)
  },
  installGroup(context, { install }) {
    installGroup(context, install)
    return done({})
  },
  fetch: ofGroup(
    (command) => command.fetch.group,
    (context, group, command) => fetch(context, group, command.fetch),
  ),
  settle: ofGroup(
    (command) => command.group,
    (context, group, { items }) => ({ results: settle(context, group, items) }),
  ),
  settleClaims: ofGroup(
    (command) => command.claims.group,
    (context, group, { claims }) => ({ results: settleClaims(context, group, claims) }),
  ),
  lag: ofGroup((command) => command.group, lag),
  holes: ofGroup(
    (command) => command.group,
    (context, group, { maxRanges }) => holes(context, group, maxRanges),
  ),
  groupInfo: ofGroup((command) => command.group, groupInfo),
  leases: ofGroup((command) => command.group, leases),
  releaseConsumer: ofGroup(
    (command) => command.group,
    (context, group, { consumerId }) => ({ released: releaseConsumer(context, group, consumerId) }),
  ),
  deadLetters: ofGroup((command) => command.group, deadLetters),
  event: (context, command) => done(event(context, command)),
  replay: ofGroup(
    (command) => command.replay.group,
    (context, group, command) => replay(context, group, command.replay),
  ),
  matching: ofGroup(
    (command) => command.group,
    (context, group, { selection, limit }) => ({ sequences: matching(context, group, selection, limit) }),
  ),
  redrive: ofGroup((command) => command.group, redrive),
  removeGroup(context, { group }) {
    removeGroup(context, group)
    return done({})
  },
  expire: () => done({}),
}

/**
 * One partition of a stream: every command of SEMANTICS S2 to S6 as one transaction over its store. Synchronous and
 * deterministic: time is an argument, and so is randomness (the token of a fetch).
 *
 * What it keeps in memory follows from the store, so a new machine over the same store gives the same answers.
 */
export class PartitionMachine {
  readonly #store: PartitionStore
  readonly #address: Address
  readonly #keys = new KeyMemory()
  readonly #segments = new SegmentBuilder()
  /** No lease and no delay is due before this; it may be earlier than the earliest. Null when not known. */
  #quietUntilMs: number | null = null
  /** The latest time a command has had: time never goes back for what has been applied (S9.1). */
  #clockMs = Number.MIN_SAFE_INTEGER

  constructor(store: PartitionStore, address: Address) {
    this.#store = store
    this.#address = address
  }

  /** Runs one command at `nowMs`, milliseconds since 1970. Throws only on faults; then nothing has changed. */
  run<N extends CommandName>(command: Command<N>, nowMs: number): Answer<CommandOut<N>> {
    const one = command as Command
    if (one.type === 'append') return this.append([one.append], nowMs)[0] as Answer<CommandOut<N>>
    // The alarm has come at a time that may no longer be anybody's: find out anew what is due next.
    if (one.type === 'expire') this.#quietUntilMs = null
    // The table has the decision of each command under its type; TypeScript cannot follow that through the generic.
    const decide = decisions[one.type] as unknown as Decide<N>
    return this.#command(nowMs, (context) => decide(context, command))
  }

  /** Runs several append requests as one transaction, packed into common rows of the log; an answer for each. */
  append(appends: readonly Append[], nowMs: number): Answer<Appended>[] {
    return this.#command(nowMs, (context) => append(context, { keys: this.#keys, segments: this.#segments }, appends))
  }

  /** Whether a fetch of the group would lease something at `nowMs`; true as well for a group that is not here. */
  hasWork(uid: string, nowMs: number): boolean {
    return this.#command(nowMs, ({ store }) => {
      const group = store.groups.byUid(uid)
      return group === null || hasWork(store, group)
    })
  }

  /** A time at or before the next expiry or end of a delay, in milliseconds since 1970; null when nothing waits. */
  nextDueMs(): number | null {
    const due = this.#quietUntil()
    return due === Infinity ? null : due
  }

  /** Lets the clock start anew: what follows is told by another clock than what was before. */
  changeClock(): void {
    this.#clockMs = Number.MIN_SAFE_INTEGER
  }

  #command<T>(nowMs: number, work: (context: Context) => T): T {
    const time = Math.max(nowMs, this.#clockMs)
    try {
      const context = { store: this.#store, address: this.#address, nowMs: time, schedule: this.#schedule }
      const result = this.#store.transaction(() => {
        if (time >= this.#quietUntil()) {
          expire(context)
          this.#quietUntilMs = null
        }
        return work(context)
      })
      this.#clockMs = time
      return result
    } catch (fault) {
      this.#quietUntilMs = null
      this.#keys.clear()
      this.#segments.clear()
      throw fault
    }
  }

  readonly #schedule = (dueMs: number): void => {
    if (this.#quietUntilMs !== null) this.#quietUntilMs = Math.min(this.#quietUntilMs, dueMs)
  }

  #quietUntil(): number {
    this.#quietUntilMs ??= this.#store.timed.earliestDue() ?? Infinity
    return this.#quietUntilMs
  }
}
