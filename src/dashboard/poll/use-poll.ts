import { useEffect, useRef, useState } from 'preact/hooks'
import { RheoError } from '../../client/index.ts'
import { refused } from '../access.ts'
import { explain } from '../explain.ts'
import { Store } from '../store.ts'
import { EVERY_MS } from './pace.ts'
import { isAway, type Polled, Poller } from './poller.ts'

/** Whether somebody has stopped the refreshing. */
export const isPaused = new Store(false)

/** When the server was first found away, when that began and when the next try is; null while it answers. */
export const away = new Store<{ readonly since: number; readonly nextAt: number; readonly title: string } | null>(null)

/** When something was last read from the server. */
export const lastRead = new Store<number | null>(null)

const pollers = new Set<Poller<unknown>>()
const failing = new Map<Poller<unknown>, { readonly nextAt: number; readonly title: string }>()

/** Reads all that is on the page now, such as after an action. */
export function refreshAll(): void {
  for (const poller of pollers) void poller.refresh()
}

/** Whether nothing is read: somebody has stopped it, or nobody sees it. */
export const isStill = new Store(typeof document !== 'undefined' && document.hidden)

const holdAll = (): void => {
  isStill.set(isPaused.value || document.hidden)
  for (const poller of pollers) poller.hold(isStill.value)
}

isPaused.subscribe(holdAll)
if (typeof document !== 'undefined') document.addEventListener('visibilitychange', holdAll)

function note(poller: Poller<unknown>, { error, takenAt, nextAt = 0 }: Polled<unknown>): void {
  if (error === undefined && takenAt !== undefined) lastRead.set(takenAt)
  if (error instanceof RheoError && error.code === 'unauthenticated') refused.set(error.detail)
  if (isAway(error)) failing.set(poller, { nextAt, title: explain(error).title })
  else failing.delete(poller)
  const first = [...failing.values()].sort((a, b) => a.nextAt - b.nextAt)[0]
  away.set(first === undefined ? null : { ...first, since: away.value?.since ?? Date.now() })
}

/**
 * What `load` gives, read anew every two seconds for as long as the part that uses it is on the page. Another `key` is
 * other data: nothing of the former is shown for it.
 */
export function usePoll<T>(
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
  everyMs: (data: T) => number = () => EVERY_MS,
): Polled<T> {
  const [shown, setShown] = useState<{ key: string; state: Polled<T> }>({ key, state: {} })
  const latest = useRef(load)
  latest.current = load
  useEffect(() => {
    const poller: Poller<T> = new Poller<T>(
      (signal) => latest.current(signal),
      (state) => {
        note(poller as Poller<unknown>, state)
        setShown({ key, state })
      },
      { isStill: isStill.value, everyMs },
    )
    pollers.add(poller as Poller<unknown>)
    return () => {
      poller.stop()
      pollers.delete(poller as Poller<unknown>)
      note(poller as Poller<unknown>, {})
    }
  }, [key])
  return shown.key === key ? shown.state : {}
}
