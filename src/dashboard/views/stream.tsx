import { useRef } from 'preact/hooks'
import { useAccess } from '../access.ts'
import { Delete } from '../delete.tsx'
import { bytes, counted, number, perSecond, stamp } from '../format.ts'
import { navigate } from '../navigation.tsx'
import { usePoll } from '../poll/use-poll.ts'
import { type Reading, rateOf, withReading } from '../rate.ts'
import { Append } from './append.tsx'
import { Events } from './events.tsx'
import { Groups } from './groups.tsx'
import { Heading, Pending, Tile } from './heading.tsx'
import { Partitions } from './partitions.tsx'
import { bytesOf, totalOf } from './streams.tsx'

export const StreamView = ({ stream, where }: { readonly stream: string; readonly where: string | undefined }) => {
  const { rheo } = useAccess()
  const readings = useRef<readonly Reading[]>([])
  const polled = usePoll(`stream ${stream}`, async (signal) => {
    const info = await rheo.streams.get(stream, { signal })
    readings.current = withReading(readings.current, { at: Date.now(), total: totalOf(info) })
    return info
  })
  const info = polled.data
  const rate = rateOf(readings.current)
  return (
    <>
      <Heading
        actions={
          info === undefined ? undefined : (
            <>
              <Append stream={stream} partitionCount={info.partitionCount} />
              <Delete
                what="stream"
                name={stream}
                consequence={`${counted(totalOf(info), 'event')} and all groups of the stream are deleted, for ever.`}
                remove={() => rheo.streams.delete(stream, { confirm: true })}
                onDone={() => navigate({ view: 'streams' })}
              />
            </>
          )
        }
      >
        {stream}
      </Heading>
      <Pending polled={polled} />
      {info === undefined ? null : (
        <>
          <dl class="tiles">
            <Tile name="Events/s" tone={rate ? 'good' : undefined}>
              {rate === null ? '–' : perSecond(rate)}
            </Tile>
            <Tile name="Events">{number(totalOf(info))}</Tile>
            <Tile name="Stored">{bytes(bytesOf(info))}</Tile>
            <Tile name="Partitions">{number(info.partitionCount)}</Tile>
            <Tile name="Created">
              <time dateTime={info.createdAt}>{stamp(info.createdAt).slice(0, 16)}</time>
            </Tile>
          </dl>
          <Groups stream={stream} />
          <Events stream={stream} where={where} createdAt={info.createdAt} total={totalOf(info)} />
          <Partitions info={info} />
        </>
      )}
    </>
  )
}
