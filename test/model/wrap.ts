import type { Call } from './calls.ts'
import type { Driver } from './driver.ts'

/** A driver that tells when its partition wants to be woken. */
export interface AlarmedDriver extends Driver {
  readonly nowMs: number
  nextDueMs(): number | null
}

/** Forgets all that is in memory before every call. */
export const evictingBeforeEach = (driver: Driver): Driver => ({
  unsupported: driver.unsupported,
  run: async (call: Call) => {
    await driver.evict()
    return driver.run(call)
  },
  advance: (ms) => driver.advance(ms),
  evict: () => driver.evict(),
  restart: () => driver.restart(),
  audit: (reference) => driver.audit?.(reference),
})

/** Rings whenever the partition asked to be woken, as an alarm does: never early, and `lateMs` after the time. */
export const withAlarm = (driver: AlarmedDriver, lateMs: number): Driver => ({
  unsupported: driver.unsupported,
  run: (call) => driver.run(call),
  advance: async (ms) => {
    const untilMs = driver.nowMs + ms
    for (;;) {
      const dueMs = driver.nextDueMs()
      if (dueMs === null || dueMs + lateMs > untilMs) break
      await driver.advance(Math.max(0, dueMs + lateMs - driver.nowMs))
      await driver.run({ type: 'expire' })
      const next = driver.nextDueMs()
      if (next !== null && next <= driver.nowMs) throw new Error(`the alarm of ${dueMs} left something due at ${next}`)
    }
    await driver.advance(untilMs - driver.nowMs)
  },
  evict: () => driver.evict(),
  restart: () => driver.restart(),
  audit: (reference) => driver.audit?.(reference),
})
