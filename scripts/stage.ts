import { type Api, BrokenPromise, createApi } from './demo/api.ts'
import { title } from './demo/print.ts'
import { type Local, startLocal } from './local.ts'

const timeLimitMs = 10_000

/** Since this process began. */
const seconds = () => `${(performance.now() / 1000).toFixed(1)} s`

/**
 * Starts the server with its store in a temporary folder, plays a story on it over HTTP and deletes the store again.
 * The process ends with 1 when an answer is not as promised. `name` is what the story is called when it stops early.
 */
export async function stage(name: string, headline: string, play: (api: Api) => Promise<void>): Promise<void> {
  const log: string[] = []
  let local: Local | undefined

  // A signal without a listener would end the process on the spot and leave the folder behind; an exit cleans up.
  for (const [signal, exitCode] of [['SIGINT', 130] as const, ['SIGTERM', 143] as const]) {
    process.once(signal, () => void Promise.resolve(local?.stop()).finally(() => process.exit(exitCode)))
  }

  // A reader such as `head` that has seen enough.
  process.stdout.on('error', () => process.exit(1))

  try {
    local = await startLocal({ vars: { RHEO_TEST_CLOCK: '1' }, onLog: (_, message) => log.push(message) })
    title(
      headline,
      `The server runs at ${local.url}, its store lies in ${local.persistTo}.`,
      'Every call carries the time of its own clock (header Rheo-Now), so that no step has to sleep.',
      'Names in <angle brackets> stand for opaque tokens; 1/2 is sequence 2 of partition 1.',
    )
    await play(createApi(local.url, AbortSignal.timeout(timeLimitMs)))
    process.stdout.write(`\nEvery answer was as promised. Done in ${seconds()}; the store is deleted.\n\n`)
  } catch (error) {
    const broken = error instanceof BrokenPromise
    process.stderr.write(
      `\nThe ${name} stopped after ${seconds()}: ${broken ? error.message : (error as Error).stack}\n`,
    )
    if (log.length > 0) process.stderr.write(`\nThe server's log:\n${log.slice(-20).join('\n')}\n`)
    process.exitCode = 1
  } finally {
    await local?.stop()
  }
}
