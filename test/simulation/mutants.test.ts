import { describe, expect, it } from 'vitest'
import { mutants } from './mutants.ts'
import { simulate } from './simulation.ts'

/*
 * Checks that find nothing prove something only if they would find something. Each machine here is wrong in one way,
 * and a check must say so within a few runs.
 */

const STEPS = 1_000
const MAX_SEEDS = 40

describe('a bug put in on purpose is caught', () => {
  it.each(mutants)('a machine that $name', ({ open, caught }) => {
    const said: string[] = []
    for (let seed = 1; seed <= MAX_SEEDS; seed++) {
      const { violations } = simulate({ seed, steps: STEPS, openMachine: open })
      if (violations.some((violation) => caught.test(violation))) return
      said.push(...violations.slice(0, 2))
    }
    expect.fail(
      `not caught in ${MAX_SEEDS} runs of ${STEPS} steps; what the checks said instead: ${said.slice(0, 5).join('; ')}`,
    )
  })

  it('and nothing is said of the true machine', () => {
    for (let seed = 1; seed <= 10; seed++) expect(simulate({ seed, steps: STEPS }).violations).toEqual([])
  })
})
