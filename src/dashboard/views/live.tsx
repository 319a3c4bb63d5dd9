import { useEffect, useRef, useState } from 'preact/hooks'
import { type RheoError, type StreamEvent, type Tail, tail, type Where } from '../../client/index.ts'
import { useAccess } from '../access.ts'
import { objectOf } from '../form.ts'
import { number } from '../format.ts'
import { nextDelayMs, pause } from '../poll/pace.ts'
import { isAway } from '../poll/poller.ts'
import { isStill } from '../poll/use-poll.ts'
import { Problem } from '../problem.tsx'
import { useStore } from '../store.ts'
import { EventTable } from './event-table.tsx'

const SHOWN = 100
const DRAWN_EVERY_MS = 250

interface LiveProps {
  readonly stream: string
  readonly where: string | undefined
  /** Behind which sequence it begins; with what is appended from now on unless given. */
  readonly after?: number | undefined
}

/** Events as they are appended, the last ones first. While nothing is read it rests, and then goes on where it was. */
export const Live = ({ stream, where, after }: LiveProps) => {
  const { rheo } = useAccess()
  const still = useStore(isStill)
  const position = useRef<number | string | undefined>(after)
  const before = useRef<Promise<void>>(Promise.resolve())
  const [stage, setStage] = useState<'asking' | 'following' | 'over'>('asking')
  const [seen, setSeen] = useState<{ readonly events: readonly StreamEvent[]; readonly count: number }>({
    events: [],
    count: 0,
  })
  const [error, setError] = useState<unknown>()
  useEffect(() => {
    if (still || stage === 'over') return
    const abort = new AbortController()
    const { signal } = abort
    let events: Tail | undefined
    let fresh: StreamEvent[] = []
    const draw = (): void => {
      if (typeof events?.position === 'string') {
        setStage('following')
        setError(undefined)
      }
      if (fresh.length === 0) return
      const newest = fresh.reverse()
      fresh = []
      setSeen(({ events, count }) => ({
        events: [...newest, ...events].slice(0, SHOWN),
        count: count + newest.length,
      }))
    }
    const follow = async (): Promise<void> => {
      const conditions = where === undefined ? {} : { where: objectOf('The search', where) as Where }
      events = tail(rheo, stream, { ...conditions, after: position.current, signal })
      try {
        for await (const event of events) fresh.push(event)
      } finally {
        // Not sooner: what has come when the tail is left counts as seen.
        position.current = events.position ?? position.current
        draw()
        events = undefined
      }
      setStage('over')
    }
    // A tail gives up on a server that it has never reached. Here that is waited for, as everywhere on the page.
    const persist = async (): Promise<void> => {
      setStage('asking')
      setError(undefined)
      for (let failures = 1; ; failures++) {
        try {
          return await follow()
        } catch (thrown) {
          if (signal.aborted) return
          setError(thrown)
          if (!isAway(thrown)) return
          await pause(nextDelayMs(failures, (thrown as RheoError).retryAfterMs, Math.random()), signal)
        }
      }
    }
    const timer = setInterval(draw, DRAWN_EVERY_MS)
    before.current = before.current.then(persist)
    return () => {
      abort.abort()
      clearInterval(timer)
    }
  }, [still])
  const states = {
    asking: 'Asking the server…',
    following: 'Waiting for events…',
    over: 'The stream has been deleted.',
  }
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
      ) : null}
      {error === undefined && (seen.count === 0 || stage === 'over') ? (
        <p class="faint">{still && stage !== 'over' ? 'At rest.' : states[stage]}</p>
      ) : null}
    </>
  )
}
