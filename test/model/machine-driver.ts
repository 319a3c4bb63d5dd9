import type { Command, Answer as CommandAnswer, CommandOut } from '../../src/core/partition/commands.ts'
import { PartitionMachine } from '../../src/core/partition/machine.ts'
import { openPartitionStore } from '../../src/storage/partition.ts'
import { openNodeSql } from '../../src/storage/sql-node.ts'
import type { Answer, Call, CallName } from './calls.ts'
import { START_MS } from './commands.ts'
import type { Driver } from './driver.ts'
import { auditLedger } from './ledger-audit.ts'
import { auditMachine } from './machine-audit.ts'
import { MachineTranslator } from './machine-translator.ts'
import type { Reference } from './reference.ts'

/** The partition that the machine under test is; not the first, so that a mixed-up partition shows. */
const address = { tenant: 'acme', stream: 'orders', uid: '7h3q', partition: 3 }

/** The partition machine over node:sqlite, in a file or in memory. */
export class MachineDriver implements Driver {
  readonly unsupported: ReadonlySet<CallName> = new Set()
  nowMs = START_MS
  #sql: ReturnType<typeof openNodeSql>
  #machine: PartitionMachine
  readonly #path: string
  readonly #translator = new MachineTranslator(address)

  /** `path` names a file, or `:memory:`, which a restart keeps open. */
  constructor(path = ':memory:') {
    this.#path = path
    this.#sql = openNodeSql(path)
    this.#machine = new PartitionMachine(openPartitionStore(this.#sql), address)
  }

  run(call: Call): Answer<unknown> {
    const talk = this.#translator.call(call, this.nowMs)
    let next = talk.next()
    while (!next.done) next = talk.next(this.#send(next.value))
    return next.value
  }

  #send(commands: readonly Command[]): readonly CommandAnswer<unknown>[] {
    const appends = commands.flatMap((command) => (command.type === 'append' ? [command.append] : []))
    if (appends.length === commands.length) return this.#machine.append(appends, this.nowMs)
    return commands.map((command) => this.#machine.run(command, this.nowMs))
  }

  advance(ms: number) {
    this.nowMs += ms
  }

  evict() {
    this.#machine = new PartitionMachine(openPartitionStore(this.#sql), address)
  }

  restart() {
    if (this.#path !== ':memory:') {
      this.#sql.close()
      this.#sql = openNodeSql(this.#path)
    }
    this.evict()
  }

  close() {
    this.#sql.close()
  }

  nextDueMs(): number | null {
    return this.#machine.nextDueMs()
  }

  hasWork(group: string): boolean {
    return this.#machine.hasWork(group, this.nowMs)
  }

  metrics(): CommandOut<'metrics'> {
    const answer = this.#machine.run({ type: 'metrics' }, this.nowMs)
    if (answer.status !== 'done') throw new Error(JSON.stringify(answer))
    return answer.value
  }

  audit(reference: Reference) {
    auditMachine(this, reference)
    auditLedger(this.#sql)
  }
}
