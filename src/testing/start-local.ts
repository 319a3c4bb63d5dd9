import path from 'node:path'
import { createBackend } from '../../durable-objects/backend.ts'
import { publish } from '../../durable-objects/diagnostics.ts'
import type { Env } from '../../durable-objects/env.ts'
import { StreamPartition } from '../../durable-objects/stream-partition.ts'
import { TenantCatalog } from '../../durable-objects/tenant-catalog.ts'
import { Rheo, type RheoOptions, type Time } from '../client/index.ts'
import type { Backend } from '../core/backend.ts'
import { partitionName } from '../core/object-name.ts'
import { createEdge } from '../http/edge.ts'
import { version } from '../version.ts'
import { abortable } from './abortable.ts'
import { createClock, type LocalClock } from './clock.ts'
import type { ObjectClass } from './hosted-object.ts'
import { LocalSocket } from './local-socket.ts'
import { ObjectNamespace } from './object-namespace.ts'
import { PendingWork } from './pending-work.ts'
import { loadSqlite } from './sqlite.ts'
import { readWaitingFetch } from './waiting-fetch.ts'

/** How the service runs; everything has a default. */
export interface LocalOptions {
  /** Folder of the SQLite files, made if it is not there. Without it everything is in memory and gone with `stop`. */
  readonly persistTo?: string | undefined
  /** Stops the clock here from the start; see `clock`. */
  readonly now?: Time | undefined
  /** Variables of the service, such as `RHEO_AUTH` and `RHEO_JWT_SECRET`. `RHEO_AUTH` is `open` unless given. */
  readonly vars?: Readonly<Record<string, string>> | undefined
}

/** The whole service in this process. */
export interface Local {
  /** A client of the service; its own options are those of `new Rheo`, without the way to the server. */
  rheo(options?: Omit<RheoOptions, 'url' | 'fetch'>): Rheo
  /** Answers as the server would, for whatever speaks HTTP itself. A path will do for the address. */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>
  /** The address that clients carry. Nothing listens there. */
  readonly url: string
  /** The time of the service. Setting it takes the place of sleeping. */
  readonly clock: LocalClock
  /** Lets calls under way end, and closes all files. Fetches that wait are cut short. May be called twice. */
  stop(): Promise<void>
}

/** What the edge answers to whom it takes to have gone. Nothing was leased then. */
const CLIENT_GONE = 499

const isTail = ({ method, url }: Request): boolean => method === 'GET' && new URL(url).pathname.endsWith('/tail')

let count = 0

/**
 * Starts the whole service inside this process: the edge and the objects of a deployment, over Node's SQLite. No server,
 * no network. It needs Node 22.13 or later.
 *
 * @example
 * const local = await startLocal({ now: '2026-03-15T12:00:00.000Z' })
 * const rheo = local.rheo()
 * await rheo.streams.create('orders')
 * await rheo.groups.create('orders', 'billing', { leaseMs: 30_000 })
 * await rheo.append('orders', { payload: { total: 12.5 } })
 * await rheo.fetch('orders', 'billing') // and crash
 * local.clock.advance(30_000)
 * const { leases } = await rheo.fetch('orders', 'billing') // attempt 2
 * await local.stop()
 */
export async function startLocal(options: LocalOptions = {}): Promise<Local> {
  const database = await loadSqlite()
  const { persistTo } = options
  const work = new PendingWork()
  const namespace = (name: string, objectClass: ObjectClass<Env>) =>
    new ObjectNamespace<Env>({
      objectClass,
      database,
      folder: persistTo === undefined ? null : path.join(persistTo, name),
      env: () => env,
      work,
    })
  const partitions = namespace('partitions', StreamPartition as ObjectClass<Env>)
  const catalogs = namespace('catalogs', TenantCatalog as ObjectClass<Env>)
  const env: Env = {
    RHEO_AUTH: 'open',
    ...options.vars,
    RHEO_TEST_CLOCK: '1',
    PARTITIONS: partitions as unknown as DurableObjectNamespace,
    CATALOGS: catalogs as unknown as DurableObjectNamespace,
  }
  const watch: Backend['watch'] = async (address, testNowMs, watcher) => {
    const socket = new LocalSocket(watcher)
    const highWatermark = await partitions.call(
      partitions.idFromName(partitionName(address)),
      (partition: StreamPartition) => partition.watch({ address, testNowMs }, socket),
    )
    return typeof highWatermark === 'string' ? highWatermark : { highWatermark, close: () => socket.onClose() }
  }
  const edge = createEdge<Env>({
    version,
    mechanisms: { storage: 'node-sqlite', durable: persistTo !== undefined, distributed: false },
    connect: (env) => ({ ...createBackend(env), watch }),
    site: () => null,
    publish,
  })
  for (const each of [catalogs, partitions]) each.restore()
  // A name of its own, so that clients of two services in one process are not taken for clients of one.
  count += 1
  const url = `http://local-${count}.localhost`
  const clock = createClock(options.now)
  const stopping = new AbortController()
  const context = {
    waitUntil: (promise: Promise<unknown>) => void work.track(() => promise),
    passThroughOnException: () => {},
    props: {},
  }

  const answer = async (request: Request): Promise<Response> => {
    const hasTime = request.headers.has('Rheo-Now')
    const waiting = await readWaitingFetch(request)
    for (;;) {
      if (!hasTime && clock.header !== null) request.headers.set('Rheo-Now', clock.header)
      const { moved } = clock
      if (isTail(request)) {
        // Whoever tails reads at the time at which it came, so it has to come again when that has changed.
        const signal = AbortSignal.any([request.signal, stopping.signal, ...(hasTime ? [] : [moved])])
        return edge.fetch(new Request(request, { signal }), env, context)
      }
      if (waiting === null) return edge.fetch(request, env, context)
      const tried = waiting.request(AbortSignal.any([request.signal, stopping.signal, moved]))
      const answered = await edge.fetch(tried, env, context)
      // Whoever waits for work has to see the work that comes with time: it fetches again at the time that is now.
      const isCutShort = answered.status === CLIENT_GONE && moved.aborted
      if (hasTime || !isCutShort || request.signal.aborted || stopping.signal.aborted) return answered
    }
  }

  let stopped: Promise<void> | undefined
  const stop = async (): Promise<void> => {
    stopping.abort(new TypeError('the local service is stopped'))
    await work.ended()
    for (const each of [catalogs, partitions]) each.close()
  }
  const fetch: Local['fetch'] = async (input, init) => {
    stopping.signal.throwIfAborted()
    const request = new Request(input instanceof Request ? input : new URL(input, url), init)
    return abortable(
      work.track(() => answer(request)),
      AbortSignal.any([request.signal, stopping.signal]),
    )
  }
  return {
    url,
    clock: { now: clock.now, set: clock.set, advance: clock.advance },
    fetch,
    rheo: (rheoOptions) => new Rheo({ ...rheoOptions, url, fetch }),
    stop() {
      stopped ??= stop()
      return stopped
    },
  }
}
