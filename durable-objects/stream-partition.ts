import { DurableObject } from 'cloudflare:workers'
import type { Cost, Reply, Woken } from '../src/core/backend.ts'
import { failure } from '../src/core/failure.ts'
import { limits, partitionBytes } from '../src/core/limits.ts'
import { partitionName } from '../src/core/object-name.ts'
import {
  type Address,
  type Command,
  type CommandName,
  type CommandOut,
  moved,
  refused,
} from '../src/core/partition/commands.ts'
import { PartitionMachine } from '../src/core/partition/machine.ts'
import { readIdentity, writeIdentity } from '../src/storage/identity.ts'
import { openPartitionStore } from '../src/storage/partition.ts'
import { openDurableSql } from '../src/storage/sql-durable.ts'
import { hasMachineTimes, readTestTime, writeTestTime } from '../src/storage/test-time.ts'
import { Alarm } from './alarm.ts'
import { answer, type Call, neighbours, textLength } from './batch.ts'
import { CommandQueue } from './command-queue.ts'
import { publish } from './diagnostics.ts'
import type { Env } from './env.ts'
import { Room } from './room.ts'
import { catalogStub } from './stubs.ts'
import { Waiters, type WaitRequest } from './waiters.ts'
import { HIGH_WATERMARK, type Socket, WATCH, Watchers, type WatchRequest } from './watchers.ts'

/** Two bodies of the greatest size may wait; with more the object would come near its 128 MB. */
const QUEUE_BYTES = 2 * limits.bodyBytes
/** So much text of events, in UTF-16, one batch of commands may answer before its commit. */
const ANSWER_BYTES = 2 * limits.answerBytes
/** When an alarm meets a fault, it comes again after this time; the platform's own retries end after a few. */
const ALARM_RETRY_MS = 5_000
const NO_COST: Cost = { rowsRead: 0, rowsWritten: 0 }

/** What a partition is once its storage holds something. */
interface Life {
  readonly address: Address
  readonly machine: PartitionMachine
  testTime: boolean
}

/** One partition of one stream: the platform around a PartitionMachine. */
export class StreamPartition extends DurableObject<Env> {
  readonly #sql = openDurableSql(this.ctx.storage)
  readonly #alarm = new Alarm(this.ctx.storage)
  readonly #waiters = new Waiters()
  readonly #watchers = new Watchers(this.ctx)
  readonly #queue = new CommandQueue<Call, Reply<unknown>>(
    (calls) => this.#runBatch(calls),
    () => this.ctx.storage.sync(),
    QUEUE_BYTES,
  )
  readonly #room = new Room(partitionBytes(this.env.RHEO_PARTITION_MAX_BYTES), () => this.ctx.storage.sql.databaseSize)
  #life: Life | null = null
  /** Emptied for good. A call that asked the catalog just before must not write an identity afterwards. */
  #isPurged = false

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    ctx.blockConcurrencyWhile(async () => {
      await this.#alarm.load()
      const address = readIdentity(this.#sql)
      if (address === null) return
      this.#life = this.#open(address)
      this.#arm(this.#life)
    })
  }

  /** Runs one command. `testNowMs` is the caller's clock in test time, null otherwise. */
  async run<N extends CommandName>(
    address: Address,
    command: Command<N>,
    testNowMs: number | null,
  ): Promise<Reply<CommandOut<N>>> {
    const life = await this.#awake(address, testNowMs)
    if (life === null) return { answer: moved, cost: NO_COST }
    const call: Call = { command: command as Command, testNowMs }
    const bytes = call.command.type === 'append' ? 2 * call.command.append.lines.length : 0
    if (this.#queue.isFullFor(bytes)) {
      const { partition } = address
      const detail = `partition ${partition} has as many appends waiting as it takes`
      return { answer: refused(failure('overloaded', detail, { partition })), cost: NO_COST }
    }
    return (await this.#queue.submit(call, bytes)) as Reply<CommandOut<N>>
  }

  /** Empties the partition for good: its stream has been deleted. Whoever waits is told by the fetch that follows. */
  async purge(address: Address): Promise<void> {
    if (this.#life !== null) assertMeant(this.#life.address, address)
    this.#life = null
    this.#isPurged = true
    this.#alarm.disarm()
    for (const group of this.#waiters.groups) this.#waiters.wake(group)
    this.#watchers.dismiss()
    await this.ctx.storage.deleteAll()
  }

  /** A watch, over a socket; or a waiting fetch, which answers `work`, `timeout` or `full`. */
  override async fetch(request: Request): Promise<Response> {
    const watched = request.headers.get(WATCH)
    if (watched !== null) return this.#watchBySocket(JSON.parse(watched) as WatchRequest)
    const { address, group, waitMs, testNowMs } = (await request.json()) as WaitRequest
    const life = await this.#awake(address, testNowMs)
    const mayHaveWork = life === null || life.machine.hasWork(group, this.#enter(life, testNowMs))
    const woken: Woken = mayHaveWork ? 'work' : await this.#waiters.wait(group, waitMs, request.signal)
    return new Response(woken)
  }

  /** Lets a watcher in and gives the high watermark; everything beyond it will be told. */
  async watch({ address, testNowMs }: WatchRequest, socket: Socket): Promise<number | 'moved' | 'full'> {
    const life = await this.#awake(address, testNowMs)
    if (life === null) return 'moved'
    return this.#watchers.accept(socket) ? life.machine.highWatermark() : 'full'
  }

  async #watchBySocket(request: WatchRequest): Promise<Response> {
    const { 0: theirs, 1: ours } = new WebSocketPair()
    const watched = await this.watch(request, ours)
    if (typeof watched === 'string') return new Response(watched)
    return new Response(null, { status: 101, webSocket: theirs, headers: { [HIGH_WATERMARK]: `${watched}` } })
  }

  /** A watcher leaves. The platform closes its side of a socket that may sleep only when it is told to. */
  override webSocketClose(socket: WebSocket): void {
    socket.close()
  }

  /** Makes expiry happen without traffic (S4.3). */
  override async alarm(): Promise<void> {
    this.#alarm.fired()
    const life = this.#life
    if (life === null || life.testTime) return
    const nowMs = Date.now()
    try {
      life.machine.run({ type: 'expire' }, nowMs)
      this.#arm(life)
    } catch (fault) {
      console.error('expiry failed, the alarm is set again', life.address, fault)
      this.#alarm.arm(Math.min(nowMs + ALARM_RETRY_MS, this.#nextDueMs(life, nowMs)), nowMs)
    }
    this.#wake(life, nowMs)
    publishHappenings(life)
  }

  /** When the next lease or delay ends behind `nowMs`: what was due before has failed, and must not hold up the others. */
  #nextDueMs(life: Life, nowMs: number): number {
    try {
      return life.machine.nextDueMs(nowMs) ?? Infinity
    } catch {
      return Infinity
    }
  }

  /** The life of the partition that is meant; null when there is no such partition (any more). */
  async #awake(address: Address, testNowMs: number | null): Promise<Life | null> {
    if (this.#life === null) {
      // Empty storage: not used yet, or emptied for good. Only the catalog knows, and only its word brings it to life.
      const reply = await catalogStub(this.env, address.tenant).run(
        address.tenant,
        { type: 'stream', stream: address.stream },
        testNowMs,
      )
      const isKnown =
        reply.answer.status === 'done' &&
        reply.answer.value.uid === address.uid &&
        address.partition < reply.answer.value.partitionCount
      if (!isKnown || this.#isPurged) return null
      // What it is told to be is what it is named after: nothing else could find it again.
      if (!this.ctx.id.equals(this.env.PARTITIONS.idFromName(partitionName(address)))) throw new Error(MISLED)
      // Another call may have come first while the catalog was asked.
      if (this.#life === null) {
        const life = this.#open(address)
        writeIdentity(this.#sql, address)
        this.#life = life
      }
    }
    const life: Life = this.#life
    assertMeant(life.address, address)
    return life
  }

  #open(address: Address): Life {
    const store = openPartitionStore(this.#sql)
    const report = (detail: string, fault: unknown) => console.error(detail, address, fault)
    const machine = new PartitionMachine(store, address, { trustsStoredTimes: hasMachineTimes(this.#sql), report })
    return { address, machine, testTime: readTestTime(this.#sql) }
  }

  /** Takes over the caller's clock, or leaves test time; gives the time that holds for the call. */
  #enter(life: Life, testNowMs: number | null): number {
    const testTime = testNowMs !== null
    if (testTime !== life.testTime) {
      writeTestTime(this.#sql, testTime)
      life.testTime = testTime
      life.machine.changeClock()
      if (testTime) this.#alarm.disarm()
      else this.#arm(life)
    }
    return testNowMs ?? Date.now()
  }

  #runBatch(calls: readonly Call[]): ({ output: Reply<unknown> } | { fault: unknown })[] {
    const life = this.#life
    // The stream was deleted while the calls were waiting.
    if (life === null) return calls.map(() => ({ output: { answer: moved, cost: NO_COST } }))
    const outcomes: ({ output: Reply<unknown> } | { fault: unknown })[] = []
    let nowMs = 0
    let answered = 0
    for (const calls_ of neighbours(calls)) {
      // Answers are held until the commit is durable: what is over this waits for the next one.
      if (answered > ANSWER_BYTES) break
      const before = this.#cost()
      try {
        nowMs = this.#enter(life, calls_[0]!.testNowMs)
        const answers = answer(life.machine, calls_, nowMs, this.#room)
        this.#arm(life)
        publishHappenings(life)
        const after = this.#cost()
        const spent = {
          rowsRead: after.rowsRead - before.rowsRead,
          rowsWritten: after.rowsWritten - before.rowsWritten,
        }
        this.#room.wrote(spent.rowsWritten)
        // Appends that share a transaction share its rows; the first of them is told the cost of all.
        const outputs = answers.map((one, index) => ({ output: { answer: one, cost: index === 0 ? spent : NO_COST } }))
        answered += answers.reduce((sum, one) => sum + textLength(one), 0)
        outcomes.push(...outputs)
      } catch (fault) {
        for (const _ of calls_) outcomes.push({ fault })
      }
    }
    this.#wake(life, nowMs)
    if (calls.some(({ command }) => command.type === 'append')) this.#watchers.tell(() => life.machine.highWatermark())
    return outcomes
  }

  #cost(): Cost {
    const { rowsRead, rowsWritten } = this.#sql.cost()
    return { rowsRead, rowsWritten: rowsWritten + this.#alarm.rowsWritten }
  }

  #arm(life: Life): void {
    if (!life.testTime) this.#alarm.arm(life.machine.nextDueMs(), Date.now())
  }

  /** Wakes whoever waits for a group that has work now: whatever the command was, this finds it. */
  #wake(life: Life, nowMs: number): void {
    for (const group of this.#waiters.groups) {
      try {
        if (life.machine.hasWork(group, nowMs)) this.#waiters.wake(group)
      } catch (fault) {
        console.error('cannot tell whether a group has work', life.address, fault)
        this.#waiters.wake(group)
      }
    }
  }
}

/** Tells those who watch what has happened to groups; a fault in that is nobody's else. */
function publishHappenings({ address, machine }: Life): void {
  const { tenant, stream, partition } = address
  try {
    for (const happened of machine.takeHappenings()) {
      publish({ tenant, stream, partition, result: 'ok', code: null, ...happened })
    }
  } catch (fault) {
    console.error('cannot tell what has happened', address, fault)
  }
}

const MISLED = 'a call has come to another partition than it was for'

function assertMeant(is: Address, meant: Address): void {
  const isMeant =
    is.tenant === meant.tenant && is.stream === meant.stream && is.uid === meant.uid && is.partition === meant.partition
  if (!isMeant) throw new Error(MISLED)
}
