import { useRef, useState } from 'preact/hooks'
import { RheoError } from '../../client/index.ts'
import { inTurns, nextKeys, type Row } from '../rows.ts'
import type { Polled } from './poller.ts'
import { usePoll } from './use-poll.ts'

/** Of the rows that are shown so many are read anew each time, so many of them at once. */
const ROWS_A_TIME = 10
const AT_ONCE = 4

/**
 * Figures for each row of a list that take a call each. Only rows that are shown are read, and of these the oldest
 * first, so that a long page costs no more calls than a short one.
 */
export function useRows<T>(
  place: string,
  keys: readonly string[],
  read: (key: string, signal: AbortSignal) => Promise<T>,
): { readonly rows: ReadonlyMap<string, Row<T>>; readonly polled: Polled<unknown> } {
  const memory = useRef(new Map<string, Row<T>>())
  const [, setCount] = useState(0)
  const polled = usePoll([place, ...keys].join(' '), async (signal) => {
    const rows = memory.current
    await inTurns(nextKeys(keys, rows, ROWS_A_TIME), AT_ONCE, async (key) => {
      const takenAt = Date.now()
      try {
        rows.set(key, { value: await read(key, signal), takenAt })
        // New rows are shown as they come; those that are known, together.
        setCount(rows.size)
      } catch (error) {
        // It went after the list was read.
        if (!(error instanceof RheoError) || !error.code.endsWith('_not_found')) throw error
      }
    })
  })
  return { rows: memory.current, polled }
}
