import { abortAllDurableObjects, evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import type { StreamPartition } from '../../durable-objects/stream-partition.ts'
import { partitionStub } from '../../durable-objects/stubs.ts'
import type { Address, Command, Answer as CommandAnswer } from '../../src/core/partition/commands.ts'
import { openDurableSql } from '../../src/storage/sql-durable.ts'
import type { Answer, Call, CallName } from '../model/calls.ts'
import { START_MS } from '../model/commands.ts'
import type { Driver } from '../model/driver.ts'
import { auditLedger } from '../model/ledger-audit.ts'
import { MachineTranslator } from '../model/machine-translator.ts'
import { addressOf, bindings, createStream } from './objects.ts'

/** Of four partitions the last one, so that a mixed-up partition shows. */
const PARTITION = 3
const HOUR_MS = 3_600_000

/** The object of one partition behind its RPC; in test time, or on the machine's clock when `nowMs` is null. */
export class ObjectDriver implements Driver {
  readonly unsupported: ReadonlySet<CallName> = new Set()
  readonly #address: Address
  readonly #translator: MachineTranslator
  #nowMs: number | null
  /** By all calls so far. */
  rowsWritten = 0

  private constructor(address: Address, nowMs: number | null) {
    this.#address = address
    this.#translator = new MachineTranslator(address)
    this.#nowMs = nowMs
  }

  /** A partition of a new stream. */
  static async open(nowMs: number | null = START_MS): Promise<ObjectDriver> {
    return new ObjectDriver(addressOf(await createStream(PARTITION + 1), PARTITION), nowMs)
  }

  async run(call: Call): Promise<Answer<unknown>> {
    if (call.type === 'expire') return this.#ring()
    const talk = this.#translator.call(call, this.#nowMs ?? Date.now())
    let next = talk.next()
    while (!next.done) next = talk.next(await this.#send(next.value))
    return next.value
  }

  /** Sends commands at once by one stub, which keeps their order: appends among them share a commit. */
  async #send(commands: readonly Command[]): Promise<CommandAnswer<unknown>[]> {
    const stub = partitionStub(bindings, this.#address)
    const replies = await Promise.all(commands.map((command) => stub.run(this.#address, command, this.#nowMs)))
    for (const { cost } of replies) this.rowsWritten += cost.rowsWritten
    return replies.map(({ answer }) => answer)
  }

  /** Lets an alarm fire although none is armed in test time: whatever is due, it must change nothing (S9.2). */
  async #ring(): Promise<Answer<unknown>> {
    await runInDurableObject(this.#stub, (_, state) => state.storage.setAlarm(Date.now() + HOUR_MS))
    if (!(await runDurableObjectAlarm(this.#stub))) throw new Error('the alarm did not fire')
    return { value: {} }
  }

  advance(ms: number) {
    if (this.#nowMs === null) throw new Error('the clock of the machine is not moved')
    this.#nowMs += ms
  }

  async evict() {
    try {
      await evictDurableObject(this.#stub)
    } catch (fault) {
      // Nothing is in memory after a restart, until the next call.
      if (!String(fault).includes('not currently running')) throw fault
    }
  }

  /** Every object of the runtime goes, the catalog as well, and none is told. */
  async restart() {
    await abortAllDurableObjects()
  }

  async audit() {
    await runInDurableObject(this.#stub, (_, state) => auditLedger(openDurableSql(state.storage)))
    if (this.#nowMs !== null && (await this.armedMs()) !== null) throw new Error('an alarm is armed in test time')
  }

  /** When the alarm is armed for; null when it is not. */
  armedMs(): Promise<number | null> {
    return runInDurableObject(this.#stub, (_, state) => state.storage.getAlarm())
  }

  /** Whether no alarm is armed and no lease or delay is written down: reading the rows lets nothing expire. */
  isQuiet(): Promise<boolean> {
    return runInDurableObject(this.#stub, async (_, state) => {
      const timed = state.storage.sql.exec('select 1 from timed limit 1').toArray()
      return timed.length === 0 && (await state.storage.getAlarm()) === null
    })
  }

  // A stub is made for each use: one whose object was aborted stays broken.
  get #stub(): DurableObjectStub<StreamPartition> {
    return partitionStub(bindings, this.#address) as unknown as DurableObjectStub<StreamPartition>
  }
}
