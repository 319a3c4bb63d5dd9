import type { StreamEvent } from '../../client/index.ts'
import { number, stamp } from '../format.ts'
import { Link } from '../navigation.tsx'
import { Table } from '../table.tsx'

/** As much of a payload as fits in a line. */
export function glance(payload: object): string {
  const text = glances.get(payload) ?? JSON.stringify(payload).slice(0, 200)
  glances.set(payload, text)
  return text
}

/** A payload may be large, and a table is drawn anew with each reading. */
const glances = new WeakMap<object, string>()

/** The place of an event, which leads to it. */
export const Place = ({ event }: { readonly event: Pick<StreamEvent, 'stream' | 'id' | 'partition' | 'sequence'> }) => (
  <Link
    class="place"
    title={event.id}
    to={{ view: 'event', stream: event.stream, event: event.id, partition: event.partition }}
  >
    {event.partition}/{number(event.sequence)}
  </Link>
)

export const EventTable = ({
  caption,
  events,
}: {
  readonly caption: string
  readonly events: readonly StreamEvent[]
}) => (
  <Table
    caption={caption}
    rows={events}
    keyOf={({ partition, sequence }) => `${partition}/${sequence}`}
    columns={[
      { head: 'Event', cell: (event) => <Place event={event} /> },
      {
        head: 'Time (UTC)',
        kind: 'text',
        cell: ({ timestamp }) => <time dateTime={timestamp}>{stamp(timestamp)}</time>,
      },
      { head: 'Type', cell: ({ type }) => type ?? <span class="faint">–</span> },
      { head: 'Key', cell: ({ key }) => key ?? <span class="faint">–</span> },
      { head: 'Payload', kind: 'text', cell: ({ payload }) => <code class="glance">{glance(payload)}</code> },
    ]}
  />
)
