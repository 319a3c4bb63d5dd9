import { type Result, type Run, simulate, TROUBLE_ENDS } from './simulation.ts'

const LAST_STEPS = 60
const MAX_VIOLATIONS = 10

/** What a failed run has broken, and the last steps of the shortest run of its seed that was found to fail. */
export function explain(run: Run, result: Result): string {
  const steps = shortest(run)
  const { violations, trace } = simulate({ ...run, steps, isTraced: true })
  return [
    `seed ${run.seed} with ${run.steps} steps: ${result.violations.length} violations`,
    ...result.violations.slice(0, MAX_VIOLATIONS).map((violation) => `  ${violation}`),
    `the same seed with ${steps} steps:`,
    ...violations.slice(0, MAX_VIOLATIONS).map((violation) => `  ${violation}`),
    'its last steps:',
    ...lastOf(trace),
    `npm run simulate -- --seed ${run.seed} --steps ${steps} --trace`,
  ].join('\n')
}

/** What came before trouble ended, and the end of it all. */
function lastOf(trace: readonly string[]): string[] {
  const end = trace.findIndex((line) => line.endsWith(TROUBLE_ENDS))
  return [...trace.slice(Math.max(0, end - LAST_STEPS), end + 1), '…', ...trace.slice(-LAST_STEPS / 3)]
}

/** Fewer and fewer steps as long as the run still fails; a shorter one may fail that is not looked at. */
function shortest(run: Run): number {
  let failing = run.steps
  for (let passing = 0; failing - passing > Math.max(1, failing / 50); ) {
    const middle = Math.floor((passing + failing) / 2)
    if (simulate({ ...run, steps: middle }).violations.length > 0) failing = middle
    else passing = middle
  }
  return failing
}
