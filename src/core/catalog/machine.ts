import { type Failure, failed, failure, ok, type Result } from '../failure.ts'
import type { GroupOptions, Start } from '../group.ts'
import { equalJson, type Json } from '../json.ts'
import { limits } from '../limits.ts'
import type { CatalogCommands, GroupRecord, StreamRecord } from './commands.ts'
import type { CatalogStore, Doomed, GroupRow } from './store.ts'

/** A group and its stream. */
export interface Located {
  readonly stream: StreamRecord
  readonly group: GroupRow
}

/** What a createGroup leads to: bring a group to the partitions, or first find out where it starts in each. */
export type GroupPlan =
  | { readonly step: 'resolve'; readonly stream: StreamRecord }
  | ({ readonly step: 'sync' } & Located)

/**
 * A tenant's streams and groups. Synchronous; time and the random part of a uid are arguments. What has to happen on
 * the partitions is the caller's: it brings each row that is not synced to them and says so with `markSynced`.
 */
export class CatalogMachine {
  readonly #store: CatalogStore

  constructor(store: CatalogStore) {
    this.#store = store
  }

  createStream(
    { name, partitionCount, maxStreams }: CatalogCommands['createStream']['in'],
    uid: string,
    nowMs: number,
  ): Result<StreamRecord> {
    return this.#store.transaction((): Result<StreamRecord> => {
      if (this.#store.stream(name) !== null) return alreadyExists('stream', name)
      const refusal = fullAt(this.#store.countStreams(), maxStreams, limits.streamsPerTenant, 'the tenant', 'streams')
      if (refusal !== null) return failed(refusal)
      const stream = { name, uid, partitionCount, createdAtMs: nowMs }
      this.#store.addStream(stream)
      return ok(stream)
    })
  }

  stream(name: string): Result<StreamRecord> {
    const stream = this.#store.stream(name)
    return stream === null ? noStream(name) : ok(stream)
  }

  streams({ after, limit }: CatalogCommands['streams']['in']): CatalogCommands['streams']['out'] {
    const found = this.#store.streams(after, limit + 1)
    return { streams: found.slice(0, limit), more: found.length > limit }
  }

  /** A group that every partition has. */
  group(streamName: string, name: string): Result<Located> {
    const stream = this.stream(streamName)
    if (!stream.ok) return stream
    const group = this.#store.group(stream.value.uid, name)
    if (group !== null && group.syncedRevision > 0) return ok({ stream: stream.value, group })
    const detail = `there is no group ${name} on the stream ${streamName}`
    return failed(failure('group_not_found', detail, { stream: streamName, group: name }))
  }

  groups({ stream, after, limit }: CatalogCommands['groups']['in']): Result<CatalogCommands['groups']['out']> {
    const found = this.stream(stream)
    if (!found.ok) return found
    const groups = this.#store.groups(found.value.uid, after, limit + 1)
    return ok({ groups: groups.slice(0, limit).map(toRecord), more: groups.length > limit })
  }

  /** Says what a createGroup needs next: a new group its starts, one cut short that it be finished (S3.9). */
  planGroup(command: CatalogCommands['createGroup']['in']): Result<GroupPlan> {
    const stream = this.stream(command.stream)
    if (!stream.ok) return stream
    const group = this.#store.group(stream.value.uid, command.name)
    if (group !== null) {
      const isSame = sameRequest(group, command.options, command.start)
      if (group.syncedRevision > 0 || !isSame) return alreadyExists('group', command.name)
      return ok({ step: 'sync', stream: stream.value, group })
    }
    const refusal = this.#noRoomForGroup(stream.value, command.maxGroups)
    if (refusal !== null) return failed(refusal)
    const strange = strangePartition(command.start, stream.value)
    return strange === null ? ok({ step: 'resolve', stream: stream.value }) : failed(strange)
  }

  #noRoomForGroup({ uid }: StreamRecord, maxGroups: number): Failure | null {
    return fullAt(this.#store.countGroups(uid), maxGroups, limits.groupsPerStream, 'the stream', 'groups')
  }

  /**
   * Writes down a new group, not visible before `markSynced`. While its starts were asked for, its stream may have
   * gone and another have come under the same name, and other groups may have taken the room.
   */
  addGroup(
    stream: StreamRecord,
    command: CatalogCommands['createGroup']['in'],
    starts: readonly number[],
    uid: string,
    nowMs: number,
  ): Result<GroupRow> {
    const { name, options, start } = command
    const group: GroupRow = {
      name,
      uid,
      stream: stream.name,
      streamUid: stream.uid,
      createdAtMs: nowMs,
      options,
      starts,
      requestedStart: start,
      requestedOptions: options,
      epochs: starts.map(() => 0),
      revision: 1,
      syncedRevision: 0,
    }
    return this.#store.transaction((): Result<GroupRow> => {
      const known = this.stream(stream.name)
      if (!known.ok || known.value.uid !== stream.uid) return noStream(stream.name)
      const refusal = this.#noRoomForGroup(stream, command.maxGroups)
      if (refusal !== null) return failed(refusal)
      this.#store.addGroup(group)
      return ok(group)
    })
  }

  /** Changes a group's options; the partitions have yet to be told. */
  patchGroup({ stream, group, patch }: CatalogCommands['patchGroup']['in']): Result<Located> {
    return this.#store.transaction((): Result<Located> => {
      const located = this.group(stream, group)
      if (!located.ok) return located
      const known = located.value.group
      return ok(this.#change(located.value.stream, { ...known, options: { ...known.options, ...patch } }))
    })
  }

  /** Lets a group start over where the partitions have said; `starts` holds null for those out of scope. */
  resetGroup(stream: string, group: string, starts: readonly (number | null)[]): Result<Located> {
    return this.#store.transaction((): Result<Located> => {
      const located = this.group(stream, group)
      if (!located.ok) return located
      const known = located.value.group
      return ok(
        this.#change(located.value.stream, {
          ...known,
          starts: known.starts.map((start, partition) => starts[partition] ?? start),
          epochs: known.epochs.map((epoch, partition) => (starts[partition] === null ? epoch : epoch + 1)),
        }),
      )
    })
  }

  #change(stream: StreamRecord, group: GroupRow): Located {
    const changed = { ...group, revision: group.revision + 1 }
    this.#store.changeGroup(changed)
    return { stream, group: changed }
  }

  /** Takes a group away from callers at once; its rows in the partitions are still to be removed. */
  deleteGroup(stream: string, group: string): Result<Doomed> {
    return this.#store.transaction((): Result<Doomed> => {
      const located = this.group(stream, group)
      if (!located.ok) {
        const uid = this.#store.stream(stream)?.uid
        return this.#begun(located, (one) => one.stream.uid === uid && one.group?.name === group)
      }
      const { uid, name } = located.value.group
      const doomed = { stream: located.value.stream, group: { uid, name } }
      this.#store.removeGroup(uid)
      this.#store.addDoomed(doomed)
      return ok(doomed)
    })
  }

  /** Takes a stream and its groups away from callers at once; its partitions are still to be emptied. */
  deleteStream(name: string): Result<Doomed> {
    return this.#store.transaction((): Result<Doomed> => {
      const stream = this.stream(name)
      if (!stream.ok) return this.#begun(stream, (one) => one.stream.name === name && one.group === null)
      const doomed = { stream: stream.value, group: null }
      const { uid } = stream.value
      this.#store.removeStream(uid)
      // Groups that were about to be removed go with their partitions.
      for (const one of this.#store.doomed()) if (one.stream.uid === uid) this.#store.removeDoomed(one)
      this.#store.addDoomed(doomed)
      return ok(doomed)
    })
  }

  /** A delete that was cut short is taken up again when it is repeated. */
  #begun(absent: { ok: false; failure: Failure }, isMeant: (doomed: Doomed) => boolean): Result<Doomed> {
    const doomed = this.#store.doomed().find(isMeant)
    return doomed === undefined ? absent : ok(doomed)
  }

  /** What is still to be removed from partitions. */
  doomed(): Doomed[] {
    return this.#store.doomed()
  }

  markRemoved(doomed: Doomed): void {
    this.#store.transaction(() => this.#store.removeDoomed(doomed))
  }

  markSynced({ uid, revision }: GroupRow): void {
    this.#store.transaction(() => this.#store.markSynced(uid, revision))
  }

  /** Groups that some partition may not have as they should be. */
  unsynced(): Located[] {
    return this.#store.unsynced().flatMap((group) => {
      const stream = this.#store.stream(group.stream)
      return stream === null ? [] : [{ stream, group }]
    })
  }
}

/** What a caller is told of a stream that is not there. */
export const noStream = (name: string) =>
  failed(failure('stream_not_found', `there is no stream ${name}`, { stream: name }))

/** A group as callers see it. */
export const toRecord = ({ name, uid, stream, createdAtMs, options, starts }: GroupRow): GroupRecord => ({
  name,
  uid,
  stream,
  createdAtMs,
  options,
  starts,
})

const sameRequest = (group: GroupRow, options: GroupOptions, start: Start): boolean =>
  equalJson([group.requestedOptions, group.requestedStart] as unknown as Json, [options, start] as unknown as Json)

/** A start that names a partition the stream does not have. */
export function strangePartition(start: Start, { partitionCount }: StreamRecord): Failure | null {
  if (start.kind !== 'afterEach') return null
  const strange = Object.keys(start.sequences)
    .map(Number)
    .find((partition) => partition >= partitionCount)
  if (strange === undefined) return null
  const detail = `startAfter: the stream has partitions 0 to ${partitionCount - 1}`
  return failure('invalid_partition', detail, { partition: strange, partitionCount })
}

const alreadyExists = (what: string, name: string) =>
  failed(failure('already_exists', `there is a ${what} ${name} already`, { name }))

/** How long a caller waits for a quota that only a delete makes room in. */
const FULL_SECONDS = 60

/** The refusal of one more where there are `count`: beyond the limit it can never be had, beyond a quota perhaps later. */
function fullAt(count: number, quota: number, limit: number, whose: string, of: string): Failure | null {
  const detail = `${whose} has ${count} ${of}, as many as it can`
  if (count >= limit) return failure('invalid_request', detail, { field: 'name' })
  return count >= quota ? failure('rate_limited', detail, { retryAfterSeconds: FULL_SECONDS }) : null
}
