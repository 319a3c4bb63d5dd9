import { setTimeout as pause } from 'node:timers/promises'
import { startLocal } from '../../scripts/local.ts'

/** How long a killed runtime may take to answer again; 0.1 to 0.35 s is usual. */
const restartMs = 15_000
const pollMs = 10

/** A server on the machine whose runtime can be killed. */
export type Runtime = {
  url: string
  /** What the server wrote to its console as a warning or an error. */
  complaints: string[]
  /** Kills the runtime with SIGKILL, on the spot. `up` tells when it answers again. */
  kill(): void
  /** Resolves when the runtime answers; at once unless it has been killed and is on its way. */
  up(): Promise<void>
  stop(): Promise<void>
}

/** Starts the server; with `persistTo` on a folder that outlives it. */
export async function startRuntime(persistTo?: string): Promise<Runtime> {
  const complaints: string[] = []
  const onLog = (level: string, message: string) => {
    if (level === 'warn' || level === 'error') complaints.push(message)
  }
  const local = await startLocal(persistTo === undefined ? { onLog } : { onLog, persistTo })
  let rising = Promise.resolve()
  return {
    url: local.url,
    complaints,
    kill() {
      const pids = local.pids()
      if (pids.length === 0) throw new Error(`no process serves ${local.url}: kills need /proc, as Linux has it`)
      for (const pid of pids) process.kill(pid, 'SIGKILL')
      rising = answers(local.url, () => local.pids().some((pid) => !pids.includes(pid)))
      // Whoever waits for it learns that it failed; that nobody may be waiting is no reason to end the process.
      rising.catch(() => undefined)
    },
    up: () => rising,
    stop: local.stop,
  }
}

/** Waits until another process than the killed one listens and answers. */
async function answers(url: string, isAnother: () => boolean): Promise<void> {
  for (let waitedMs = 0; waitedMs < restartMs; waitedMs += pollMs) {
    if (isAnother() && (await isHealthy(url))) return
    await pause(pollMs)
  }
  throw new Error(`${url} did not answer within ${restartMs} ms after the kill`)
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/v1/health`, { signal: AbortSignal.timeout(restartMs) })
    await response.arrayBuffer()
    return response.ok
  } catch {
    return false
  }
}
