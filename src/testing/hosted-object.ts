import type { NodeDurableStorage } from '../storage/sql-durable-node.ts'
import type { LocalSocket } from './local-socket.ts'
import { ObjectAlarm } from './object-alarm.ts'
import type { PendingWork } from './pending-work.ts'

/** What a class of objects looks like from outside. */
export type ObjectClass<Env> = new (
  ctx: DurableObjectState,
  env: Env,
) => {
  fetch?(request: Request): Response | Promise<Response>
  alarm?(): void | Promise<void>
}

/** One object in this process, with its storage and its alarm. */
export class HostedObject<Env> {
  readonly #storage: NodeDurableStorage
  readonly #alarm: ObjectAlarm
  readonly #work: PendingWork
  readonly #instance: InstanceType<ObjectClass<Env>>
  readonly #sockets = new Set<LocalSocket>()
  /** The work of `blockConcurrencyWhile`; calls wait for it. */
  #ready: Promise<unknown> = Promise.resolve()

  constructor(
    objectClass: ObjectClass<Env>,
    id: DurableObjectId,
    env: Env,
    storage: NodeDurableStorage,
    work: PendingWork,
  ) {
    this.#storage = storage
    this.#work = work
    this.#alarm = new ObjectAlarm(storage, () => this.call((instance) => instance.alarm?.()))
    this.#instance = new objectClass(this.#context(id), env)
  }

  /** Runs a call. As on the platform, nothing leaves the object before what was written is durable. */
  call<T>(work: (instance: InstanceType<ObjectClass<Env>>) => T | Promise<T>): Promise<T> {
    return this.#work.track(async () => {
      await this.#ready
      try {
        return await work(this.#instance)
      } finally {
        this.#storage.commit()
      }
    })
  }

  close(): void {
    this.#alarm.stop()
    this.#storage.close()
  }

  #context(id: DurableObjectId): DurableObjectState {
    const storage = this.#storage
    const alarm = this.#alarm
    const context = {
      id,
      waitUntil: () => {},
      acceptWebSocket: (socket: LocalSocket) => {
        this.#sockets.add(socket)
        socket.onClose = () => this.#sockets.delete(socket)
      },
      getWebSockets: () => [...this.#sockets],
      blockConcurrencyWhile: (work: () => Promise<unknown>) => {
        const done = work()
        this.#ready = Promise.all([this.#ready, done])
        // Whoever calls is told; without a caller it is nobody's failure.
        this.#ready.catch(() => {})
        return done
      },
      storage: {
        sql: storage.sql,
        transactionSync: storage.transactionSync,
        sync: async () => storage.commit(),
        getAlarm: async () => alarm.get(),
        // Written at once, not after a turn: it joins what this turn has written before.
        setAlarm: (due: number | Date) => settled(() => alarm.set(Number(due))),
        deleteAlarm: () => settled(() => alarm.set(null)),
        deleteAll: () =>
          settled(() => {
            alarm.set(null)
            storage.deleteAll()
          }),
      },
    }
    // The part of the platform's context that the objects use.
    return context as unknown as DurableObjectState
  }
}

/** Does synchronous work now; what it throws is the promise's. */
async function settled(work: () => void): Promise<void> {
  work()
}
