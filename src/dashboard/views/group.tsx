import { useAccess } from '../access.ts'
import { Button, useAction } from '../action.tsx'
import { Delete } from '../delete.tsx'
import { duration, number } from '../format.ts'
import { keepSample, samplesOf } from '../group/history.ts'
import { LagChart } from '../group/lag-chart.tsx'
import { Leases } from '../group/leases.tsx'
import { Progress } from '../group/progress.tsx'
import { Replay } from '../group/replay.tsx'
import { Reset } from '../group/reset.tsx'
import { Settings } from '../group/settings.tsx'
import { Link, navigate } from '../navigation.tsx'
import { usePoll } from '../poll/use-poll.ts'
import { Problem } from '../problem.tsx'
import { Heading, Pending, Tile } from './heading.tsx'

interface GroupViewProps {
  readonly stream: string
  readonly group: string
}

export const GroupView = ({ stream, group }: GroupViewProps) => {
  const { rheo } = useAccess()
  const polled = usePoll(`group ${stream} ${group}`, async (signal) => {
    const info = await rheo.groups.get(stream, group, { signal })
    keepSample(info)
    return info
  })
  const pausing = useAction()
  const info = polled.data
  const oldest = info?.oldestUnsettled ?? null
  const pause = (paused: boolean): Promise<boolean> =>
    pausing.run(async () => {
      await rheo.groups.update(stream, group, { paused })
      return paused ? `Paused ${group}: it gives no leases until it is resumed.` : `Resumed ${group}.`
    })
  const actions =
    info === undefined ? undefined : (
      <>
        <Button scope="admin" onClick={() => void pause(!info.paused)}>
          {info.paused ? 'Resume' : 'Pause group'}
        </Button>
        <Replay info={info} />
        <Reset info={info} />
        <Delete
          what="group"
          name={group}
          consequence="Its progress, leases and dead letters are deleted, for ever. The events stay."
          remove={() => rheo.groups.delete(stream, group, { confirm: true })}
          onDone={() => navigate({ view: 'stream', stream })}
        />
      </>
    )
  return (
    <>
      <Heading actions={actions}>
        {group}
        {info?.paused ? <span class="badge paused">paused</span> : null}
      </Heading>
      <Problem error={pausing.error} />
      <Pending polled={polled} />
      {info === undefined ? null : (
        <>
          <dl class="tiles">
            <Tile name="Lag" tone={info.lag.lag === 0 ? 'good' : undefined}>
              {number(info.lag.lag)}
            </Tile>
            <Tile name="In flight">{number(info.inFlight)}</Tile>
            <Tile name="Available" note="open again">
              {number(info.available)}
            </Tile>
            <Tile name="Delayed">{number(info.delayed)}</Tile>
            <Tile name="Dead letters" tone={info.deadLetters > 0 ? 'bad' : undefined}>
              <Link to={{ view: 'deadLetters', stream, group }}>{number(info.deadLetters)}</Link>
            </Tile>
            <Tile
              name="Oldest unsettled"
              note={
                oldest === null ? undefined : (
                  <Link to={{ view: 'event', stream, event: oldest.eventId, partition: oldest.partition }}>
                    {oldest.partition}/{number(oldest.sequence)}, {oldest.state}
                  </Link>
                )
              }
            >
              {oldest === null ? 'none' : duration(oldest.ageMs)}
            </Tile>
          </dl>
          <Progress stream={stream} group={group} lags={info.lag.partitions} />
          <LagChart samples={samplesOf(info)} />
          <Leases stream={stream} group={group} />
          <Settings info={info} />
        </>
      )}
    </>
  )
}
