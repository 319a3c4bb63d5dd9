import { setTimeout as pause } from 'node:timers/promises'
import { startLocal } from '../../scripts/local.ts'

/** How long a killed runtime may take to answer again; 0.1 to 0.35 s is usual. */
const restartMs = 15_000
const pollMs = 10
/**
 * What is no complaint: what workerd says of itself (after a kill, that an alarm in an object's file is not the one it
 * noted), and at each start that the server runs open, as it is asked to here.
 */
const usual = /^(NOSENTRY |RHEO_AUTH is open)/

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
    if ((level === 'warn' || level === 'error') && !usual.test(message)) complaints.push(message)
  }
  const local = await startLocal(persistTo === undefined ? { onLog } : { onLog, persistTo })
  let pids = local.pids()
  if (pids.length === 0) throw new Error(`no process serves ${local.url}: kills need /proc, as Linux has it`)
  let rising = Promise.resolve()

  /** Waits until another process than the killed one listens and answers. */
  async function rise(): Promise<void> {
    for (let waitedMs = 0; waitedMs < restartMs; waitedMs += pollMs) {
      const others = local.pids().filter((pid) => !pids.includes(pid))
      if (others.length > 0 && (await isHealthy(local.url))) {
        pids = others
        return
      }
      await pause(pollMs)
    }
    throw new Error(`${local.url} did not answer within ${restartMs} ms after the kill`)
  }

  return {
    url: local.url,
    complaints,
    kill() {
      // The ids are known already: to look for them takes milliseconds, in which the runtime would answer what it has.
      for (const pid of pids) process.kill(pid, 'SIGKILL')
      rising = rise()
      // Whoever waits for it learns that it failed; that nobody may be waiting is no reason to end the process.
      rising.catch(() => undefined)
    },
    up: () => rising,
    stop: local.stop,
  }
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
