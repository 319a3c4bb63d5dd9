import type { Address, Answer, Command } from '../../src/core/partition/commands.ts'
import type { PartitionMachine } from '../../src/core/partition/machine.ts'
import type { Settings } from '../../src/core/partition/settings.ts'
import type { PartitionStore } from '../../src/core/partition/store.ts'
import { openPartitionStore } from '../../src/storage/partition.ts'
import { openNodeSql } from '../../src/storage/sql-node.ts'
import type { Random } from '../crash/random.ts'
import { FaultySql } from '../storage/faulty-sql.ts'
import type { Faults } from './faults.ts'
import type { Timeline } from './timeline.ts'

export type Machine = Pick<PartitionMachine, 'run' | 'append' | 'hasWork' | 'nextDueMs'>
export type OpenMachine = (store: PartitionStore, address: Address, settings: Partial<Settings>) => Machine

/** What an object says; `answer` is null when the command has thrown. */
export interface Reply {
  readonly answer: Answer<unknown> | null
  readonly clock: { readonly nowMs: number; readonly latestMs: number }
}

interface Job {
  readonly command: Command
  readonly reply: (reply: Reply) => void
}

/** Statements of a command: a fault strikes one of the first so many. */
const STATEMENTS = 25
const ALARM_RETRY_MS = 5_000
const ALARM_LOST_MS = 60_000
/** A partition waits at most about so long for its clock to come to where it was. */
const MAX_SETBACK_MS = 120_000

/** What an object is given by the world around it. */
export interface Surroundings {
  readonly timeline: Timeline
  readonly random: Random
  readonly faults: Faults
  readonly openMachine: OpenMachine
  /** Told that time may have gone back for the partition. */
  readonly setBack: (partition: number) => void
  readonly note: (who: string, text: () => string) => void
}

/** A partition's Durable Object: a machine over storage that outlives it, its clock, its queue and its alarm. */
export class PartitionObject {
  readonly address: Address
  readonly #sql = openNodeSql(':memory:')
  readonly #faulty = new FaultySql(this.#sql)
  readonly #around: Surroundings
  readonly #waiting = new Map<string, Set<() => void>>()
  #machine: Machine | null = null
  #inbox: Job[] = []
  /** How far the object's clock is from the world's, and where it stands still. */
  #skewMs = 0
  #stoppedAtMs: number | null = null
  #latestMs = Number.MIN_SAFE_INTEGER
  #alarmMs: number | null = null
  #alarms = 0
  isFull = false

  constructor(address: Address, around: Surroundings) {
    this.address = address
    this.#around = around
  }

  /** Takes in a command; it runs with whatever else has come in the same moment. */
  deliver(command: Command, reply: (reply: Reply) => void): void {
    this.#inbox.push({ command, reply })
    if (this.#inbox.length === 1) this.#around.timeline.after(this.#around.random.integer(0, 1), () => this.#runAll())
  }

  /** Waits until the group may have work, at most so long. */
  wait(group: string, waitMs: number, woken: () => void): void {
    const waiting = this.#waiting.get(group) ?? new Set()
    this.#waiting.set(group, waiting)
    const wake = () => {
      if (waiting.delete(wake)) woken()
    }
    waiting.add(wake)
    this.#around.timeline.after(waitMs, wake)
    this.#wake()
  }

  /** Forgets all that is in memory. */
  evict(): void {
    this.#machine = null
  }

  get nowMs(): number {
    return this.#stoppedAtMs ?? this.#around.timeline.nowMs + this.#skewMs
  }

  /** Lets the clock jump, back as well. */
  jump(ms: number): void {
    this.#stoppedAtMs = null
    const nowMs = Math.max(this.nowMs + ms, this.#latestMs - MAX_SETBACK_MS)
    this.#skewMs = nowMs - this.#around.timeline.nowMs
  }

  /** Lets the clock stand still for a time; then it goes on from there. */
  standStill(ms: number): void {
    if (this.#stoppedAtMs !== null) return
    this.#stoppedAtMs = this.nowMs
    this.#around.timeline.after(ms, () => {
      if (this.#stoppedAtMs === null) return
      this.#skewMs = this.#stoppedAtMs - this.#around.timeline.nowMs
      this.#stoppedAtMs = null
    })
  }

  /** Runs a command with no fault on the way. */
  ask(command: Command): Answer<unknown> {
    this.#faulty.failAt(Infinity)
    return this.#awake().run(command, this.nowMs)
  }

  close(): void {
    this.#sql.close()
  }

  #awake(): Machine {
    if (this.#machine !== null) return this.#machine
    if (this.nowMs < this.#latestMs) this.#around.setBack(this.address.partition)
    this.#faulty.failAt(Infinity)
    const settings = { trustsStoredTimes: true, report: (detail: string) => this.#note(detail) }
    this.#machine = this.#around.openMachine(openPartitionStore(this.#faulty), this.address, settings)
    this.#arm(this.#machine)
    return this.#machine
  }

  #runAll(): void {
    const { random, faults } = this.#around
    const jobs = this.#inbox
    this.#inbox = []
    if (random.chance(faults.evict)) {
      this.#note('is evicted')
      this.evict()
    }
    for (const stretch of neighbours(jobs)) this.#runStretch(stretch)
    this.#wake()
  }

  #runStretch(jobs: readonly Job[]): void {
    const { random, faults } = this.#around
    const machine = this.#awake()
    const nowMs = this.nowMs
    this.#latestMs = Math.max(this.#latestMs, nowMs)
    const clock = { nowMs, latestMs: this.#latestMs }
    this.#faulty.failAt(random.chance(faults.throwAtStatement) ? random.integer(1, STATEMENTS) : Infinity)
    let answers: (Answer<unknown> | null)[]
    try {
      const appends = jobs.flatMap(({ command }) => (command.type === 'append' ? [command.append] : []))
      const freeBytes = this.isFull ? 0 : Infinity
      answers =
        appends.length > 0
          ? machine.append(appends, nowMs, freeBytes)
          : jobs.map(({ command }) => machine.run(command, nowMs))
    } catch (fault) {
      if (!isInjected(fault)) throw fault
      this.#note(String(fault))
      answers = jobs.map(() => null)
    }
    this.#faulty.failAt(Infinity)
    this.#arm(machine)
    for (const [index, job] of jobs.entries()) job.reply({ answer: answers[index]!, clock })
  }

  #wake(): void {
    for (const [group, waiting] of this.#waiting) {
      if (waiting.size === 0) continue
      this.#latestMs = Math.max(this.#latestMs, this.nowMs)
      if (this.#awake().hasWork(group, this.nowMs)) for (const wake of [...waiting]) wake()
    }
  }

  #arm(machine: Machine): void {
    const dueMs = machine.nextDueMs()
    const isArmed =
      this.#alarmMs !== null && dueMs !== null && this.#alarmMs <= dueMs && this.nowMs < this.#alarmMs + ALARM_LOST_MS
    if (dueMs !== null && !isArmed) this.#setAlarm(dueMs)
  }

  #setAlarm(dueMs: number): void {
    const { timeline, random, faults } = this.#around
    this.#alarmMs = dueMs
    const alarm = ++this.#alarms
    if (random.chance(faults.loseAlarm)) return
    const mistimedMs = random.chance(faults.mistimeAlarm) ? random.integer(-500, 5_000) : 0
    const fire = () => {
      if (alarm === this.#alarms) this.#fire()
    }
    const delayMs = dueMs - this.nowMs + mistimedMs
    timeline.after(delayMs, fire)
    if (random.chance(faults.repeatAlarm)) timeline.after(delayMs, () => this.#fire())
  }

  /** The alarm of the object's shell: expiry, and armed again whatever happens. */
  #fire(): void {
    const { random, faults } = this.#around
    const machine = this.#awake()
    this.#alarmMs = null
    this.#latestMs = Math.max(this.#latestMs, this.nowMs)
    this.#faulty.failAt(random.chance(5 * faults.throwAtStatement) ? random.integer(1, STATEMENTS) : Infinity)
    try {
      machine.run({ type: 'expire' }, this.nowMs)
      this.#arm(machine)
    } catch (fault) {
      if (!isInjected(fault)) throw fault
      this.#note(`alarm: ${fault}`)
      this.#setAlarm(this.nowMs + ALARM_RETRY_MS)
    }
    this.#faulty.failAt(Infinity)
    this.#wake()
  }

  #note(text: string): void {
    this.#around.note(`partition ${this.address.partition}`, () => text)
  }
}

const isInjected = (fault: unknown): boolean => String(fault).includes('fault at statement')

/** Neighbouring appends run together, everything else alone, as in the object's shell. */
function neighbours(jobs: readonly Job[]): Job[][] {
  const stretches: Job[][] = []
  for (const job of jobs) {
    const last = stretches.at(-1)
    if (last !== undefined && job.command.type === 'append' && last[0]!.command.type === 'append') last.push(job)
    else stretches.push([job])
  }
  return stretches
}
