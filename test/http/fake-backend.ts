import type { Backend, CatalogReply, Reply, Watch, Watcher, Woken } from '../../src/core/backend.ts'
import type {
  CatalogCommand,
  CatalogCommandName,
  CatalogOut,
  GroupRecord,
  StreamRecord,
} from '../../src/core/catalog/commands.ts'
import { failure } from '../../src/core/failure.ts'
import { defaultGroupOptions } from '../../src/core/group.ts'
import {
  type Address,
  type Answer,
  type Command,
  type CommandName,
  type CommandOut,
  done,
  refused,
} from '../../src/core/partition/commands.ts'

/** A command as a partition received it. */
export interface Received {
  readonly partition: number
  readonly uid: string
  readonly command: Command
}

/** A wait as a partition received it, and the means to end it. */
export interface Waiting {
  readonly partition: number
  readonly signal: AbortSignal
  wake(woken: Woken): void
  fail(): void
}

/** A watch as a partition received it. */
export interface Watching {
  readonly partition: number
  readonly watcher: Watcher
  isClosed: boolean
}

const cost = { rowsRead: 2, rowsWritten: 1 }

/**
 * Objects that answer what a test says. The catalog keeps records; a partition answers by `answer`, whose exceptions
 * are the call's.
 */
export class FakeBackend implements Backend {
  readonly streams = new Map<string, StreamRecord>()
  readonly groups = new Map<string, GroupRecord>()
  readonly received: Received[] = []
  readonly asked: CatalogCommand[] = []
  readonly waiting: Waiting[] = []
  /** What a partition answers; by default it is asked nothing. */
  answer: (received: Received) => Answer<unknown> | Promise<Answer<unknown>> = ({ command }) => {
    throw new Error(`nobody expected ${command.type}`)
  }
  /** What the catalog answers in place of its records, unless null. */
  catalogAnswer: ((command: CatalogCommand) => Answer<unknown> | null) | null = null
  readonly watching: Watching[] = []
  /** Where a watch begins, or why it does not; by default there is no event. */
  onWatch: (watching: Watching) => number | 'moved' | 'full' | Promise<number | 'moved' | 'full'> = () => 0
  /** Called when a wait begins. */
  onWait: (waiting: Waiting) => void = () => {}

  addStream(name: string, partitionCount: number, uid = `uid-${name}`): void {
    this.streams.set(name, { name, uid, partitionCount, createdAtMs: 0 })
  }

  addGroup(stream: string, name: string, uid = `uid-${stream}-${name}`): void {
    const starts = new Array<number>(this.streams.get(stream)!.partitionCount).fill(0)
    const record = { name, uid, stream, createdAtMs: 0, options: defaultGroupOptions, starts }
    this.groups.set(`${stream}/${name}`, record)
  }

  /** The commands of one type, in the order in which they came. */
  commands<N extends Command['type']>(type: N): (Omit<Received, 'command'> & { command: Command<N> })[] {
    return this.received.flatMap((one) =>
      one.command.type === type ? [{ ...one, command: one.command as unknown as Command<N> }] : [],
    )
  }

  async partition<N extends CommandName>(address: Address, command: Command<N>): Promise<Reply<CommandOut<N>>> {
    const received = { partition: address.partition, uid: address.uid, command: command as Command }
    this.received.push(received)
    return { answer: (await this.answer(received)) as Answer<CommandOut<N>>, cost }
  }

  wait(
    address: Address,
    _group: string,
    _waitMs: number,
    _testNowMs: number | null,
    signal: AbortSignal,
  ): Promise<Woken> {
    return new Promise((resolve, reject) => {
      const waiting = { partition: address.partition, signal, wake: resolve, fail: () => reject(new Error('broken')) }
      this.waiting.push(waiting)
      this.onWait(waiting)
    })
  }

  async watch(address: Address, _testNowMs: number | null, watcher: Watcher): Promise<Watch | 'moved' | 'full'> {
    const watching: Watching = { partition: address.partition, isClosed: false, watcher }
    this.watching.push(watching)
    const highWatermark = await this.onWatch(watching)
    if (typeof highWatermark === 'string') return highWatermark
    return {
      highWatermark,
      close: () => {
        watching.isClosed = true
      },
    }
  }

  async catalog<N extends CatalogCommandName>(
    _tenant: string,
    command: CatalogCommand<N>,
  ): Promise<CatalogReply<CatalogOut<N>>> {
    const asked = command as unknown as CatalogCommand
    this.asked.push(asked)
    const answer = this.catalogAnswer?.(asked) ?? this.#look(asked)
    return { answer: answer as Answer<CatalogOut<N>>, cost, objects: 0 }
  }

  #look(command: CatalogCommand): Answer<unknown> {
    if (command.type !== 'stream' && command.type !== 'group') throw new Error(`nobody expected ${command.type}`)
    const stream = this.streams.get(command.stream)
    if (stream === undefined) return refused(failure('stream_not_found', 'no stream', { stream: command.stream }))
    if (command.type === 'stream') return done(stream)
    const group = this.groups.get(`${command.stream}/${command.group}`)
    if (group !== undefined) return done({ stream, group })
    const { type: _, ...names } = command
    return refused(failure('group_not_found', 'no group', names))
  }
}

/** An error as an object's stub throws it. */
export const objectError = (marks: { notStarted?: true; overloaded?: true } = {}): Error =>
  Object.assign(new Error('the object is broken'), marks)
