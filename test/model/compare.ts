import fc from 'fast-check'
import { expect, inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    modelSeed: number
    modelFactor: number
  }
}

/** How long a comparison may take before its test times out, in milliseconds: long runs get their time. */
export const compareMs = 180_000 * inject('modelFactor')

/**
 * Plays random scripts until `steps` steps have been compared. A failure prints the seed of its batch and the shortest
 * script found; `MODEL_SEED=<seed> npx vitest run --project <project> model` begins with that batch. `MODEL_STEPS`
 * multiplies the number of steps, for a long run.
 *
 * @param play plays one script and answers how many steps it compared
 * @param numRuns scripts in a batch
 * @param batchMs how long a batch may search for a shorter script at most, so that it is told before the test times out
 */
export async function compare<Script>(
  steps: number,
  arbitrary: fc.Arbitrary<Script>,
  play: (script: Script) => Promise<number>,
  { numRuns = 50, batchMs = 90_000 } = {},
): Promise<void> {
  const wanted = steps * inject('modelFactor')
  let played = 0
  for (let batch = 0; played < wanted; batch++) {
    const property = fc.asyncProperty(arbitrary, async (script) => {
      played += await play(script)
    })
    await fc.assert(property, { seed: inject('modelSeed') + batch, numRuns, interruptAfterTimeLimit: batchMs })
  }
  expect(played).toBeGreaterThanOrEqual(wanted)
}
