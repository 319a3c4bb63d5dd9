import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const EVENTS = 100_000
/** A number kept for each event would be twice as much. */
const MAX_BYTES_PER_EVENT = 4

test.each(['append', 'consumer', 'pipeline'])(
  'memory is flat over 100 000 events: %s',
  async (kind) => {
    const script = path.join(import.meta.dirname, 'memory-process.ts')
    const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', script, kind, `${EVENTS}`])
    const { done, heaps }: { done: number; heaps: number[] } = JSON.parse(stdout)
    expect(done).toBe(EVENTS)
    expect(heaps.length).toBeGreaterThan(15)
    // Code is compiled, and shapes are learnt, in the first quarter.
    const settled = heaps.slice(Math.floor(heaps.length / 4))
    const bytesPerEvent = slopeOf(settled) / (EVENTS / heaps.length)
    expect(bytesPerEvent, heaps.join()).toBeLessThan(MAX_BYTES_PER_EVENT)
  },
  120_000,
)

/** By how much each value is greater than the one before, by least squares. */
function slopeOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2
  const rise = values.reduce((sum, value, index) => sum + (index - middle) * value, 0)
  return rise / values.reduce((sum, _, index) => sum + (index - middle) ** 2, 0)
}
