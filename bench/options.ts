import { parseArgs } from 'node:util'
import { scenarios } from './scenarios/index.ts'
import type { Sizes } from './world.ts'

/** What to run and how to show it. */
export type Options = {
  json: boolean
  svg: string | undefined
  from: string | undefined
  memory: boolean
  quick: boolean
  rounds: number
  seconds: number
  sizes: Sizes
  scenarios: typeof scenarios
}

const usual = { rounds: 5, seconds: 1.5, sizes: { small: 10_000, large: 1_000_000, fragments: 100_000 } }
const quick = { rounds: 2, seconds: 0.4, sizes: { small: 10_000, large: 50_000, fragments: 10_000 } }

const usage = `npm run bench -- [--only TEXT]... [--quick] [--rounds N] [--seconds N] [--json] [--svg FILE]
npm run bench -- --from FILE [--svg FILE]
npm run bench -- --memory [--quick]
  --only     scenarios whose name begins so: ${scenarios.map(({ name }) => name).join('; ')}
  --quick    a smaller log and short rounds: for a look, not for figures
  --rounds   how often the lanes take turns; ${usual.rounds} unless given
  --seconds  how long each lane runs, all rounds together; ${usual.seconds} unless given
  --json     figures for a program, on stdout
  --svg      draw a chart
  --from     show a run that was kept with --json, and run nothing
  --memory   measure the heap instead`

/** Reads the command line; null, with the reason on stderr, if it cannot be read. */
export function readOptions(): Options | null {
  try {
    const { values } = parseArgs({
      options: {
        json: { type: 'boolean', default: false },
        quick: { type: 'boolean', default: false },
        memory: { type: 'boolean', default: false },
        only: { type: 'string', multiple: true, default: [] },
        rounds: { type: 'string' },
        seconds: { type: 'string' },
        svg: { type: 'string' },
        from: { type: 'string' },
      },
    })
    const { json, memory, svg, from, only } = values
    const set = values.quick ? quick : usual
    const rounds = numberOf('--rounds', values.rounds, set.rounds)
    const seconds = numberOf('--seconds', values.seconds, set.seconds)
    if (!Number.isInteger(rounds)) throw new Error(`--rounds ${rounds}: not a whole number`)
    const chosen = scenarios.filter(({ name }) => only.length === 0 || only.some((text) => name.startsWith(text)))
    if (chosen.length === 0) throw new Error(`--only ${only.join()}: no such scenario`)
    return { json, memory, quick: values.quick, svg, from, rounds, seconds, sizes: set.sizes, scenarios: chosen }
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${usage}\n`)
    return null
  }
}

function numberOf(name: string, text: string | undefined, usual: number): number {
  const value = text === undefined ? usual : Number(text)
  if (!(value > 0 && value < Number.POSITIVE_INFINITY)) throw new Error(`${name} ${text}: not a number above 0`)
  return value
}
