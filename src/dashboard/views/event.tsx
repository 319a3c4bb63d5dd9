import { useEffect, useState } from 'preact/hooks'
import type { Delivery, FoundEvent, StreamEvent } from '../../client/index.ts'
import { useAccess } from '../access.ts'
import { counted, fromNow, number, pretty, stamp } from '../format.ts'
import { Link } from '../navigation.tsx'
import { usePoll } from '../poll/use-poll.ts'
import { Problem } from '../problem.tsx'
import { Table } from '../table.tsx'
import { EventTable } from './event-table.tsx'
import { Heading, Pending } from './heading.tsx'
import { usePages } from './pager.tsx'
import { StateBadge } from './state.tsx'

interface EventViewProps {
  readonly stream: string
  readonly event: string
  readonly partition?: number
}

export const EventView = ({ stream, event: id, partition }: EventViewProps) => {
  const { rheo } = useAccess()
  const polled = usePoll<FoundEvent>(`event ${stream} ${id} ${partition}`, (signal) =>
    rheo.event(stream, id, { partition, groups: true, signal }),
  )
  const event = polled.data?.event
  return (
    <>
      <Heading>
        Event <span class="id">{id}</span>
      </Heading>
      <Pending polled={polled} />
      {event === undefined ? null : (
        <>
          <dl class="facts">
            <Fact name="Position">
              partition {event.partition}, sequence {number(event.sequence)}
            </Fact>
            <Fact name="Time (UTC)">
              <time dateTime={event.timestamp}>{stamp(event.timestamp)}</time>
            </Fact>
            <Fact name="Type">{event.type ?? '–'}</Fact>
            <Fact name="Key">{event.key ?? '–'}</Fact>
          </dl>
          <div class="columns">
            <Json name="Payload" value={event.payload} />
            <Json name="Metadata" value={event.metadata} />
          </div>
          <Fates stream={stream} groups={polled.data?.groups ?? []} />
          <Lineage key={event.id} event={event} />
        </>
      )}
    </>
  )
}

const Fact = ({ name, children }: { readonly name: string; readonly children: preact.ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

const LINES = 200

/** JSON for people; of a long one the beginning, until more is wanted. */
const Json = ({ name, value }: { readonly name: string; readonly value: object }) => {
  const [isWhole, setWhole] = useState(false)
  const lines = pretty(value).split('\n')
  const isCut = lines.length > LINES && !isWhole
  return (
    <section>
      <h2>{name}</h2>
      <pre>{(isCut ? lines.slice(0, LINES) : lines).join('\n')}</pre>
      {isCut ? (
        <p>
          <button type="button" class="plain" onClick={() => setWhole(true)}>
            Show all {number(lines.length)} lines
          </button>
        </p>
      ) : null}
    </section>
  )
}

/** What became of the event in each group. */
const Fates = ({ stream, groups }: { readonly stream: string; readonly groups: readonly Delivery[] }) => {
  const { shown, pager } = usePages(groups, 20, 'groups')
  return (
    <section aria-labelledby="fates">
      <h2 id="fates">In each group</h2>
      {groups.length === 0 ? (
        <p class="faint">The stream has no group.</p>
      ) : (
        <Table
          caption="What became of the event in each group"
          rows={shown}
          keyOf={({ group }) => group}
          columns={[
            { head: 'Group', cell: ({ group }) => <Link to={{ view: 'group', stream, group }}>{group}</Link> },
            { head: 'State', kind: 'text', cell: ({ state }) => <StateBadge state={state} /> },
            { head: 'Attempt', kind: 'number', cell: ({ attempt }) => number(attempt) },
            { head: 'Consumer', kind: 'text', cell: ({ consumerId }) => consumerId ?? '–' },
            {
              head: 'Until',
              kind: 'text',
              cell: ({ expiresAt, dueAt }) => {
                const time = expiresAt ?? dueAt
                return time === undefined ? '–' : <time dateTime={time}>{fromNow(time, Date.now())}</time>
              },
            },
            {
              head: 'Reason',
              kind: 'text',
              cell: ({ reason, cause }) => [cause, reason].filter(Boolean).join(': ') || '–',
            },
          ]}
        />
      )}
      {pager}
    </section>
  )
}

const LINKED = 20

interface Kin {
  readonly parent: StreamEvent | null
  readonly caused: readonly StreamEvent[]
  readonly siblings: readonly StreamEvent[]
  readonly related: readonly StreamEvent[]
}

/** Events that belong together: what caused this one, what it caused, what has the same cause or correlation. */
const Lineage = ({ event }: { readonly event: StreamEvent }) => {
  const { rheo } = useAccess()
  const [kin, setKin] = useState<Kin>()
  const [error, setError] = useState<unknown>()
  const text = (name: string): string | undefined => {
    const value = event.metadata[name]
    return typeof value === 'string' ? value : undefined
  }
  const correlation = text('correlation_id')
  const causation = text('causation_id')
  useEffect(() => {
    const abort = new AbortController()
    const { signal } = abort
    const find = async (where: Record<string, string> | null, limit = LINKED): Promise<readonly StreamEvent[]> =>
      where === null ? [] : (await rheo.query(event.stream, { where, order: 'timestamp', limit, signal })).events
    const others = (events: readonly StreamEvent[]) =>
      events.filter(({ partition, sequence }) => partition !== event.partition || sequence !== event.sequence)
    const read = async (): Promise<void> => {
      const [parents, caused, siblings, related] = await Promise.all([
        find(causation === undefined ? null : { 'event.id': causation }, 1),
        find({ causation_id: event.id }),
        find(causation === undefined ? null : { causation_id: causation }),
        find(correlation === undefined ? null : { correlation_id: correlation }),
      ])
      setKin({ parent: parents[0] ?? null, caused, siblings: others(siblings), related: others(related) })
    }
    read().catch((thrown) => {
      if (!signal.aborted) setError(thrown)
    })
    return () => abort.abort()
  }, [])
  return (
    <section aria-labelledby="lineage">
      <h2 id="lineage">Lineage</h2>
      <Problem error={error} />
      {kin === undefined ? (
        error === undefined ? (
          <p class="pending faint">Reading…</p>
        ) : null
      ) : (
        <>
          {causation === undefined ? null : kin.parent === null ? (
            <p class="faint">
              Caused by <code>{causation}</code>, which is no event of this stream.
            </p>
          ) : (
            <Linked name="Caused by" events={[kin.parent]} />
          )}
          <Linked name="Caused by this event" events={kin.caused} />
          <Linked name="With the same cause" events={kin.siblings} />
          {correlation === undefined ? null : (
            <Linked name={`With the correlation ${correlation}`} events={kin.related} />
          )}
          {correlation === undefined ? null : (
            <p>
              <Link
                to={{ view: 'stream', stream: event.stream, where: JSON.stringify({ correlation_id: correlation }) }}
              >
                Search for this correlation
              </Link>
            </p>
          )}
          {causation === undefined && correlation === undefined && kin.caused.length === 0 ? (
            <p class="faint">
              No other event is linked. Events are by <code>correlation_id</code> and <code>causation_id</code> in their
              metadata.
            </p>
          ) : null}
        </>
      )}
    </section>
  )
}

const Linked = ({ name, events }: { readonly name: string; readonly events: readonly StreamEvent[] }) =>
  events.length === 0 ? null : (
    <>
      <h3>
        {name}{' '}
        <span class="faint">{events.length >= LINKED ? `first ${LINKED}` : counted(events.length, 'event')}</span>
      </h3>
      <EventTable caption={name} events={events} />
    </>
  )
