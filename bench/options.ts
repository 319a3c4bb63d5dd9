import { parseArgs } from 'node:util'
import { scenarios } from './scenarios.ts'

/** What to run and how to show it. */
export type Options = { isJson: boolean; seconds: number; scenarios: typeof scenarios }

const usage = `npm run bench -- [--json] [--only NAME]... [--seconds N]
  --only     one scenario, or several if given again: ${[...new Set(scenarios.map(({ name }) => name))].join(', ')}
  --seconds  how long each scenario runs, and the reference beside it as long again; 3 unless given
  --json     figures for a program`

/** Reads the command line; null, with the reason on stderr, if it cannot be read. */
export function readOptions(): Options | null {
  try {
    const { values } = parseArgs({
      options: {
        json: { type: 'boolean', default: false },
        only: { type: 'string', multiple: true, default: [] },
        seconds: { type: 'string', default: '3' },
      },
    })
    const seconds = Number(values.seconds)
    if (!(seconds > 0 && seconds < Number.POSITIVE_INFINITY)) throw new Error(`--seconds ${values.seconds}: no length`)
    const chosen = scenarios.filter(({ name }) => values.only.length === 0 || values.only.includes(name))
    if (chosen.length === 0) throw new Error(`--only ${values.only.join()}: no such scenario`)
    return { isJson: values.json, seconds, scenarios: chosen }
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${usage}\n`)
    return null
  }
}
