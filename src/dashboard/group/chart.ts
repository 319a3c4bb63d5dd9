/** How far a group was behind at a time, by partition. */
export interface Sample {
  readonly at: number
  readonly lags: Readonly<Record<string, number>>
}

/** A line of the chart, and what can be said of it in words. */
export interface Line {
  /** A partition, or `all` for their sum. */
  readonly name: string
  readonly path: string
  readonly now: number
  readonly highest: number
  /** Where the line ends. */
  readonly y: number
}

export interface Chart {
  readonly lines: readonly Line[]
  readonly ticks: readonly { readonly value: number; readonly y: number }[]
  readonly from: number
  readonly to: number
}

/** How much is kept: a quarter of an hour at a reading every two seconds. */
const KEPT_MS = 15 * 60_000
/** Readings further apart than this are not joined: nothing was read in between. */
const GAP_MS = 20_000

/** Samples with a new one at their end, without those that are too old. */
export function withSample(samples: readonly Sample[], sample: Sample): readonly Sample[] {
  if (samples.at(-1)?.at === sample.at) return samples
  return [...samples.filter(({ at }) => at > sample.at - KEPT_MS && at < sample.at), sample]
}

/** Rises to 1, 2 or 5 times a power of ten. */
export function niceCeiling(value: number): number {
  if (value <= 1) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= value)!
}

/** The sum of all partitions, and the partitions furthest behind, as lines in a field of this size. */
export function chartOf(samples: readonly Sample[], width: number, height: number, most = 4): Chart | null {
  const last = samples.at(-1)
  if (last === undefined) return null
  // A minute at least, so that the first readings do not jump about.
  const from = Math.min(samples[0]!.at, last.at - 60_000)
  const totals = samples.map(({ lags }) => Object.values(lags).reduce((sum, lag) => sum + lag, 0))
  const top = niceCeiling(Math.max(...totals))
  const x = (at: number): number => ((at - from) / (last.at - from)) * width
  const y = (lag: number): number => height - (lag / top) * height
  const lineOf = (name: string, values: readonly number[]): Line => ({
    name,
    path: pathOf(samples.map(({ at }, index) => [at, x(at), y(values[index]!)] as const)),
    now: values.at(-1)!,
    highest: Math.max(...values),
    y: y(values.at(-1)!),
  })
  const partitions = Object.keys(last.lags)
  const behind = partitions
    .toSorted((a, b) => last.lags[b]! - last.lags[a]! || Number(a) - Number(b))
    .slice(0, partitions.length === 1 ? 0 : most)
    .toSorted((a, b) => Number(a) - Number(b))
  return {
    lines: [
      lineOf('all', totals),
      ...behind.map((name) =>
        lineOf(
          name,
          samples.map(({ lags }) => lags[name] ?? 0),
        ),
      ),
    ],
    ticks: [...new Set([0, top / 2, top])].filter(Number.isInteger).map((value) => ({ value, y: y(value) })),
    from,
    to: last.at,
  }
}

function pathOf(points: readonly (readonly [at: number, x: number, y: number])[]): string {
  let before = Number.NEGATIVE_INFINITY
  return points
    .map(([at, x, y]) => {
      const move = at - before > GAP_MS ? 'M' : 'L'
      before = at
      return `${move}${x.toFixed(1)} ${y.toFixed(1)}`
    })
    .join('')
}
