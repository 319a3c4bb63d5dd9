import type { Watch, Watcher } from '../core/backend.ts'
import type { CatalogCommand, CatalogCommandName, CatalogOut, StreamRecord } from '../core/catalog/commands.ts'
import { type Failure, failed, failure, ok, type Result } from '../core/failure.ts'
import {
  type Address,
  type Answer,
  type Command,
  type CommandName,
  type CommandOut,
  done,
  moved,
  refused,
} from '../core/partition/commands.ts'
import type { Call } from './call.ts'
import { publishAnswer } from './happenings.ts'

type Effect = 'read' | 'write'

/** Whether a command may change anything: one that may is not sent again unless it surely did not start. */
const partitionEffects: Readonly<Record<CommandName, Effect>> = {
  append: 'write',
  read: 'read',
  status: 'read',
  resolveStart: 'read',
  installGroup: 'write',
  fetch: 'write',
  work: 'read',
  settle: 'write',
  settleClaims: 'write',
  lag: 'read',
  holes: 'read',
  groupInfo: 'read',
  metrics: 'read',
  leases: 'read',
  releaseConsumer: 'write',
  deadLetters: 'read',
  query: 'read',
  event: 'read',
  matching: 'read',
  replay: 'write',
  redrive: 'write',
  removeGroup: 'write',
  expire: 'write',
}

const catalogEffects: Readonly<Record<CatalogCommandName, Effect>> = {
  createStream: 'write',
  stream: 'read',
  streams: 'read',
  createGroup: 'write',
  group: 'read',
  groups: 'read',
  patchGroup: 'write',
  resetGroup: 'write',
  deleteGroup: 'write',
  deleteStream: 'write',
}

/** The address of a partition. */
export const addressOf = (call: Call, stream: StreamRecord, partition: number): Address => ({
  tenant: call.tenant,
  stream: stream.name,
  uid: stream.uid,
  partition,
})

/** Counts a partition as touched by the request. */
export const touch = (call: Call, address: Address): void => call.cost.touch(`${address.uid}/${address.partition}`)

/** Sends a command to a partition. It never rejects: an object that throws is refused with what that leaves open. */
export async function ask<N extends CommandName>(
  call: Call,
  address: Address,
  command: Command<N>,
): Promise<Answer<CommandOut<N>>> {
  touch(call, address)
  const { partition } = address
  const startMs = Date.now()
  const reply = await attempt(partitionEffects[command.type], partition, () =>
    call.backend.partition(address, command, call.testNowMs),
  )
  if (reply.ok) call.cost.add(reply.value.cost)
  const answer = reply.ok ? reply.value.answer : refused(reply.failure)
  publishAnswer(call, address, command as Command, answer, Date.now() - startMs)
  return answer
}

/** Begins to watch a partition. It never rejects, as `ask`. */
export async function watch(call: Call, address: Address, watcher: Watcher): Promise<Answer<Watch>> {
  touch(call, address)
  const { partition } = address
  const watched = await attempt('read', partition, () => call.backend.watch(address, call.testNowMs, watcher))
  if (!watched.ok) return refused(watched.failure)
  if (watched.value === 'moved') return moved
  if (watched.value !== 'full') return done(watched.value)
  return refused(failure('overloaded', `partition ${partition} has as many tails as it takes`, { partition }))
}

/** Sends the same command to partitions of a stream, all at once; the answers stand in the order of `partitions`. */
export const askEach = <N extends CommandName>(
  call: Call,
  stream: StreamRecord,
  partitions: readonly number[],
  command: Command<N>,
): Promise<Answer<CommandOut<N>>[]> =>
  Promise.all(partitions.map((partition) => ask(call, addressOf(call, stream, partition), command)))

/** Sends a command to the tenant's catalog. */
export async function askCatalog<N extends CatalogCommandName>(
  call: Call,
  command: CatalogCommand<N>,
): Promise<Result<CatalogOut<N>>> {
  call.cost.touch('catalog')
  const reply = await attempt(catalogEffects[command.type], null, () =>
    call.backend.catalog(call.tenant, command, call.testNowMs),
  )
  if (!reply.ok) return reply
  const { answer, cost, objects } = reply.value
  call.cost.add(cost, objects)
  if (answer.status === 'done') return ok(answer.value)
  return failed(answer.status === 'refused' ? answer.failure : unavailable(null))
}

/** Calls an object, and once more where that is safe: after a read, or when nothing was started. */
async function attempt<T>(effect: Effect, partition: number | null, send: () => Promise<T>): Promise<Result<T>> {
  for (let attempts = 1; ; attempts++) {
    try {
      return ok(await send())
    } catch (error) {
      const { notStarted, overloaded } = error as { notStarted?: unknown; overloaded?: unknown }
      if (overloaded === true) return failed(failure('overloaded', 'refuses load for now', partitionOf(partition)))
      const isSafe = effect === 'read' || notStarted === true
      if (isSafe && attempts === 1) continue
      console.warn(partition === null ? 'the catalog does not answer' : `partition ${partition} does not answer`, error)
      return failed(isSafe ? unavailable(partition) : unknown(partition))
    }
  }
}

const partitionOf = (partition: number | null) => (partition === null ? {} : { partition })
const partitionsOf = (partition: number | null) => (partition === null ? {} : { partitions: [partition] })

const unavailable = (partition: number | null): Failure =>
  failure('backend_unavailable', 'does not answer; nothing was changed', partitionsOf(partition))

const unknown = (partition: number | null): Failure =>
  failure('ambiguous', 'did not answer; what was asked may have been done', partitionsOf(partition))
