/** Plays runs of the simulation: one that a seed names, or fresh ones for a time. */
import { parseArgs } from 'node:util'
import { explain } from '../test/simulation/explain.ts'
import { simulate } from '../test/simulation/simulation.ts'

const usage = `Usage: npm run simulate -- [--seed <N>] [--steps <M>] [--seconds <S>] [--trace]

  --seed     the run to play, or the first of them (default: a random one)
  --steps    steps before trouble ends (default: 1500)
  --seconds  play fresh seeds, one after the other, for so long
  --trace    print all that happens

A run is replayed exactly by its seed and its number of steps. What fails prints the last steps of the shortest run of
that seed that fails.
`

const whole = (text: string | undefined, otherwise: number): number => (text === undefined ? otherwise : Number(text))

function readOptions() {
  const text = { type: 'string' } as const
  const options = {
    seed: text,
    steps: text,
    seconds: text,
    trace: { type: 'boolean' },
    help: { type: 'boolean' },
  } as const
  const { values } = parseArgs({ options, allowPositionals: false })
  const seed = whole(values.seed, Math.floor(Math.random() * 2 ** 31))
  const steps = whole(values.steps, 1_500)
  const seconds = whole(values.seconds, 0)
  if (![seed, steps, seconds].every((number) => Number.isSafeInteger(number) && number >= 0))
    throw new Error('no number')
  return { seed, steps, seconds, isTraced: values.trace === true, isHelp: values.help === true }
}

function run(): number {
  const { seed: first, steps, seconds, isTraced, isHelp } = readOptions()
  if (isHelp) {
    process.stdout.write(usage)
    return 0
  }
  const endMs = performance.now() + 1_000 * seconds
  const startedMs = performance.now()
  let played = 0
  for (let seed = first; ; seed++) {
    const result = simulate({ seed, steps, isTraced })
    played += result.steps
    if (isTraced) process.stdout.write(`${result.trace.join('\n')}\n`)
    if (result.violations.length > 0) {
      process.stdout.write(`${explain({ seed, steps }, result)}\n`)
      return 1
    }
    if (performance.now() >= endMs) {
      const perSecond = Math.round((1_000 * played) / (performance.now() - startedMs))
      process.stdout.write(`seeds ${first} to ${seed}: all well; ${played} steps, ${perSecond} a second\n`)
      return 0
    }
  }
}

try {
  process.exitCode = run()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n\n${usage}`)
  process.exitCode = 2
}
