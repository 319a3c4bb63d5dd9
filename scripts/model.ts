/** Plays random scripts on the partition machine and on the reference model, for as many steps as it is told. */
import { parseArgs } from 'node:util'
import fc from 'fast-check'
import { type MachineProperty, machineProperties } from '../test/model/machine-properties.ts'

const usage = `Usage: npm run model -- [--steps <N>] [--seed <S>]

  --steps  steps to compare, over all properties of test/model/machine-properties.ts (default: 100000)
  --seed   where the random scripts begin (default: a random number)

Every property gets its share of the steps. A failure prints the seed of its batch and the shortest script found, call
by call; the same seed with the same number of steps plays the same scripts again.
`

/** How long a failing batch may search for a shorter script. */
const SHRINK_MS = 90_000

function readOptions() {
  const text = { type: 'string' } as const
  const { values } = parseArgs({ options: { steps: text, seed: text, help: { type: 'boolean' } } })
  const steps = Number(values.steps ?? 100_000)
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
  if (!Number.isSafeInteger(steps) || steps < 1) throw new Error('--steps must be a whole number from 1')
  if (!Number.isSafeInteger(seed) || seed < 0) throw new Error('--seed must be a whole number')
  return { steps, seed, isHelp: values.help === true }
}

const perSecond = (steps: number, startedMs: number): number =>
  Math.round((1_000 * steps) / (performance.now() - startedMs))

/** Plays one property until it has compared so many steps; answers how many, or what differs. */
async function playProperty(property: MachineProperty, wanted: number, seed: number): Promise<number | string> {
  let played = 0
  for (let batch = 0; played < wanted; batch++) {
    const holds = fc.asyncProperty(property.scripts, async (script) => {
      played += await property.play(script)
    })
    const run = { seed: seed + batch, numRuns: property.numRuns, interruptAfterTimeLimit: SHRINK_MS }
    const details = await fc.check(holds, run)
    if (details.failed && details.errorInstance != null) {
      const { message } = details.errorInstance as Error
      return `batch of seed ${details.seed}, script shortened ${details.numShrinks} times:\n${message}`
    }
  }
  return played
}

async function run(): Promise<number> {
  const { steps, seed, isHelp } = readOptions()
  if (isHelp) {
    process.stdout.write(usage)
    return 0
  }
  process.stdout.write(`seed ${seed}, ${steps} steps\n`)
  const usual = machineProperties.reduce((sum, property) => sum + property.steps, 0)
  const startedMs = performance.now()
  let played = 0
  for (const property of machineProperties) {
    const propertyMs = performance.now()
    const outcome = await playProperty(property, Math.ceil((steps * property.steps) / usual), seed)
    if (typeof outcome === 'string') {
      process.stdout.write(`DIFFERS: ${property.name}\n${outcome}\nseed ${seed} --steps ${steps} plays it again\n`)
      return 1
    }
    played += outcome
    process.stdout.write(`${property.name}: ${outcome} steps, ${perSecond(outcome, propertyMs)} a second\n`)
  }
  process.stdout.write(`all agree: seed ${seed}, ${played} steps, ${perSecond(played, startedMs)} a second\n`)
  return 0
}

try {
  process.exitCode = await run()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n\n${usage}`)
  process.exitCode = 2
}
