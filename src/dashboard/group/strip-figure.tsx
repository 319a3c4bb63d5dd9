import { useMemo } from 'preact/hooks'
import type { PartitionHoles } from '../../client/index.ts'
import { number } from '../format.ts'
import { fillOf, wordOf } from './patterns.tsx'
import { type Piece, piecesOf, runsOf, type Window } from './strip.ts'
import { useWidth } from './use-width.ts'

const HEIGHT = 22

interface StripProps {
  readonly partition: string
  readonly holes: PartitionHoles
  readonly window: Window | null
}

/** One partition from left to right, each run in its colour and pattern, the frontier marked. */
export const Strip = ({ partition, holes, window }: StripProps) => {
  const [ref, width] = useWidth<HTMLDivElement>()
  const { frontier, highWatermark, blockedBy } = holes
  const runs = useMemo(() => runsOf(holes), [holes])
  const lag = highWatermark - frontier
  const scale = window === null ? 0 : width / (window.last - window.first + 1)
  const mark = window === null ? -1 : (frontier + 1 - window.first) * scale
  const state = lag === 0 ? 'nothing is open' : `waits for ${blockedBy?.sequence}, ${blockedBy?.state}`
  return (
    <div class="strip">
      <span class="strip-name">
        <strong>{partition}</strong> <span class="faint">lag {number(lag)}</span>
      </span>
      <div ref={ref} class="strip-field">
        {window === null ? (
          <span class="faint">no event yet</span>
        ) : width === 0 ? null : (
          <svg
            width={width}
            height={HEIGHT}
            viewBox={`0 0 ${width} ${HEIGHT}`}
            role="img"
            aria-label={`Partition ${partition}: frontier ${frontier} of ${highWatermark}, ${state}`}
          >
            {piecesOf(runs, window, width).map((piece) => (
              <rect
                key={piece.first}
                x={piece.x}
                y="2"
                width={Math.max(1, piece.width - (piece.width > 6 ? 1 : 0))}
                height={HEIGHT - 4}
                fill={fillOf(piece.look)}
                class="edge"
              >
                <title>{titleOf(piece)}</title>
              </rect>
            ))}
            {mark >= 0 && mark <= width ? (
              <path class="frontier" d={`M${Math.min(width - 1, Math.max(1, mark))} 0V${HEIGHT}`} />
            ) : null}
          </svg>
        )}
        {window === null ? null : (
          <span class="strip-ends faint" aria-hidden="true">
            <span>{number(window.first)}</span>
            <span>{number(window.last)}</span>
          </span>
        )}
      </div>
    </div>
  )
}

function titleOf({ first, last, look, attempt, runs }: Piece): string {
  const range = first === last ? number(first) : `${number(first)} to ${number(last)}`
  const parts = [`${range}: ${wordOf(look)}`]
  if (attempt > 0) parts.push(`attempt ${attempt}`)
  if (runs > 1) parts.push(`${runs} runs`)
  return parts.join(', ')
}
