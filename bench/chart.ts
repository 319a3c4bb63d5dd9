import type { Report } from './report.ts'
import type { Comparison, LaneResult, ScenarioResult } from './result.ts'
import { short } from './table.ts'

const width = 860
const labelWidth = 190
const barWidth = 500
const rowHeight = 20
const gap = 34
const top = 68

/** Text and bars follow the reader's scheme; the page behind them is not painted. */
const style = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .title { font-size: 16px; font-weight: 600 }
  .name { font-weight: 600 }
  .note { fill: #59636e }
  .rheo { fill: #0969da }
  .reference { fill: #c8d1da }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc }
    .note { fill: #9198a1 }
    .rheo { fill: #4493f8 }
    .reference { fill: #3d444d }
  }`

/** Draws a run: for each scenario that is about events a second, a bar for each lane. */
export function chart({ machine, at, results }: Report): string {
  const shown = results.filter(({ comparisons }) => comparisons.some(isOfSpeed))
  let y = top
  const groups = shown.map((result) => {
    const group = scenario(result, y)
    y += gap + result.lanes.length * rowHeight
    return group
  })
  const height = y + 40
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title">
<style>${style}
</style>
<text id="title" class="title" x="0" y="20">Events a second, beside what one would use otherwise</text>
<text class="note" x="0" y="40">Blue is Rheo Edge. Bars of one scenario share a scale; ratios are to the first bar.</text>
${groups.join('\n')}
<text class="note" x="0" y="${height - 24}">${escaped(machine.split(';')[0]!)}</text>
<text class="note" x="0" y="${height - 6}">Local runtime, direct sockets, ${at.slice(0, 10)}</text>
</svg>
`
}

const isOfSpeed = ({ metric }: Comparison) => metric === 'eventsPerSecond'

function scenario({ scenario, lanes }: ScenarioResult, y: number): string {
  const most = Math.max(...lanes.map(({ eventsPerSecond }) => eventsPerSecond))
  const rows = lanes.map((lane, index) => bar(lane, lanes[0]!, most, y + 8 + index * rowHeight))
  return `<text class="name" x="0" y="${y}">${escaped(scenario)}</text>\n${rows.join('\n')}`
}

function bar(lane: LaneResult, first: LaneResult, most: number, y: number): string {
  const length = Math.max(1, Math.round((lane.eventsPerSecond / most) * barWidth))
  const kind = lane.isReference ? 'reference' : 'rheo'
  const ratio = lane === first ? '' : `  ${short(lane.eventsPerSecond / first.eventsPerSecond)}x`
  const text = y + rowHeight - 7
  return (
    `<text x="${labelWidth - 10}" y="${text}" text-anchor="end">${escaped(lane.lane)}</text>` +
    `<rect class="${kind}" x="${labelWidth}" y="${y}" width="${length}" height="${rowHeight - 5}" rx="2"/>` +
    `<text class="note" x="${labelWidth + length + 8}" y="${text}">${short(lane.eventsPerSecond)}${ratio}</text>`
  )
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
