import { type FanOut, installGroup, nothingSpent, remove, resolveStarts } from '../../durable-objects/fan-out.ts'
import type { Backend, CatalogReply, Reply, Watch, Woken } from '../../src/core/backend.ts'
import type { CatalogCommand, CatalogCommandName, CatalogOut } from '../../src/core/catalog/commands.ts'
import { CatalogMachine, type Located, strangePartition, toRecord } from '../../src/core/catalog/machine.ts'
import { failed, ok, type Result } from '../../src/core/failure.ts'
import { partitionName } from '../../src/core/object-name.ts'
import {
  type Address,
  type Answer,
  type Command,
  type CommandName,
  type CommandOut,
  done,
  moved,
  refused,
} from '../../src/core/partition/commands.ts'
import { PartitionMachine } from '../../src/core/partition/machine.ts'
import { allPartitions } from '../../src/core/route.ts'
import { openCatalogStore } from '../../src/storage/catalog.ts'
import { openPartitionStore } from '../../src/storage/partition.ts'
import { openNodeSql } from '../../src/storage/sql-node.ts'

type Database = ReturnType<typeof openNodeSql>

interface Partition {
  readonly sql: Database
  readonly machine: PartitionMachine
}

/** The machines themselves over node:sqlite in memory: what the edge hands them is taken as the objects take it. */
export class LocalBackend implements Backend {
  readonly #catalogs = new Map<string, { readonly sql: Database; readonly machine: CatalogMachine }>()
  readonly #partitions = new Map<string, Partition>()
  /** Rows of databases that have been closed. */
  #closedRows = 0
  #uids = 0

  /** Rows written, changed or deleted so far, in all databases. */
  get rowsWritten(): number {
    const open = [...this.#catalogs.values(), ...this.#partitions.values()]
    return open.reduce((sum, { sql }) => sum + changesOf(sql), this.#closedRows)
  }

  async partition<N extends CommandName>(
    address: Address,
    command: Command<N>,
    testNowMs: number | null,
  ): Promise<Reply<CommandOut<N>>> {
    const known = this.#catalog(address.tenant).stream(address.stream)
    const isKnown = known.ok && known.value.uid === address.uid && address.partition < known.value.partitionCount
    const before = this.rowsWritten
    const answer = isKnown ? this.#open(address).machine.run(command, testNowMs ?? Date.now()) : moved
    return { answer, cost: { rowsRead: 0, rowsWritten: this.rowsWritten - before } }
  }

  /** Nothing comes while a test waits. */
  async wait(): Promise<Woken> {
    return 'timeout'
  }

  /** Nothing comes while a test waits. */
  async watch(address: Address): Promise<Watch | 'moved'> {
    const known = this.#catalog(address.tenant).stream(address.stream)
    if (!known.ok || known.value.uid !== address.uid) return 'moved'
    return { highWatermark: this.#open(address).machine.highWatermark(), close() {} }
  }

  async catalog<N extends CatalogCommandName>(
    tenant: string,
    command: CatalogCommand<N>,
    testNowMs: number | null,
  ): Promise<CatalogReply<CatalogOut<N>>> {
    const before = this.rowsWritten
    const result = await this.#run(tenant, command as unknown as CatalogCommand, testNowMs ?? Date.now())
    const answer: Answer<unknown> = result.ok ? done(result.value) : refused(result.failure)
    const cost = { rowsRead: 0, rowsWritten: this.rowsWritten - before }
    return { answer: answer as Answer<CatalogOut<N>>, cost, objects: 0 }
  }

  async #run(tenant: string, command: CatalogCommand, nowMs: number): Promise<Result<unknown>> {
    const machine = this.#catalog(tenant)
    const fanOut = this.#fanOut(tenant, nowMs)
    const sync = async (located: Result<Located>): Promise<Result<unknown>> => {
      if (!located.ok) return located
      await installGroup(fanOut, located.value)
      machine.markSynced(located.value.group)
      return ok(toRecord(located.value.group))
    }
    switch (command.type) {
      case 'createStream':
        return machine.createStream(command, this.#newUid(), nowMs)
      case 'stream':
        return machine.stream(command.stream)
      case 'streams':
        return ok(machine.streams(command))
      case 'group': {
        const located = machine.group(command.stream, command.group)
        return located.ok ? ok({ stream: located.value.stream, group: toRecord(located.value.group) }) : located
      }
      case 'groups':
        return machine.groups(command)
      case 'createGroup': {
        const plan = machine.planGroup(command)
        if (!plan.ok || plan.value.step === 'sync') return sync(plan as Result<Located>)
        const { stream } = plan.value
        const starts = await resolveStarts(fanOut, stream, allPartitions(stream.partitionCount), command.start)
        if (!starts.ok) return starts
        const added = machine.addGroup(stream, command, starts.value, this.#newUid(), nowMs)
        return added.ok ? sync(ok({ stream, group: added.value })) : added
      }
      case 'patchGroup':
        return sync(machine.patchGroup(command))
      case 'resetGroup': {
        const located = machine.group(command.stream, command.group)
        if (!located.ok) return located
        const { stream } = located.value
        const strange = strangePartition(command.start, stream)
        if (strange !== null) return failed(strange)
        const scope = command.partitions ?? allPartitions(stream.partitionCount)
        const starts = await resolveStarts(fanOut, stream, scope, command.start)
        if (!starts.ok) return starts
        const each = allPartitions(stream.partitionCount).map(
          (partition) => starts.value[scope.indexOf(partition)] ?? null,
        )
        const reset = await sync(machine.resetGroup(command.stream, command.group, each))
        return reset.ok ? ok({ stream, group: reset.value }) : reset
      }
      case 'deleteGroup':
      case 'deleteStream': {
        const doomed =
          command.type === 'deleteStream'
            ? machine.deleteStream(command.stream)
            : machine.deleteGroup(command.stream, command.group)
        if (!doomed.ok) return doomed
        await remove(fanOut, doomed.value)
        machine.markRemoved(doomed.value)
        return ok({})
      }
    }
  }

  #fanOut(tenant: string, nowMs: number): FanOut {
    return {
      tenant,
      spent: nothingSpent(),
      partitions: {
        run: async (address, command) => ({
          answer: this.#open(address).machine.run(command, nowMs),
          cost: { rowsRead: 0, rowsWritten: 0 },
        }),
        purge: async (address) => {
          const name = partitionName(address)
          const partition = this.#partitions.get(name)
          if (partition === undefined) return
          this.#closedRows += changesOf(partition.sql)
          partition.sql.close()
          this.#partitions.delete(name)
        },
      },
    }
  }

  #catalog(tenant: string): CatalogMachine {
    const known = this.#catalogs.get(tenant)
    if (known !== undefined) return known.machine
    const sql = openNodeSql(':memory:')
    const machine = new CatalogMachine(openCatalogStore(sql))
    this.#catalogs.set(tenant, { sql, machine })
    this.#closedRows -= changesOf(sql)
    return machine
  }

  #open(address: Address): Partition {
    const name = partitionName(address)
    const known = this.#partitions.get(name)
    if (known !== undefined) return known
    const sql = openNodeSql(':memory:')
    const partition = { sql, machine: new PartitionMachine(openPartitionStore(sql), address) }
    this.#partitions.set(name, partition)
    // What creating its tables takes is nobody's writing.
    this.#closedRows -= changesOf(sql)
    return partition
  }

  #newUid(): string {
    this.#uids += 1
    return `u${`${this.#uids}`.padStart(15, '0')}`
  }
}

const changesOf = (sql: Database): number =>
  sql.all<{ changes: number }>('select total_changes() as changes')[0]!.changes
