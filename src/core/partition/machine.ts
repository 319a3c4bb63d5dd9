import { type Failure, failure } from '../failure.ts'
import type { GroupHappening } from '../happening.ts'
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
import { Damage } from './damage.ts'
import { type Decide, decisions, type OfGroup } from './decisions.ts'
import type { Due } from './due-times.ts'
import { expire } from './expire.ts'
import { reasonForNothing } from './fetch.ts'
import { GroupMemory } from './group-memory.ts'
import { KeyMemory } from './key-memory.ts'
import { highWatermarkOf } from './lines.ts'
import { metrics } from './metrics.ts'
import { SegmentBuilder } from './segment-builder.ts'
import { defaultSettings, type Settings } from './settings.ts'
import type { Group, PartitionStore } from './store.ts'

/** How many leases and delays one transaction of expiry takes up: bounds its memory, not the work of a command. */
const ROUND_RUNS = 1_000

/**
 * One partition of a stream: every command of SEMANTICS S2 to S6 as one transaction over its store. Synchronous and
 * deterministic: time is an argument, and so are randomness (the token of a fetch) and the room that is left.
 *
 * What it keeps in memory follows from the store, so a new machine over the same store gives the same answers.
 *
 * A group whose rows cannot be is in quarantine: its calls answer `failed` until it is reset or deleted, nothing of it
 * is passed over, and everything else goes on.
 */
export class PartitionMachine {
  readonly #store: PartitionStore
  readonly #address: Address
  readonly #settings: Settings
  readonly #memory: GroupMemory
  readonly #keys: KeyMemory
  readonly #segments = new SegmentBuilder()
  /** The latest time a command has had: time never goes back for what has been applied (S9.1). Null until the first. */
  #clockMs: number | null
  /** Groups whose damage has been reported. */
  readonly #reported = new Set<number>()

  constructor(store: PartitionStore, address: Address, settings: Partial<Settings> = {}) {
    this.#store = store
    this.#address = address
    this.#settings = { ...defaultSettings, ...settings }
    this.#keys = new KeyMemory(this.#settings.idempotencyKeys)
    this.#memory = new GroupMemory(store)
    this.#clockMs = this.#settings.trustsStoredTimes ? null : Number.MIN_SAFE_INTEGER
  }

  /**
   * Runs one command at `nowMs`, milliseconds since 1970; an append may make the log longer by `freeBytes`. Throws only
   * on faults; then nothing has changed but expiries that were due.
   */
  run<N extends CommandName>(command: Command<N>, nowMs: number, freeBytes = Infinity): Answer<CommandOut<N>> {
    const one = command as Command
    if (one.type === 'append') return this.append([one.append], nowMs, freeBytes)[0] as Answer<CommandOut<N>>
    const time = this.#time(nowMs)
    const failing = this.#expireDue(time)
    try {
      if (one.type === 'metrics')
        return this.#commit(time, (context) => done(metrics(context, failing, freeBytes))) as Answer<CommandOut<N>>
      // The table has the decision of each command under its type; TypeScript cannot follow that through the generic.
      const decision = decisions[one.type] as unknown as Decide<N> | OfGroup<N>
      if (typeof decision === 'object') return this.#runOfGroup(decision, command, time, failing)
      // These look at every group.
      if (one.type === 'expire' || (one.type === 'event' && one.withGroups))
        for (const fault of failing.values()) throw fault
      // The alarm may have come at a time that is no longer anybody's: find out what is due next.
      if (one.type === 'expire') this.#memory.prune()
      return this.#commit(time, (context) => decision(context, command))
    } catch (fault) {
      return answerTo(fault)
    }
  }

  /** Runs several append requests as one transaction, packed into common rows of the log; an answer for each. */
  append(appends: readonly Append[], nowMs: number, freeBytes = Infinity): Answer<Appended>[] {
    const time = this.#time(nowMs)
    this.#expireDue(time)
    try {
      const memory = { keys: this.#keys, segments: this.#segments }
      return this.#commit(time, (context) => append(context, memory, appends, freeBytes))
    } catch (fault) {
      const answer = answerTo(fault)
      return appends.map(() => answer)
    }
  }

  /** Whether a fetch of the group would say something new at `nowMs`: work, or that the group is not here or damaged. */
  hasWork(uid: string, nowMs: number): boolean {
    const time = this.#time(nowMs)
    const failing = this.#expireDue(time)
    return this.#commit(time, (context) => {
      const group = this.#store.groups.byUid(uid)
      if (group === null || failing.has(group.id) || this.#damageOf(group.id) !== null) return true
      return reasonForNothing(context, group) === null
    })
  }

  /** The last sequence of the log, as it stands now. */
  highWatermark(): number {
    return highWatermarkOf(this.#store)
  }

  /**
   * A time at or before the next expiry or end of a delay, in milliseconds since 1970; null when nothing waits. Of what
   * comes after `afterMs`, which takes a look at all of it, when that is given.
   */
  nextDueMs(afterMs = -Infinity): number | null {
    const due = this.#memory.earliestDueMs(afterMs)
    return due === Infinity ? null : due
  }

  /** What has happened to groups since it was last asked. */
  takeHappenings(): GroupHappening[] {
    return this.#memory.happenings.take()
  }

  /** Lets the clock start anew: what follows is told by another clock than what was before. */
  changeClock(): void {
    this.#clockMs = Number.MIN_SAFE_INTEGER
  }

  #time(nowMs: number): number {
    this.#clockMs ??= this.#memory.latestGrantMs()
    return Math.max(nowMs, this.#clockMs)
  }

  #runOfGroup<N extends CommandName>(
    { groupOf, decide }: OfGroup<N>,
    command: Command<N>,
    time: number,
    failing: ReadonlyMap<number, unknown>,
  ): Answer<CommandOut<N>> {
    const group = this.#store.groups.byUid(groupOf(command))
    if (group === null) return moved
    if (failing.has(group.id)) throw failing.get(group.id)
    const damage = this.#damageOf(group.id)
    if (damage !== null) return refused(quarantined(group, damage))
    try {
      return this.#commit(time, (context) => done(decide(context, group, command)))
    } catch (fault) {
      // A fault may come from rows that have been damaged since they were looked at.
      const found = this.#damageOf(group.id)
      if (found === null) throw fault
      return refused(quarantined(group, found))
    }
  }

  /** Runs work as one transaction. After a fault everything in memory is read from storage again. */
  #commit<T>(time: number, work: (context: Context) => T): T {
    try {
      const context = { store: this.#store, address: this.#address, nowMs: time, memory: this.#memory }
      const result = this.#store.transaction(() => work(context))
      this.#clockMs = time
      return result
    } catch (fault) {
      this.#memory.clear()
      this.#keys.clear()
      this.#segments.clear()
      throw fault
    }
  }

  /**
   * Ends what is due, each group in a transaction of its own, so that one whose expiry fails stops no other. Gives the
   * groups whose expiry has failed although their rows are sound, with the fault; it is tried again by the next command.
   */
  #expireDue(time: number): ReadonlyMap<number, unknown> {
    const failing = new Map<number, unknown>()
    while (this.#memory.earliestDueMs() <= time) {
      for (const [groupId, due] of Map.groupBy(this.#memory.takeDue(time, ROUND_RUNS), ({ group }) => group)) {
        // In a group that is not there or is damaged nothing ends; when it is mended, due times are read again.
        if (!failing.has(groupId)) this.#expireGroup(groupId, due, time, failing)
      }
    }
    if (failing.size > 0) this.#memory.rereadDue()
    return failing
  }

  #expireGroup(groupId: number, due: readonly Due[], time: number, failing: Map<number, unknown>): void {
    try {
      const group = this.#store.groups.byId(groupId)
      if (group === null || this.#damageOf(groupId) !== null) return
      this.#commit(time, (context) => expire(context, group, due))
    } catch (fault) {
      // What has been taken out of the due times is still in storage.
      this.#memory.clear()
      if (this.#damageOf(groupId) !== null) return
      failing.set(groupId, fault)
      this.#settings.report(`the expiry of group ${groupId} fails`, fault)
    }
  }

  #damageOf(groupId: number): string | null {
    const { damage } = this.#memory.census(groupId)
    if (damage === null) this.#reported.delete(groupId)
    else if (!this.#reported.has(groupId)) {
      this.#reported.add(groupId)
      const name = this.#store.groups.byId(groupId)?.name
      this.#settings.report(`the group ${name} is in quarantine: ${damage}`, null)
    }
    return damage
  }
}

const quarantined = ({ name }: Group, damage: string): Failure => {
  const detail = `the group ${name} is in quarantine: ${damage}; reset it, or delete it and create it again`
  return failure('failed', detail, {})
}

/** Damage is answered, any other fault thrown on. */
function answerTo(fault: unknown): Answer<never> {
  if (fault instanceof Damage) return refused(failure('failed', fault.message, {}))
  throw fault
}
