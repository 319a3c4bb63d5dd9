import { useState } from 'preact/hooks'
import type { PartitionHoles, PartitionLag } from '../../client/index.ts'
import { useAccess } from '../access.ts'
import { Button } from '../action.tsx'
import { usePoll } from '../poll/use-poll.ts'
import { inTurns } from '../rows.ts'
import { Pending } from '../views/heading.tsx'
import { usePages } from '../views/pager.tsx'
import { Blocked } from './blocked.tsx'
import { Legend, Patterns } from './patterns.tsx'
import { windowOf } from './strip.ts'
import { Strip } from './strip-figure.tsx'

const PAGE = 8
const MAX_ZOOM = 12

interface ProgressProps {
  readonly stream: string
  readonly group: string
  readonly lags: Readonly<Record<string, PartitionLag>>
}

/** How far the group is in each partition: what holds it, and a strip of all that is open. */
export const Progress = ({ stream, group, lags }: ProgressProps) => {
  const { rheo } = useAccess()
  // Sorted when asked for and not with each reading, so that nothing moves away under a pointer.
  const [order, setOrder] = useState(() => Object.keys(lags))
  const { shown, pager } = usePages(order, PAGE, 'partitions')
  const [isOpenPart, setOpenPart] = useState(true)
  const [zoom, setZoom] = useState(0)
  const [at, setAt] = useState(0)
  const polled = usePoll(`holes ${stream} ${group} ${shown.join()}`, async (signal) => {
    if (shown.length === order.length) return (await rheo.groups.holes(stream, group, { signal })).partitions
    const found: Record<string, PartitionHoles> = {}
    await inTurns(shown, 4, async (partition) => {
      const holes = await rheo.groups.holes(stream, group, { partition: Number(partition), signal })
      found[partition] = holes.partitions[partition]!
    })
    return found
  })
  const holes = shown.flatMap((partition) => {
    const one = polled.data?.[partition]
    return one === undefined ? [] : [[partition, one] as const]
  })
  return (
    <section aria-labelledby="progress">
      <h2 id="progress">Progress</h2>
      <Pending polled={polled} />
      {polled.data === undefined ? null : (
        <>
          <Blocked stream={stream} holes={holes} />
          <div class="controls">
            <fieldset class="segmented">
              <legend class="unseen">Part that is drawn</legend>
              {(
                [
                  [true, 'Open part'],
                  [false, 'From the first event'],
                ] as const
              ).map(([value, label]) => (
                <label key={label}>
                  <input type="radio" name="part" checked={value === isOpenPart} onChange={() => setOpenPart(value)} />
                  <span>{label}</span>
                </label>
              ))}
            </fieldset>
            <span class="zoom">
              <Button label="Zoom out" disabled={zoom === 0} onClick={() => setZoom(zoom - 1)}>
                −
              </Button>
              <Button label="Zoom in" disabled={zoom === MAX_ZOOM} onClick={() => setZoom(zoom + 1)}>
                +
              </Button>
              <label>
                <span class="unseen">Place of the part that is drawn</span>
                <input
                  type="range"
                  min="0"
                  max="1"
                  step="0.001"
                  value={at}
                  disabled={zoom === 0}
                  onInput={(event) => setAt(Number(event.currentTarget.value))}
                />
              </label>
            </span>
            {order.length <= PAGE ? null : (
              <Button onClick={() => setOrder(order.toSorted((a, b) => lags[b]!.lag - lags[a]!.lag))}>
                Furthest behind first
              </Button>
            )}
            <Legend />
          </div>
          <Patterns />
          <div class="strips">
            {holes.map(([partition, one]) => (
              <Strip
                key={partition}
                partition={partition}
                holes={one}
                window={windowOf(one, { isOpenPart, zoom, at })}
              />
            ))}
          </div>
          {pager}
          <details>
            <summary>The strips as a table</summary>
            <Ranges holes={holes} />
          </details>
        </>
      )}
    </section>
  )
}

const MOST_RANGES = 200

const Ranges = ({ holes }: { readonly holes: readonly (readonly [string, PartitionHoles])[] }) => {
  const ranges = holes.flatMap(([partition, one]) => one.holes.map((hole) => ({ partition, ...hole })))
  if (ranges.length === 0) return <p class="faint">Nothing is open.</p>
  return (
    <>
      <table class="tight">
        <caption class="unseen">Open ranges by partition</caption>
        <thead>
          <tr>
            {['Partition', 'From', 'To', 'State', 'Attempt'].map((head) => (
              <th key={head} scope="col" class={head === 'State' ? 'text' : 'number'}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {ranges.slice(0, MOST_RANGES).map(({ partition, first, last, state, attempt }) => (
            <tr key={`${partition}/${first}`}>
              <td class="number">{partition}</td>
              <td class="number">{first}</td>
              <td class="number">{last}</td>
              <td class="text">{state}</td>
              <td class="number">{attempt}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {ranges.length <= MOST_RANGES ? null : (
        <p class="faint">
          The first {MOST_RANGES} of {ranges.length} ranges.
        </p>
      )}
    </>
  )
}
