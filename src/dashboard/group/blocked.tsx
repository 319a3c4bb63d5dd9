import type { PartitionHoles } from '../../client/index.ts'
import { fromNow, number, stamp } from '../format.ts'
import { Link } from '../navigation.tsx'
import { Table } from '../table.tsx'
import { StateBadge } from '../views/state.tsx'

interface BlockedProps {
  readonly stream: string
  readonly holes: readonly (readonly [partition: string, holes: PartitionHoles])[]
}

/** What each frontier waits for: the first event that is not done, and who has it until when. */
export const Blocked = ({ stream, holes }: BlockedProps) => {
  const rows = holes.flatMap(([partition, { frontier, highWatermark, blockedBy }]) =>
    blockedBy === null ? [] : [{ partition, frontier, highWatermark, ...blockedBy }],
  )
  if (rows.length === 0) return <p class="all-done">Nothing is open: every frontier is at its high watermark.</p>
  return (
    <Table
      caption="What holds each frontier"
      rows={rows}
      keyOf={({ partition }) => partition}
      columns={[
        { head: 'Partition', cell: ({ partition }) => partition },
        {
          head: 'Frontier',
          kind: 'number',
          cell: ({ frontier, highWatermark }) => `${number(frontier)} of ${number(highWatermark)}`,
        },
        {
          head: 'Waits for',
          kind: 'number',
          cell: ({ partition, sequence, eventId }) => (
            <Link to={{ view: 'event', stream, event: eventId, partition: Number(partition) }}>{number(sequence)}</Link>
          ),
        },
        { head: 'State', kind: 'text', cell: ({ state }) => <StateBadge state={state} /> },
        { head: 'Attempt', kind: 'number', cell: ({ attempt }) => number(attempt) },
        { head: 'Consumer', kind: 'text', cell: ({ consumerId }) => consumerId ?? '–' },
        { head: 'Until', kind: 'text', cell: ({ expiresAt, dueAt }) => <Until time={expiresAt ?? dueAt} /> },
        { head: 'Reason', kind: 'text', cell: ({ reason }) => reason ?? '–' },
      ]}
    />
  )
}

/** When a lease or a delay ends. */
export const Until = ({ time }: { readonly time: string | null }) =>
  time === null ? (
    <>–</>
  ) : (
    <time dateTime={time} title={`${stamp(time)} UTC`}>
      {fromNow(time, Date.now())}
    </time>
  )
