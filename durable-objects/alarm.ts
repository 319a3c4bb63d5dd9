/** The platform fires within milliseconds, and tries again within a minute: one later than this will not come. */
const LOST_MS = 60_000

/**
 * An object's one alarm. It is armed at or before the earliest due time and only ever moved to come earlier: each
 * move is a row written, and an alarm that finds nothing due costs less than moving it after every settle.
 */
export class Alarm {
  readonly #storage: DurableObjectStorage
  #armedMs: number | null = null
  /** Alarms set or deleted so far; the platform bills each as a row written. */
  rowsWritten = 0

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
  }

  /** Learns from the platform whether it is armed; call it before anything else. */
  async load(): Promise<void> {
    this.#armedMs = await this.#storage.getAlarm()
  }

  /** Sees to it that the alarm fires at `dueMs` or before; null asks for nothing. One that is long overdue is lost. */
  arm(dueMs: number | null, nowMs: number): void {
    if (dueMs === null) return
    if (this.#armedMs !== null && this.#armedMs <= dueMs && nowMs < this.#armedMs + LOST_MS) return
    this.#armedMs = dueMs
    this.rowsWritten += 1
    // Not awaited: it joins the writes of this turn, and no answer leaves the object before they are durable.
    void this.#storage.setAlarm(dueMs)
  }

  disarm(): void {
    if (this.#armedMs === null) return
    this.#armedMs = null
    this.rowsWritten += 1
    void this.#storage.deleteAlarm()
  }

  /** The platform has fired it, so it is no longer armed. */
  fired(): void {
    this.#armedMs = null
  }
}
