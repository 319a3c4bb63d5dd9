import { PartitionMachine } from '../../src/core/partition/machine.ts'
import { type Random, randomFrom } from '../crash/random.ts'
import { check } from '../history/check.ts'
import type { End } from '../history/history.ts'
import { consume } from './consumer.ts'
import { readEnd } from './end.ts'
import { allFaults, type Faults, noFaults } from './faults.ts'
import { Operator } from './operator.ts'
import type { OpenMachine } from './partition-object.ts'
import { produce } from './producer.ts'
import { look } from './reader.ts'
import type { Routine } from './timeline.ts'
import { type Group, World } from './world.ts'

export interface Run {
  readonly seed: number
  /** After so many steps trouble ends and everything has to come to its end. */
  readonly steps: number
  readonly openMachine?: OpenMachine
  /** Whether to write down what happens. */
  readonly isTraced?: boolean
}

export interface Result {
  readonly seed: number
  /** What was broken; empty when all was well. */
  readonly violations: readonly string[]
  readonly steps: number
  readonly events: number
  readonly leases: number
  readonly trace: readonly string[]
}

/** How long, in virtual time, everything may take to come to its end: beyond the longest setback of a clock. */
const DRAIN_MS = 1_800_000

/** How the trace marks where faults end. */
export const TROUBLE_ENDS = 'no more trouble from here on'

const realMachine: OpenMachine = (store, address, settings) => new PartitionMachine(store, address, settings)

/** Plays one run; the same seed and number of steps play the same run. */
export function simulate({ seed, steps, openMachine = realMachine, isTraced = false }: Run): Result {
  const random = randomFrom(seed)
  const faults = mix(random)
  const trace: string[] = []
  const world = new World(random.fork(), faults, random.integer(1, 3), openMachine, isTraced ? trace : null)
  try {
    const operator = new Operator(world, random.fork())
    let isOver = false
    populate(world, random)
    world.timeline.spawn(
      operate(
        world,
        operator,
        random,
        () => isOver,
        () => {
          isOver = true
        },
      ),
    )
    world.timeline.run(() => world.timeline.steps >= steps)

    world.isDraining = true
    Object.assign(faults, noFaults)
    world.note('world', () => TROUBLE_ENDS)
    for (const partition of world.partitions) partition.isFull = false
    const deadlineMs = world.timeline.nowMs + DRAIN_MS
    world.timeline.run(() => isOver || world.timeline.nowMs > deadlineMs)
    if (!isOver) world.history.surprises.push(`after ${DRAIN_MS} ms without faults not everything has come to its end`)

    const end = readEnd(world)
    return { seed, violations: check(world.history, end), ...countsOf(world, end), trace }
  } catch (fault) {
    const what = fault instanceof Error ? (fault.stack ?? fault.message) : String(fault)
    return { seed, violations: [what], ...countsOf(world, { log: [], groups: [] }), trace }
  } finally {
    for (const partition of world.partitions) partition.close()
  }
}

const countsOf = ({ timeline, history }: World, { log }: End) => ({
  steps: timeline.steps,
  events: log.flat().length,
  leases: history.leases.length,
})

/** Each run has some of the faults: with all of them at once, few things get far. */
function mix(random: Random): Faults {
  const chosen = Object.entries(allFaults).map(([name, chance]) => [name, random.chance(0.6) ? chance : 0])
  return { ...noFaults, ...Object.fromEntries(chosen) }
}

function populate(world: World, random: Random): void {
  let number = 0
  const nextNumber = () => ++number
  for (const name of ['p1', 'p2']) world.timeline.spawn(produce(world, random.fork(), name, nextNumber))
  world.timeline.spawn(look(world, random.fork(), 'reader', () => world.isDraining))
  world.timeline.spawn(makeTrouble(world, random.fork()))
}

/** The groups: one that nobody touches, one that an operator is never done with, and others that come and go. */
function* operate(world: World, operator: Operator, random: Random, isOver: () => boolean, over: () => void): Routine {
  const staff = (group: Group) => {
    for (const name of ['c1', 'c2']) {
      const consumer = { world, random: random.fork(), name: `${name} of ${group.uid}`, group }
      world.timeline.spawn(consume(consumer, isOver))
    }
  }
  staff(yield* operator.create('patient', { maxAttempts: 1_000 }))
  const busy = yield* operator.create('busy', {
    maxAttempts: random.integer(1, 4),
    backoff: { baseMs: 50, factor: 2, maxMs: 400 },
  })
  staff(busy)
  while (!world.isDraining) {
    yield* world.timeline.sleep(random.integer(100, 1_500))
    if (world.isDraining) break
    const way = random.next()
    if (way < 0.25) yield* operator.replay(busy)
    else if (way < 0.4) yield* operator.redrive(busy)
    else if (way < 0.5) yield* operator.reset(busy)
    else if (way < 0.6) yield* operator.release(busy, `c1 of ${busy.uid}`)
    else if (way < 0.75) yield* operator.patch(busy, patchAtRandom(random))
    else yield* comeAndGo(world, operator, random, staff)
  }
  yield* drain(world, operator)
  over()
}

const patchAtRandom = (random: Random) => ({
  maxAttempts: random.integer(1, 4),
  maxInFlight: random.chance(0.5) ? null : random.integer(1, 4),
  paused: random.chance(0.2),
})

/** A group of always the same name is deleted if it is there, and created if it is not. */
function* comeAndGo(world: World, operator: Operator, random: Random, staff: (group: Group) => void): Routine {
  const passing = world.groups.find(({ name, isThere }) => name === 'passing' && isThere)
  if (passing !== undefined) return yield* operator.remove(passing)
  const start = random.chance(0.5) ? 'earliest' : 'latest'
  staff(yield* operator.create('passing', { maxAttempts: 3 }, { kind: start }))
}

/** Clocks that jump or stand still, storage that is full, objects that lose their memory out of turn. */
function* makeTrouble(world: World, random: Random): Routine {
  const { faults, timeline } = world
  while (!world.isDraining) {
    yield* timeline.sleep(random.integer(50, 2_000))
    const partition = world.partitions[random.integer(0, world.partitions.length - 1)]!
    const note = (text: string) => world.note('trouble', () => `partition ${partition.address.partition} ${text}`)
    if (random.chance(faults.jumpForward)) {
      const ms = random.chance(0.2) ? 3_600_000 : random.integer(100, 10_000)
      note(`jumps ${ms} ms forward`)
      partition.jump(ms)
    }
    if (random.chance(faults.stepBack)) {
      const ms = random.integer(1, 30_000)
      note(`steps ${ms} ms back`)
      partition.jump(-ms)
    }
    if (random.chance(faults.standStill)) {
      note('stands still')
      partition.standStill(random.integer(100, 10_000))
    }
    if (random.chance(faults.fillStorage)) {
      note('is full')
      partition.isFull = true
      timeline.after(random.integer(100, 3_000), () => {
        partition.isFull = false
      })
    }
    if (random.chance(5 * faults.evict)) {
      note('is evicted')
      partition.evict()
    }
  }
}

/** Waits until every group has come to the end of every partition. */
function* drain(world: World, operator: Operator): Routine {
  const there = () => world.groups.filter(({ isThere }) => isThere)
  for (const group of there()) yield* operator.patch(group, { paused: false, maxInFlight: null })
  for (;;) {
    yield* world.timeline.sleep(5_000)
    const isBusy = world.history.appends.some(({ isSafe, seen }) => isSafe && seen === null)
    if (isBusy) continue
    const lags: number[] = []
    for (const group of there()) {
      for (const { address } of world.partitions) {
        const { answer } = yield* world.askOn('drain', address.partition, world.newAsked(), () => ({
          type: 'lag',
          group: group.uid,
        }))
        lags.push(answer.status === 'done' ? answer.value.lag : Infinity)
      }
    }
    if (lags.every((lag) => lag === 0)) return
  }
}
