import type { NodeDurableStorage } from '../storage/sql-durable-node.ts'

/** A timer takes no more; a later alarm is looked at again after this time. */
const MAX_TIMER_MS = 2_147_483_647
/** When the alarm's handler throws it is run again, with a pause that doubles from here. */
const RETRY_MS = 2_000
const RETRIES = 6

/** An object's alarm: a row of its storage, and a timer for as long as the process runs. */
export class ObjectAlarm {
  readonly #storage: NodeDurableStorage
  readonly #fire: () => Promise<void>
  #timer: NodeJS.Timeout | undefined
  /** The stored time whose handler runs; the platform shows such an alarm as not set. */
  #firingMs: number | null = null

  constructor(storage: NodeDurableStorage, fire: () => Promise<void>) {
    this.#storage = storage
    this.#fire = fire
    this.#wait(storage.readAlarm())
  }

  get(): number | null {
    return this.#firingMs === null ? this.#storage.readAlarm() : null
  }

  set(dueMs: number | null): void {
    this.#firingMs = null
    this.#storage.writeAlarm(dueMs)
    this.#wait(dueMs)
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #wait(dueMs: number | null, retries = 0): void {
    clearTimeout(this.#timer)
    if (dueMs === null) return
    const leftMs = Math.min(Math.max(0, dueMs - Date.now()), MAX_TIMER_MS)
    const onTime = () => (Date.now() < dueMs ? this.#wait(dueMs, retries) : void this.#run(dueMs, retries))
    // A test that forgets to stop the service shall end all the same.
    this.#timer = setTimeout(onTime, leftMs).unref()
  }

  /** The row goes only after the handler has ended, so that a process that dies on the way runs it again. */
  async #run(dueMs: number, retries: number): Promise<void> {
    this.#firingMs = dueMs
    try {
      await this.#fire()
      if (this.#firingMs === dueMs) this.set(null)
    } catch (error) {
      console.error('an alarm failed', error)
      if (this.#firingMs !== dueMs || retries === RETRIES) return
      this.#firingMs = null
      this.#wait(Date.now() + RETRY_MS * 2 ** retries, retries + 1)
    }
  }
}
