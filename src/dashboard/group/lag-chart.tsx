import { clockTime, duration, number } from '../format.ts'
import { chartOf, type Line, type Sample } from './chart.ts'
import { useWidth } from './use-width.ts'

const HEIGHT = 160

const labelOf = ({ name }: Line): string => (name === 'all' ? 'All partitions' : `Partition ${name}`)

/** The lag of all partitions in the space of a word. The figure beside it says where it ends. */
export const Trend = ({ samples }: { readonly samples: readonly Sample[] }) => {
  const line = chartOf(samples, 100, 20, 0)?.lines[0]
  return (
    <svg class="trend" viewBox="0 0 100 20" preserveAspectRatio="none" aria-hidden="true">
      {line === undefined ? null : <path class="line" d={line.path} vector-effect="non-scaling-stroke" />}
    </svg>
  )
}

/** Lag over the time that this page was open: a line for all partitions, and one for each of those furthest behind. */
export const LagChart = ({ samples }: { readonly samples: readonly Sample[] }) => {
  const [ref, width] = useWidth<HTMLDivElement>()
  const field = Math.max(0, width - 56)
  const chart = chartOf(samples, field, HEIGHT)
  return (
    <section aria-labelledby="lag">
      <h2 id="lag">Lag over time</h2>
      <div class="chart-and-lines">
        <div ref={ref} class="chart">
          {chart === null || width === 0 ? null : (
            <svg width={width} height={HEIGHT + 34} role="img" aria-label={summaryOf(chart.lines)}>
              <g transform="translate(52 10)">
                {chart.ticks.map(({ value, y }) => (
                  <g key={value}>
                    <path class="grid" d={`M0 ${y}H${field}`} />
                    <text x="-8" y={y} dy="0.32em" text-anchor="end">
                      {number(value)}
                    </text>
                  </g>
                ))}
                {chart.lines.toReversed().map((line) => (
                  <path key={line.name} class={`line line-${chart.lines.indexOf(line)}`} d={line.path} />
                ))}
                <text x="0" y={HEIGHT + 20}>
                  {clockTime(chart.from)}
                </text>
                <text x={field} y={HEIGHT + 20} text-anchor="end">
                  {clockTime(chart.to)}
                </text>
              </g>
            </svg>
          )}
        </div>
        {chart === null ? null : (
          <table class="tight chart-lines">
            <caption class="unseen">Lag over the last {duration(chart.to - chart.from)}</caption>
            <thead>
              <tr>
                <th scope="col">Line</th>
                <th scope="col" class="number">
                  Now
                </th>
                <th scope="col" class="number">
                  Highest
                </th>
              </tr>
            </thead>
            <tbody>
              {chart.lines.map((line, index) => (
                <tr key={line.name}>
                  <th scope="row">
                    <svg width="28" height="10" aria-hidden="true">
                      <path class={`line line-${index}`} d="M0 5H28" />
                    </svg>{' '}
                    {labelOf(line)}
                  </th>
                  <td class="number">{number(line.now)}</td>
                  <td class="number">{number(line.highest)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </div>
    </section>
  )
}

function summaryOf(lines: readonly Line[]): string {
  const all = lines[0]!
  return `Lag of all partitions: ${number(all.now)} now, at most ${number(all.highest)}. The table below has every line.`
}
