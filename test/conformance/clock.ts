import { test } from 'vitest'
import { call } from './client.ts'

/** A clock the test moves. Every call that carries it runs at its time in the Worker and in every object. */
export interface Clock {
  /** The time as RFC 3339, as sent in `Rheo-Now`. */
  now(): string
  /** Moves the clock by so many milliseconds, forwards or, to attack, backwards. */
  advance(ms: number): void
  /** The time so many milliseconds from now, without moving. */
  in(ms: number): string
}

/** A clock that stands at a fixed moment until it is moved. */
export function startClock(at = '2030-03-01T12:00:00.000Z'): Clock {
  let time = Date.parse(at)
  const iso = (ms: number) => new Date(ms).toISOString()
  return {
    now: () => iso(time),
    in: (ms) => iso(time + ms),
    advance(ms) {
      time += ms
    },
  }
}

const capabilities = await call<{ mechanisms?: { testClock?: unknown } }>('GET', '/v1/capabilities')

/** Whether the server takes its time from `Rheo-Now`. */
export const hasTestClock = capabilities.body?.mechanisms?.testClock === true

/** A test whose time is set and not slept; skipped where the server has no test clock. */
export function timed(name: string, run: (clock: Clock) => Promise<void>, timeoutMs?: number): void {
  test(name, { ...(timeoutMs !== undefined && { timeout: timeoutMs }) }, async ({ skip }) => {
    if (!hasTestClock) skip('the server shows no test clock in its capabilities')
    await run(startClock())
  })
}
