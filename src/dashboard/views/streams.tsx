import { useRef } from 'preact/hooks'
import type { StreamInfo } from '../../client/index.ts'
import { useAccess } from '../access.ts'
import { curl, Empty } from '../empty.tsx'
import { bytes, counted, duration, number, perSecond } from '../format.ts'
import { Link } from '../navigation.tsx'
import { listEveryMs } from '../poll/pace.ts'
import { usePoll } from '../poll/use-poll.ts'
import { useRows } from '../poll/use-rows.ts'
import { type Reading, rateOf, withReading } from '../rate.ts'
import { oldestAge } from '../rows.ts'
import { type Column, Table } from '../table.tsx'
import { CreateStream } from './create-stream.tsx'
import { useFilter } from './filter.tsx'
import { Heading, Pending } from './heading.tsx'
import { usePages } from './pager.tsx'

const PAGE = 20

/** All events of a stream, ever. */
export const totalOf = ({ partitions }: StreamInfo): number =>
  Object.values(partitions).reduce((sum, { highWatermark }) => sum + highWatermark, 0)

export const bytesOf = ({ partitions }: StreamInfo): number =>
  Object.values(partitions).reduce((sum, partition) => sum + partition.bytes, 0)

/** The high watermarks in the space of a cell. */
function watermarks({ partitions }: StreamInfo): string {
  const all = Object.values(partitions).map(({ highWatermark }) => highWatermark)
  return all.length <= 4 ? all.map(number).join(' · ') : `${number(Math.min(...all))} to ${number(Math.max(...all))}`
}

export const StreamsView = ({ after }: { readonly after: string | undefined }) => {
  const { rheo } = useAccess()
  const list = usePoll(
    `streams ${after ?? ''}`,
    (signal) => rheo.streams.list({ limit: 1_000, after, signal }),
    ({ streams }) => listEveryMs(streams.length),
  )
  const streams = list.data?.streams ?? []
  const { wanted, filter, field } = useFilter(streams, 'filter')
  const { shown, pager } = usePages(wanted, PAGE, 'streams')
  const names = shown.map(({ name }) => name)
  const readings = useRef(new Map<string, readonly Reading[]>())
  const { rows, polled } = useRows('streams', names, async (name, signal) => {
    const info = await rheo.streams.get(name, { signal })
    const reading = { at: Date.now(), total: totalOf(info) }
    readings.current.set(name, withReading(readings.current.get(name) ?? [], reading))
    return info
  })
  const columns: Column<(typeof shown)[number]>[] = [
    { head: 'Stream', cell: ({ name }) => <Link to={{ view: 'stream', stream: name }}>{name}</Link> },
    {
      head: 'Events/s',
      kind: 'number',
      cell: ({ name }) => {
        const rate = rateOf(readings.current.get(name) ?? [])
        return rate === null ? '–' : <span class={rate > 0 ? 'moving' : 'faint'}>{perSecond(rate)}</span>
      },
    },
    {
      head: 'Events',
      kind: 'number',
      cell: ({ name }) => figure(rows.get(name)?.value, (info) => number(totalOf(info))),
    },
    { head: 'High watermarks', kind: 'number', cell: ({ name }) => figure(rows.get(name)?.value, watermarks) },
    {
      head: 'Stored',
      kind: 'number',
      cell: ({ name }) => figure(rows.get(name)?.value, (info) => bytes(bytesOf(info))),
    },
    { head: 'Partitions', kind: 'number', cell: ({ partitionCount }) => number(partitionCount) },
  ]
  const age = oldestAge(names, rows, Date.now())
  return (
    <>
      <Heading actions={<CreateStream />}>Streams</Heading>
      <Pending polled={list} />
      {list.data === undefined ? null : streams.length === 0 ? (
        <NoStreams />
      ) : (
        <>
          <div class="above">
            {field}
            <p class="faint">
              {counted(wanted.length, 'stream')}
              {age === null || names.length <= 10 ? '' : `; figures at most ${duration(age + 1_000)} old`}
            </p>
          </div>
          <Pending polled={{ ...polled, data: true }} />
          {wanted.length === 0 ? (
            <Empty>No stream’s name contains “{filter}”.</Empty>
          ) : (
            <Table caption="Streams" columns={columns} rows={shown} keyOf={({ name }) => name} />
          )}
          {pager}
          <Further after={after} next={list.data.nextCursor} />
        </>
      )}
    </>
  )
}

export const figure = <T,>(value: T | undefined, text: (value: T) => string) =>
  value === undefined ? '…' : text(value)

const Further = ({ after, next }: { readonly after: string | undefined; readonly next: string | null }) =>
  after === undefined && next === null ? null : (
    <p class="further">
      {after === undefined ? null : <Link to={{ view: 'streams' }}>First 1,000 streams</Link>}
      {next === null ? null : <Link to={{ view: 'streams', after: next }}>Next 1,000 streams</Link>}
    </p>
  )

const NoStreams = () => {
  const { hasToken } = useAccess()
  return (
    <Empty call={curl('/streams', { name: 'orders', partitionCount: 4 }, hasToken)}>
      There is no stream here yet. Create one above, or from a shell:
    </Empty>
  )
}
