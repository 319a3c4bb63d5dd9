import type { StreamRecord } from '../core/catalog/commands.ts'
import { failed, failure, ok, type Result } from '../core/failure.ts'
import type { Answer } from '../core/partition/commands.ts'
import { askCatalog } from './ask.ts'
import type { Call, Names } from './call.ts'
import { Lru } from './lru.ts'

/** A group of a stream: the stream's record and the group's uid. */
export interface Target {
  readonly stream: StreamRecord
  readonly group: string
}

/**
 * What the isolate knows of the catalogs, so that a hot path need not ask them. Only what was there is kept: a uid
 * that has become wrong is noticed by the partition it is shown to, an absence would be noticed by nobody.
 */
export class Directory {
  readonly streams: Lru<StreamRecord>
  readonly groups: Lru<Target>

  constructor(bound: number) {
    this.streams = new Lru(bound)
    this.groups = new Lru(bound)
  }
}

/** Names hold no slash, so the joined keys of two targets differ. */
const streamKey = (call: Call, names: Names): string => `${call.tenant}/${names.stream}`
const groupKey = (call: Call, names: Names): string => `${call.tenant}/${names.stream}/${names.group}`

async function findStream(call: Call, names: Names): Promise<Result<StreamRecord>> {
  const { streams } = call.directory
  const known = streams.get(streamKey(call, names))
  if (known !== undefined) return ok(known)
  const found = await askCatalog(call, { type: 'stream', stream: names.stream })
  if (found.ok) streams.set(streamKey(call, names), found.value)
  return found
}

async function findGroup(call: Call, names: Names): Promise<Result<Target>> {
  const { groups } = call.directory
  const known = groups.get(groupKey(call, names))
  if (known !== undefined) return ok(known)
  const found = await askCatalog(call, { type: 'group', stream: names.stream, group: names.group })
  if (!found.ok) return found
  const target: Target = { stream: found.value.stream, group: found.value.group.uid }
  groups.set(groupKey(call, names), target)
  return ok(target)
}

/**
 * Works on what `look` finds. When the work meets a partition that answers `moved`, what was known is out of date:
 * `forget` it, look afresh, and work once more. Moved after a fresh look, the objects are between two states. A refusal
 * for which no object was asked rests on what was known alone, such as the number of partitions, and is not believed
 * before a fresh look either.
 */
export async function twice<K, T>(
  call: Call,
  look: () => Promise<Result<K>>,
  forget: () => void,
  work: (found: K) => Promise<Answer<T>>,
): Promise<Result<T>> {
  const asked = call.cost.objects
  for (let turn = 1; ; turn++) {
    const found = await look()
    if (!found.ok) return found
    const answer = await work(found.value)
    if (answer.status === 'done') return ok(answer.value)
    if (answer.status === 'refused' && call.cost.objects !== asked) return failed(answer.failure)
    forget()
    if (turn === 2) return failed(failure('backend_unavailable', 'the stream is changing; nothing was answered', {}))
  }
}

/** Works on a stream by its name, as `twice` does. */
export const onStream = <T>(
  call: Call,
  names: Names,
  work: (stream: StreamRecord) => Promise<Answer<T>>,
): Promise<Result<T>> =>
  twice(
    call,
    () => findStream(call, names),
    () => forgetStream(call, names),
    work,
  )

/** Forgets what is known about a stream. */
export const forgetStream = (call: Call, names: Names): void => call.directory.streams.delete(streamKey(call, names))

/** Forgets what is known about a group. */
export const forgetGroup = (call: Call, names: Names): void => call.directory.groups.delete(groupKey(call, names))

/** Works on a group by its name, as `twice` does. */
export const onGroup = <T>(
  call: Call,
  names: Names,
  work: (target: Target) => Promise<Answer<T>>,
): Promise<Result<T>> =>
  twice(
    call,
    () => findGroup(call, names),
    () => forgetGroup(call, names),
    work,
  )
