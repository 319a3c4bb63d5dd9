import { defaultGroupOptions, type GroupOptions, type Start } from '../../src/core/group.ts'
import type { ReplaySelector } from '../../src/core/partition/commands.ts'
import { everything, type Selection } from '../../src/core/query/query.ts'
import type { Random } from '../crash/random.ts'
import type { Reopening } from '../history/history.ts'
import { KINDS, kindOf } from './producer.ts'
import type { Routine } from './timeline.ts'
import type { Group, World } from './world.ts'

/** What an operator does, and what the catalog does for it: everything that concerns all partitions. */
export class Operator {
  readonly #world: World
  readonly #random: Random

  constructor(world: World, random: Random) {
    this.#world = world
    this.#random = random
  }

  /** Creates a group in every partition; it is there when all of them have said so. */
  *create(name: string, options: Partial<GroupOptions>, start: Start = { kind: 'earliest' }): Routine<Group> {
    const world = this.#world
    const uid = world.newName(`${name}-`)
    const starts = yield* this.#resolve(start)
    const group: Group = {
      ...{ uid, name, revision: 1, starts, isThere: false },
      options: { ...defaultGroupOptions, leaseMs: 1_000, ...options },
      epochs: starts.map(() => 0),
    }
    yield* this.#install(group)
    group.isThere = true
    world.groups.push(group)
    return group
  }

  *remove(group: Group): Routine {
    const world = this.#world
    group.isThere = false
    for (const { address } of world.partitions) {
      yield* world.askOn('operator', address.partition, world.newAsked(), () => ({
        type: 'removeGroup',
        group: group.uid,
      }))
    }
  }

  *patch(group: Group, patch: Partial<GroupOptions>): Routine {
    group.options = { ...group.options, ...patch }
    group.revision += 1
    yield* this.#install(group)
  }

  /** Lets a group start over in some partitions. */
  *reset(group: Group): Routine {
    const scope = this.#world.partitions.map(() => this.#random.chance(0.6))
    const starts = yield* this.#resolve(this.#start())
    for (const [partition, isMeant] of scope.entries()) {
      if (!isMeant) continue
      group.starts[partition] = starts[partition]!
      group.epochs[partition]! += 1
    }
    group.revision += 1
    const reopening: Reopening = {
      ...{ ...this.#world.newAsked(), kind: 'reset', group: group.uid, resetsAttempts: true, isExact: true },
      covers: ({ partition }) => scope[partition]!,
    }
    this.#world.history.reopenings.push(reopening)
    yield* this.#install(group)
    reopening.answered = this.#world.history.step()
  }

  /** Replays from a sequence, from a time, or what a query finds, in one partition. */
  *replay(group: Group): Routine {
    const world = this.#world
    const random = this.#random
    const partition = random.integer(0, world.partitions.length - 1)
    const resetAttempts = random.chance(0.5)
    const kind = random.integer(0, KINDS - 1)
    const sequence = random.integer(0, 40)
    const ways: { selector: ReplaySelector; covers: Reopening['covers'] }[] = [
      {
        selector: { kind: 'after', sequence },
        covers: (place) => place.sequence > sequence,
      },
      {
        selector: { kind: 'at', timeMs: world.timeline.nowMs - random.integer(0, 120_000) },
        covers: () => true,
      },
      {
        selector: { kind: 'matches', selection: ofKind(kind), limit: null },
        covers: ({ number }) => kindOf(number) === kind,
      },
    ]
    const { selector, covers } = ways[random.integer(0, ways.length - 1)]!
    const reopening: Reopening = {
      ...{
        ...world.newAsked(),
        kind: 'replay',
        group: group.uid,
        resetsAttempts: resetAttempts,
        isExact: selector.kind !== 'at',
      },
      covers: (place) => place.partition === partition && covers(place),
    }
    world.history.reopenings.push(reopening)
    const replay = { group: group.uid, selector, resetAttempts, dryRun: false }
    yield* world.ask('operator', partition, reopening, () => ({ type: 'replay', replay }))
  }

  *redrive(group: Group): Routine {
    const world = this.#world
    const partition = this.#random.integer(0, world.partitions.length - 1)
    const reopening: Reopening = {
      ...{ ...world.newAsked(), kind: 'redrive', group: group.uid, resetsAttempts: true, isExact: false },
      covers: (place) => place.partition === partition,
    }
    world.history.reopenings.push(reopening)
    const command = { type: 'redrive', group: group.uid, eventIds: null, sequences: null } as const
    yield* world.ask('operator', partition, reopening, () => command)
  }

  /** Gives back all that a consumer holds in one partition. */
  *release(group: Group, consumerId: string): Routine {
    const world = this.#world
    const release = { ...world.newAsked(), group: group.uid, consumerId }
    world.history.releases.push(release)
    const partition = this.#random.integer(0, world.partitions.length - 1)
    yield* world.ask('operator', partition, release, () => ({ type: 'releaseConsumer', group: group.uid, consumerId }))
  }

  #start(): Start {
    const way = this.#random.next()
    if (way < 0.6) return { kind: 'earliest' }
    if (way < 0.8) return { kind: 'latest' }
    return { kind: 'at', timeMs: this.#world.timeline.nowMs - this.#random.integer(-10_000, 120_000) }
  }

  *#resolve(start: Start): Routine<number[]> {
    const world = this.#world
    const starts: number[] = []
    for (const { address } of world.partitions) {
      const asked = world.newAsked()
      const { answer } = yield* world.askOn('operator', address.partition, asked, () => ({
        type: 'resolveStart',
        start,
      }))
      if (answer.status !== 'done') throw new Error(`a start cannot be resolved: ${JSON.stringify(answer)}`)
      starts.push(answer.value.start)
    }
    return starts
  }

  *#install({ uid, name, revision, options, starts, epochs }: Group): Routine {
    const world = this.#world
    const rule = { ...world.newAsked(), group: uid, maxAttempts: options.maxAttempts }
    world.history.rules.push(rule)
    const installs = world.partitions.map(({ address: { partition } }) => {
      const begin = { ...world.newAsked(), group: uid, partition, skipped: starts[partition]! }
      world.history.starts.push(begin)
      return { uid, name, revision, options, start: starts[partition]!, epoch: epochs[partition]! }
    })
    for (const [partition, install] of installs.entries()) {
      yield* world.askOn('operator', partition, world.newAsked(), () => ({ type: 'installGroup', install }))
    }
    rule.answered = world.history.step()
  }
}

/** Selects the events of one kind. */
export const ofKind = (kind: number): Selection => ({
  ...everything,
  conditions: [{ field: { of: 'payload', path: ['kind'] }, operator: 'eq', operand: kind }],
})
