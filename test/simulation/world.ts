import type { GroupOptions } from '../../src/core/group.ts'
import type { Answer, Command, CommandName, CommandOut } from '../../src/core/partition/commands.ts'
import type { Random } from '../crash/random.ts'
import { type Asked, History } from '../history/history.ts'
import type { Faults } from './faults.ts'
import { type OpenMachine, PartitionObject, type Reply } from './partition-object.ts'
import { type Routine, Timeline, wait } from './timeline.ts'

/** When every run begins, in milliseconds since 1970. */
export const START_MS = Date.UTC(2026, 2, 15, 12)
/** A client gives up after this time; what it asked for may still happen. */
const TIMEOUT_MS = 3_000

export interface Group {
  readonly uid: string
  readonly name: string
  options: GroupOptions
  revision: number
  readonly starts: number[]
  readonly epochs: number[]
  /** Whether every partition has it and nobody has deleted it. */
  isThere: boolean
}

/** An answer that has come, in time or late. */
export type Answered<N extends CommandName> = {
  readonly answer: Answer<CommandOut<N>>
  readonly clock: Reply['clock']
  readonly step: number
}

/** Everything there is in a run, and the network between its clients and its partitions. */
export class World {
  readonly timeline = new Timeline(START_MS)
  readonly history = new History()
  readonly groups: Group[] = []
  readonly partitions: readonly PartitionObject[]
  readonly random: Random
  readonly faults: Faults
  /** Set when no more trouble is made and everything has to come to its end. */
  isDraining = false
  readonly #trace: string[] | null
  #names = 0

  constructor(
    random: Random,
    faults: Faults,
    partitionCount: number,
    openMachine: OpenMachine,
    trace: string[] | null,
  ) {
    this.random = random
    this.faults = faults
    this.#trace = trace
    this.partitions = Array.from({ length: partitionCount }, (_, partition) => {
      const address = { tenant: 'acme', stream: 'orders', uid: '7h3q', partition }
      return new PartitionObject(address, {
        timeline: this.timeline,
        random: random.fork(),
        faults,
        openMachine,
        setBack: (which) => this.history.setbacks.push({ partition: which, at: this.history.step() }),
        note: (who, text) => this.note(who, text),
      })
    })
  }

  /** A name that nothing else has. */
  newName(kind: string): string {
    this.#names += 1
    return `${kind}${this.#names}`
  }

  note(who: string, text: () => string): void {
    this.#trace?.push(`${this.timeline.steps} +${this.timeline.nowMs - START_MS} ms  ${who}: ${text()}`)
  }

  /**
   * Sends a command to a partition, made when it arrives. `seen` is told of every answer that comes, also of late and
   * repeated ones; what is waited for is the first in time, null when there is none. An object that throws is no answer.
   */
  ask<N extends CommandName>(
    who: string,
    partition: number,
    asked: Asked,
    make: () => Command<N>,
    seen: (answered: Answered<N>) => void = () => {},
  ): Routine<Answered<N> | null> {
    return wait<Answered<N> | null>((resume) => {
      let isOver = false
      const finish = (answered: Answered<N> | null) => {
        if (isOver) return
        isOver = true
        if (answered !== null) asked.answered ??= answered.step
        resume(answered)
      }
      const receive = ({ answer, clock }: Reply) => {
        if (answer === null) return finish(null)
        const answered = { answer: answer as Answer<CommandOut<N>>, clock, step: this.history.step() }
        this.note(who, () => `<- ${partition} ${textOf(answer)}`)
        seen(answered)
        finish(answered)
      }
      this.#send(who, partition, make as () => Command, receive)
      if (this.random.chance(this.faults.duplicate)) {
        asked.recurs = true
        this.#send(`${who} (again)`, partition, make as () => Command, receive)
      }
      this.timeline.after(TIMEOUT_MS, () => finish(null))
    })
  }

  /** Asks until there is an answer. Only for what is safe to repeat. */
  *askOn<N extends CommandName>(
    who: string,
    partition: number,
    asked: Asked,
    make: () => Command<N>,
  ): Routine<Answered<N>> {
    for (;;) {
      const answered = yield* this.ask(who, partition, asked, make)
      if (answered !== null) return answered
      asked.recurs = true
      yield* this.timeline.sleep(this.random.integer(10, 500))
    }
  }

  newAsked(): Asked {
    return { sent: this.history.step(), answered: null }
  }

  #send(who: string, partition: number, make: () => Command, receive: (reply: Reply) => void): void {
    const { random, faults, timeline } = this
    if (random.chance(faults.loseRequest)) {
      this.note(who, () => `-> ${partition} is lost`)
      return
    }
    timeline.after(this.#delayMs(), () => {
      const command = make()
      this.note(who, () => `-> ${partition} ${textOf(command)}`)
      this.partitions[partition]!.deliver(command, (reply) => {
        if (random.chance(faults.loseAnswer)) {
          this.note(who, () => `<- ${partition} is lost: ${textOf(reply.answer)}`)
          return
        }
        timeline.after(this.#delayMs(), () => receive(reply))
      })
    })
  }

  #delayMs(): number {
    return this.random.chance(this.faults.dawdle) ? this.random.integer(100, 6_000) : this.random.integer(1, 10)
  }
}

const MAX_TEXT = 300

function textOf(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text
}
