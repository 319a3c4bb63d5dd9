/** How many events there were in all at a time. */
export interface Reading {
  readonly at: number
  readonly total: number
}

const WINDOW_MS = 10_000

/** Readings with a new one, as many as are needed for a rate over the window. A total that fell is another stream's. */
export function withReading(readings: readonly Reading[], reading: Reading): readonly Reading[] {
  const last = readings.at(-1)
  if (last !== undefined && (reading.total < last.total || reading.at < last.at)) return [reading]
  const kept = readings.filter(({ at }) => at >= reading.at - WINDOW_MS)
  return [...kept, reading]
}

/** Events a second over the readings; null until there are two. */
export function rateOf(readings: readonly Reading[]): number | null {
  const first = readings[0]
  const last = readings.at(-1)
  if (first === undefined || last === undefined || last.at <= first.at) return null
  return ((last.total - first.total) * 1000) / (last.at - first.at)
}
