import { DurableObject } from 'cloudflare:workers'
import type { CatalogReply } from '../src/core/backend.ts'
import type { CatalogCommand, CatalogCommandName, CatalogCommands, CatalogOut } from '../src/core/catalog/commands.ts'
import { CatalogMachine, type Located, noStream, strangePartition, toRecord } from '../src/core/catalog/machine.ts'
import type { Doomed } from '../src/core/catalog/store.ts'
import { failed, failure, ok, type Result } from '../src/core/failure.ts'
import { catalogName } from '../src/core/object-name.ts'
import { done, refused } from '../src/core/partition/commands.ts'
import { allPartitions } from '../src/core/route.ts'
import { openCatalogStore, readOwner, writeOwner } from '../src/storage/catalog.ts'
import { openDurableSql } from '../src/storage/sql-durable.ts'
import { readTestTime, writeTestTime } from '../src/storage/test-time.ts'
import { Alarm } from './alarm.ts'
import type { Env } from './env.ts'
import { type FanOut, installGroup, nothingSpent, remove, resolveStarts, type Spent, spend } from './fan-out.ts'
import { partitionStub } from './stubs.ts'

/** How long after a create or patch that was cut short the catalog finishes it itself. */
const REPAIR_MS = 2_000
const MISLED = 'a call has come to another catalog than it was for'
/** 80 random bits, in lower case so that it can stand in an event id. */
const UID_CHARACTERS = 16

interface Call {
  readonly life: Life
  readonly testNowMs: number | null
  readonly spent: Spent
}

/** What a catalog is once it holds something. */
interface Life {
  readonly tenant: string
  readonly machine: CatalogMachine
  testTime: boolean
}

/** Streams and groups of one tenant, and whatever has to happen on all partitions of a stream. */
export class TenantCatalog extends DurableObject<Env> {
  readonly #sql = openDurableSql(this.ctx.storage)
  readonly #alarm = new Alarm(this.ctx.storage)
  /** The change of each group that is under way; the next one of the same group waits for it. */
  readonly #changes = new Map<string, Promise<unknown>>()
  #life: Life | null = null

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    ctx.blockConcurrencyWhile(async () => {
      await this.#alarm.load()
      const tenant = readOwner(this.#sql)
      if (tenant === null) return
      this.#life = this.#open(tenant)
      this.#armForRepair(this.#life)
    })
  }

  /** Runs one command. `testNowMs` is the caller's clock in test time, null otherwise. */
  async run<N extends CatalogCommandName>(
    tenant: string,
    command: CatalogCommand<N>,
    testNowMs: number | null,
  ): Promise<CatalogReply<CatalogOut<N>>> {
    const spent = nothingSpent()
    const result = (await this.#dispatch(tenant, command as unknown as CatalogCommand, testNowMs, spent)) as Result<
      CatalogOut<N>
    >
    const { objects, ...cost } = spent
    return { answer: result.ok ? done(result.value) : refused(result.failure), cost, objects }
  }

  /** Finishes what was cut short. */
  override async alarm(): Promise<void> {
    this.#alarm.fired()
    const life = this.#life
    if (life === null || life.testTime) return
    const call: Call = { life, testNowMs: null, spent: nothingSpent() }
    // What fails is tried again by the next alarm, and holds up nothing else.
    const attempt = async (work: () => Promise<unknown>) => {
      try {
        await work()
      } catch (fault) {
        console.error(`cannot finish what was cut short in the catalog of ${life.tenant}`, fault)
      }
    }
    for (const { stream, group } of life.machine.unsynced()) {
      await attempt(() => this.#inTurn(stream.name, group.name, () => this.#finish(call, stream.name, group.name)))
    }
    for (const doomed of life.machine.doomed()) await attempt(() => this.#remove(call, doomed))
    this.#armForRepair(life)
  }

  async #dispatch(
    tenant: string,
    command: CatalogCommand,
    testNowMs: number | null,
    spent: Spent,
  ): Promise<Result<unknown>> {
    if (this.#life === null) {
      // Nothing is written for a tenant that has no stream, whoever asks.
      if (command.type === 'streams') return ok({ streams: [], more: false })
      if (command.type !== 'createStream') return noStream(command.stream)
      if (!this.ctx.id.equals(this.env.CATALOGS.idFromName(catalogName(tenant)))) throw new Error(MISLED)
      this.#life = this.#open(tenant)
      writeOwner(this.#sql, tenant)
    }
    const life: Life = this.#life
    if (life.tenant !== tenant) throw new Error(MISLED)
    const call: Call = { life, testNowMs, spent }
    const { machine } = life
    this.#counted(spent, () => this.#enter(life, testNowMs !== null))
    switch (command.type) {
      case 'createStream':
        return this.#counted(spent, () => machine.createStream(command, newUid(), testNowMs ?? Date.now()))
      case 'stream':
        return this.#counted(spent, () => machine.stream(command.stream))
      case 'streams':
        return this.#counted(spent, () => ok(machine.streams(command)))
      case 'group': {
        const located = this.#counted(spent, () => machine.group(command.stream, command.group))
        return located.ok ? ok({ stream: located.value.stream, group: toRecord(located.value.group) }) : located
      }
      case 'groups':
        return this.#counted(spent, () => machine.groups(command))
      case 'createGroup':
        return this.#inTurn(command.stream, command.name, () => this.#createGroup(call, command))
      case 'patchGroup':
        return this.#inTurn(command.stream, command.group, () => this.#patchGroup(call, command))
      case 'resetGroup':
        return this.#inTurn(command.stream, command.group, () => this.#resetGroup(call, command))
      case 'deleteGroup':
        return this.#inTurn(command.stream, command.group, () =>
          this.#delete(call, () => machine.deleteGroup(command.stream, command.group)),
        )
      case 'deleteStream':
        return this.#delete(call, () => machine.deleteStream(command.stream))
    }
  }

  async #createGroup(call: Call, command: CatalogCommands['createGroup']['in']): Promise<Result<unknown>> {
    const { life, spent, testNowMs } = call
    const plan = this.#counted(spent, () => life.machine.planGroup(command))
    if (!plan.ok) return plan
    if (plan.value.step === 'sync') return this.#sync(call, plan.value)
    const { stream } = plan.value
    const starts = await resolveStarts(this.#fanOut(call), stream, allPartitions(stream.partitionCount), command.start)
    if (!starts.ok) return starts
    const nowMs = testNowMs ?? Date.now()
    const group = this.#counted(spent, () => life.machine.addGroup(stream, command, starts.value, newUid(), nowMs))
    return group.ok ? this.#sync(call, { stream, group: group.value }) : group
  }

  async #patchGroup(call: Call, command: CatalogCommands['patchGroup']['in']): Promise<Result<unknown>> {
    const located = this.#counted(call.spent, () => call.life.machine.patchGroup(command))
    return located.ok ? this.#sync(call, located.value) : located
  }

  /** Starts are found out first, so that a start that is refused anywhere changes nothing (S5.7). */
  async #resetGroup(call: Call, command: CatalogCommands['resetGroup']['in']): Promise<Result<unknown>> {
    const { life, spent } = call
    const located = this.#counted(spent, () => life.machine.group(command.stream, command.group))
    if (!located.ok) return located
    const { stream } = located.value
    const scope = command.partitions ?? allPartitions(stream.partitionCount)
    const strange = strangePartition(command.start, stream)
    if (strange !== null) return failed(strange)
    const starts = await resolveStarts(this.#fanOut(call), stream, scope, command.start)
    if (!starts.ok) return starts
    const each = allPartitions(stream.partitionCount).map((partition) => starts.value[scope.indexOf(partition)] ?? null)
    const reset = this.#counted(spent, () => life.machine.resetGroup(command.stream, command.group, each))
    if (!reset.ok) return reset
    const synced = await this.#sync(call, reset.value)
    return synced.ok ? ok({ stream, group: synced.value }) : synced
  }

  async #delete(call: Call, doom: () => Result<Doomed>): Promise<Result<unknown>> {
    const doomed = this.#counted(call.spent, doom)
    return doomed.ok ? this.#remove(call, doomed.value) : doomed
  }

  /** Removes from the partitions what callers no longer see. */
  async #remove(call: Call, doomed: Doomed): Promise<Result<unknown>> {
    this.#counted(call.spent, () => this.#armForRepair(call.life))
    const missing = await remove(this.#fanOut(call), doomed)
    if (missing.length > 0) return failed(cutShort(missing))
    this.#counted(call.spent, () => {
      call.life.machine.markRemoved(doomed)
      this.#disarmIfDone(call.life)
    })
    return ok({})
  }

  /** What the alarm does with a group that it found cut short; another call may have finished it since. */
  async #finish(call: Call, stream: string, name: string): Promise<void> {
    const located = call.life.machine.unsynced().find(({ group }) => group.stream === stream && group.name === name)
    if (located !== undefined) await this.#sync(call, located)
  }

  /** Brings a group to all partitions. The alarm is set before, so that a crash on the way is made good (S3.9). */
  async #sync(call: Call, located: Located): Promise<Result<unknown>> {
    const { life, spent } = call
    this.#counted(spent, () => this.#armForRepair(life))
    const missing = await installGroup(this.#fanOut(call), located)
    if (missing.length > 0) return failed(cutShort(missing))
    this.#counted(spent, () => {
      life.machine.markSynced(located.group)
      this.#disarmIfDone(life)
    })
    return ok(toRecord(located.group))
  }

  #fanOut({ life, testNowMs, spent }: Call): FanOut {
    const partitions: FanOut['partitions'] = {
      run: (address, command) => partitionStub(this.env, address).run(address, command, testNowMs),
      purge: (address) => partitionStub(this.env, address).purge(address),
    }
    return { partitions, tenant: life.tenant, spent }
  }

  /** Runs changes of one group one after the other. */
  async #inTurn<T>(stream: string, group: string, change: () => Promise<T>): Promise<T> {
    const key = `${stream}/${group}`
    const turn = (this.#changes.get(key) ?? Promise.resolve()).then(change)
    const settled = turn.catch(() => undefined)
    this.#changes.set(key, settled)
    try {
      return await turn
    } finally {
      if (this.#changes.get(key) === settled) this.#changes.delete(key)
    }
  }

  #open(tenant: string): Life {
    return { tenant, machine: new CatalogMachine(openCatalogStore(this.#sql)), testTime: readTestTime(this.#sql) }
  }

  #enter(life: Life, testTime: boolean): void {
    if (testTime === life.testTime) return
    writeTestTime(this.#sql, testTime)
    life.testTime = testTime
    if (testTime) this.#alarm.disarm()
    else this.#armForRepair(life)
  }

  #armForRepair(life: Life): void {
    if (!life.testTime && isUnfinished(life)) this.#alarm.arm(Date.now() + REPAIR_MS, Date.now())
  }

  #disarmIfDone(life: Life): void {
    if (!isUnfinished(life)) this.#alarm.disarm()
  }

  /** Runs synchronous work and adds what it cost. */
  #counted<T>(spent: Spent, work: () => T): T {
    const before = this.#sql.cost()
    const alarmsBefore = this.#alarm.rowsWritten
    const result = work()
    const after = this.#sql.cost()
    spend(spent, {
      rowsRead: after.rowsRead - before.rowsRead,
      rowsWritten: after.rowsWritten - before.rowsWritten + this.#alarm.rowsWritten - alarmsBefore,
    })
    return result
  }
}

const isUnfinished = ({ machine }: Life): boolean => machine.unsynced().length > 0 || machine.doomed().length > 0

const cutShort = (partitions: number[]) => {
  const detail = `partition ${partitions.join(', ')} has not been reached; repeat the call, or wait for it to be finished`
  return failure('ambiguous', detail, { partitions })
}

function newUid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(UID_CHARACTERS))
  return Array.from(bytes, (byte) => (byte % 32).toString(32)).join('')
}
