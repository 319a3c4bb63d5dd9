import { useEffect, useRef, useState } from 'preact/hooks'
import { type StreamEvent, tail, type Where } from '../../client/index.ts'
import { useAccess } from '../access.ts'
import { objectOf } from '../form.ts'
import { number } from '../format.ts'
import { isStill } from '../poll/use-poll.ts'
import { Problem } from '../problem.tsx'
import { useStore } from '../store.ts'
import { EventTable } from './event-table.tsx'

const SHOWN = 100
const DRAWN_EVERY_MS = 250

interface LiveProps {
  readonly stream: string
  readonly where: string | undefined
}

/** Events as they are appended, the last ones first. While nothing is read it rests, and then goes on where it was. */
export const Live = ({ stream, where }: LiveProps) => {
  const { rheo } = useAccess()
  const still = useStore(isStill)
  const position = useRef<string | undefined>(undefined)
  const [seen, setSeen] = useState<{ readonly events: readonly StreamEvent[]; readonly count: number }>({
    events: [],
    count: 0,
  })
  const [error, setError] = useState<unknown>()
  useEffect(() => {
    if (still) return
    const abort = new AbortController()
    let fresh: StreamEvent[] = []
    const draw = (): void => {
      if (fresh.length === 0) return
      const newest = fresh.reverse()
      fresh = []
      setSeen(({ events, count }) => ({
        events: [...newest, ...events].slice(0, SHOWN),
        count: count + newest.length,
      }))
    }
    const timer = setInterval(draw, DRAWN_EVERY_MS)
    const follow = async (): Promise<void> => {
      const conditions = where === undefined ? {} : { where: objectOf('The search', where) as Where }
      const events = tail(rheo, stream, { ...conditions, after: position.current, signal: abort.signal })
      for await (const event of events) {
        fresh.push(event)
        position.current = events.position ?? undefined
      }
    }
    follow().catch((thrown) => {
      if (!abort.signal.aborted) setError(thrown)
    })
    return () => {
      abort.abort()
      clearInterval(timer)
      draw()
    }
  }, [still])
  return (
    <>
      <Problem error={error} />
      {seen.count > 0 ? (
        <>
          <EventTable caption="Live events" events={seen.events} />
          <p class="faint">
            {number(seen.count)} since you began to follow{seen.count > SHOWN ? `; the last ${SHOWN} are shown` : ''}.
          </p>
        </>
      ) : error === undefined ? (
        <p class="faint">{still ? 'At rest.' : 'Waiting for events…'}</p>
      ) : null}
    </>
  )
}
