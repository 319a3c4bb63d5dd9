import { useEffect, useRef, useState } from 'preact/hooks'
import type { QueryPage, StreamEvent, Where } from '../../client/index.ts'
import { useAccess } from '../access.ts'
import { Button, useAction } from '../action.tsx'
import { curl, Empty } from '../empty.tsx'
import { Field } from '../field.tsx'
import { objectOf } from '../form.ts'
import { counted } from '../format.ts'
import { navigate } from '../navigation.tsx'
import { usePoll } from '../poll/use-poll.ts'
import { Problem } from '../problem.tsx'
import { EventTable } from './event-table.tsx'
import { Pending } from './heading.tsx'
import { Live } from './live.tsx'

const RECENT = 20
const FOUND = 50

interface EventsProps {
  readonly stream: string
  /** The search of the address. */
  readonly where: string | undefined
  /** When the stream was made: one that was deleted and made again is another. */
  readonly createdAt: string
  /** How many events the stream holds: a change is what makes the recent ones be read anew. */
  readonly total: number
}

/** A stream's events: the last ones, or those that a search finds. */
export const Events = ({ stream, where, createdAt, total }: EventsProps) => {
  const [text, setText] = useState(where ?? '')
  /** Which stream of this name began to be followed; null while none is. */
  const [followed, setFollowed] = useState<string | null>(null)
  const isLive = followed !== null
  const key = `${createdAt} ${where ?? ''}`
  useEffect(() => setText(where ?? ''), [where])
  return (
    <section aria-labelledby="events">
      <h2 id="events">{isLive ? 'Live events' : where === undefined ? 'Recent events' : 'Events found'}</h2>
      <search>
        <form
          class="search"
          onSubmit={(event) => {
            event.preventDefault()
            navigate({ view: 'stream', stream, ...(text.trim() === '' ? {} : { where: text.trim() }) })
          }}
        >
          <Field
            label="Search"
            note={
              'Conditions as JSON, such as {"type": "placed", "total": {"gte": 10}}; operators: eq ne in gt gte lt lte prefix exists.'
            }
            placeholder='{"key": "customer-7"}'
            value={text}
            onValue={setText}
            isCode
          />
          <Button type="submit" kind="primary">
            Search
          </Button>
          {where === undefined ? null : <Button onClick={() => navigate({ view: 'stream', stream })}>Clear</Button>}
          <button
            type="button"
            class="plain"
            aria-pressed={isLive}
            onClick={() => setFollowed(isLive ? null : createdAt)}
          >
            Follow
          </button>
        </form>
      </search>
      {isLive ? (
        <Live key={key} stream={stream} where={where} after={followed === createdAt ? undefined : 0} />
      ) : where === undefined ? (
        <Recent key={key} stream={stream} total={total} />
      ) : (
        <Found key={key} stream={stream} where={where} />
      )}
    </section>
  )
}

const newestFirst = { order: 'timestamp', descending: true } as const

const Recent = ({ stream, total }: { readonly stream: string; readonly total: number }) => {
  const { rheo, hasToken } = useAccess()
  const before = useRef<{ total: number; page: QueryPage } | null>(null)
  const polled = usePoll(`recent ${stream} ${total === 0}`, async (signal) => {
    if (before.current?.total === total) return before.current.page
    const page = await rheo.query(stream, { ...newestFirst, limit: RECENT, signal })
    before.current = { total, page }
    return page
  })
  const path = `/streams/${encodeURIComponent(stream)}/events`
  return (
    <>
      <Pending polled={polled} />
      {polled.data === undefined ? null : polled.data.events.length === 0 ? (
        <Empty call={curl(path, { type: 'placed', key: 'customer-7', payload: { total: 12.5 } }, hasToken)}>
          There is no event here yet. Append one above, or from a shell:
        </Empty>
      ) : (
        <EventTable caption="Recent events" events={polled.data.events} />
      )}
    </>
  )
}

/** What a search finds, page after page. It is read once: paging ends, whatever is appended meanwhile. */
const Found = ({ stream, where }: { readonly stream: string; readonly where: string }) => {
  const { rheo } = useAccess()
  const { isBusy, error, run } = useAction()
  const [events, setEvents] = useState<readonly StreamEvent[]>([])
  const [cursor, setCursor] = useState<string | null | undefined>()
  const more = (): Promise<boolean> =>
    run(async () => {
      const query = { where: objectOf('The search', where) as Where, ...newestFirst, limit: FOUND }
      let next = cursor ?? undefined
      let page: QueryPage
      do {
        page = await rheo.query(stream, { ...query, cursor: next })
        next = page.nextCursor ?? undefined
      } while (page.events.length === 0 && next !== undefined)
      setEvents((before) => [...before, ...page.events])
      setCursor(page.nextCursor)
      return undefined
    })
  useEffect(() => void more(), [])
  return (
    <>
      <Problem error={error} />
      {events.length > 0 ? (
        <EventTable caption="Events found" events={events} />
      ) : cursor === null ? (
        <Empty>
          Nothing matches. A plain value means equality, and 1 is not "1"; a bare name is a field of the event or the
          payload, a path begins with <code>payload.</code> or <code>metadata.</code>
        </Empty>
      ) : null}
      <div class="pager">
        <span role="status">
          {isBusy
            ? 'Searching…'
            : cursor === undefined
              ? ''
              : `${counted(events.length, 'event')}${cursor === null ? ' in all' : ' so far'}`}
        </span>
        {cursor ? <Button onClick={() => void more()}>Show more</Button> : null}
      </div>
    </>
  )
}
