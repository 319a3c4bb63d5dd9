import { describe, expect, it } from 'vitest'
import { explain } from './explain.ts'
import { simulate } from './simulation.ts'

const STEPS = 1_500
/** A minute of fresh seeds where every change has to pass, less on the way there. */
const FRESH_MS = process.env.CI === undefined ? 10_000 : 60_000

/** Plays a run that must break nothing; a failure says what it broke, and how to see it again. */
function play(seed: number, steps: number): number {
  const run = { seed, steps }
  const result = simulate(run)
  if (result.violations.length > 0) expect.fail(explain(run, result))
  return result.steps
}

describe('nothing that the service promises is broken', () => {
  it('in fresh runs, whatever is lost, late, doubled or forgotten in them', () => {
    const first = Math.floor(Math.random() * 2 ** 31)
    const endMs = performance.now() + FRESH_MS
    let seed = first
    let steps = 0
    while (performance.now() < endMs) steps += play(seed++, STEPS)
    console.log(`simulation: seeds ${first} to ${seed - 1}, ${steps} steps`)
    expect(steps).toBeGreaterThan(0)
  })

  it('a seed plays the same run again', () => {
    const run = { seed: 7, steps: STEPS, isTraced: true }
    const { trace, ...once } = simulate(run)
    expect(simulate(run)).toEqual({ ...once, trace })
    expect(trace.length).toBeGreaterThan(STEPS / 2)
  })
})

describe('runs that have found a fault', () => {
  it.each([
    [149, 228, 'S2.7 an idempotency key was forgotten with an eviction while the clocks differed by an hour'],
    [149, 1_500, 'S8.16 a lease of a deleted group that fell due while its expiry met a fault'],
    [276, 679, 'S8.16 a deleted group came back to life by an install that was late'],
    [640_866_129, 1_101, 'S4.6 a renewal made a lease shorter, was answered late, and a check saw two holders'],
  ])('seed %i, %i steps: %s', (seed, steps) => {
    play(seed, steps)
  })
})
