import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync } from 'node:fs'
import path from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { openNodeDurableStorage } from '../storage/sql-durable-node.ts'
import { abortable } from './abortable.ts'
import { HostedObject, type ObjectClass } from './hosted-object.ts'
import type { PendingWork } from './pending-work.ts'

const ENDING = '.sqlite'

/** How the objects of a namespace are made and kept. */
export interface NamespaceOptions<Env> {
  readonly objectClass: ObjectClass<Env>
  /** Node's class; it comes from outside so that nothing here needs a Node that has it. */
  readonly database: typeof DatabaseSync
  /** Folder of the objects' files; null keeps them in memory. */
  readonly folder: string | null
  /** The bindings that the objects are given. */
  env(): Env
  readonly work: PendingWork
}

/** Hosts the objects of one class in this process, behind what the platform calls a namespace. */
export class ObjectNamespace<Env> {
  readonly #options: NamespaceOptions<Env>
  readonly #objects = new Map<string, HostedObject<Env>>()
  #isClosed = false

  constructor(options: NamespaceOptions<Env>) {
    this.#options = options
    if (options.folder !== null) mkdirSync(options.folder, { recursive: true })
  }

  idFromName(name: string): DurableObjectId {
    const id = createHash('sha256').update(name).digest('hex')
    return { name, toString: () => id, equals: (other) => other.toString() === id }
  }

  /** What stands for an object: `fetch`, and every other name as one of its methods. */
  get(id: DurableObjectId): DurableObjectStub {
    // An object that cannot be made is a call that fails.
    const hosted = async () => this.#hosted(id)
    const fetch = (url: string, init?: RequestInit) => {
      const request = new Request(url, init)
      return abortable(
        hosted().then((object) => object.call((instance) => instance.fetch!(request))),
        request.signal,
      )
    }
    const method =
      (name: string) =>
      async (...parameters: unknown[]) => {
        // What goes in and what comes out is copied, as it is between machines.
        const copied = structuredClone(parameters)
        const call = (instance: object) =>
          (instance as Record<string, (...all: unknown[]) => unknown>)[name]!(...copied)
        return structuredClone(await (await hosted()).call(call))
      }
    const stub = new Proxy(
      { id, fetch },
      {
        get(target, name) {
          if (name in target) return Reflect.get(target, name)
          // A stub that had `then` would be taken for a promise.
          return name === 'then' || typeof name === 'symbol' ? undefined : method(name)
        },
      },
    )
    return stub as unknown as DurableObjectStub
  }

  /** Calls an object directly, with what cannot be copied. */
  async call<O, T>(id: DurableObjectId, work: (instance: O) => Promise<T>): Promise<T> {
    return this.#hosted(id).call((instance) => work(instance as O))
  }

  /** Wakes objects that were stored with an alarm: nobody may ever call them again, and their time goes on. */
  restore(): void {
    const { folder } = this.#options
    if (folder === null) return
    for (const file of readdirSync(folder).filter((name) => name.endsWith(ENDING))) {
      const id = file.slice(0, -ENDING.length)
      const storage = this.#open(id)
      const hasAlarm = storage.readAlarm() !== null
      storage.close()
      if (hasAlarm) this.#hosted({ toString: () => id, equals: (other) => other.toString() === id })
    }
  }

  /** Closes all storage. Calls under way have ended, and no other is taken. */
  close(): void {
    this.#isClosed = true
    for (const object of this.#objects.values()) object.close()
    this.#objects.clear()
  }

  #hosted(id: DurableObjectId): HostedObject<Env> {
    if (this.#isClosed) throw new Error('the local service is stopped')
    const known = this.#objects.get(id.toString())
    if (known !== undefined) return known
    const { objectClass, env, work } = this.#options
    const object = new HostedObject(objectClass, id, env(), this.#open(id.toString()), work)
    this.#objects.set(id.toString(), object)
    return object
  }

  #open(id: string) {
    const { database, folder } = this.#options
    return openNodeDurableStorage(new database(folder === null ? ':memory:' : path.join(folder, id + ENDING)))
  }
}
