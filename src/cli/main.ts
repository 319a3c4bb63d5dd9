import { run } from './run.ts'

/** Calls back on each Ctrl-C or SIGTERM; without a listener they end the process as ever. */
function onInterrupt(listener: () => void): () => void {
  process.on('SIGINT', listener).on('SIGTERM', listener)
  return () => process.off('SIGINT', listener).off('SIGTERM', listener)
}

/** Resolves when a full pipe has been read from. */
const out = (text: string): Promise<void> =>
  new Promise((resolve) => (process.stdout.write(text) ? resolve() : process.stdout.once('drain', resolve)))

// A reader such as `head` that has seen enough.
process.stdout.on('error', () => process.exit(1))

process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  stdin: process.stdin,
  isInteractive: process.stdin.isTTY === true && process.stderr.isTTY === true,
  out,
  err: (text) => void process.stderr.write(text),
  onInterrupt,
})
