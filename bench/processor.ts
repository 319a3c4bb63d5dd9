import { readFileSync } from 'node:fs'

/** Linux counts processor time in hundredths of a second, whatever its own clock. */
const ticksPerSecond = 100

/**
 * Processor time that processes have taken so far, in seconds; NaN where there is no /proc. It depends less than time on
 * the clock on what else the machine does.
 */
export function processorSeconds(pids: readonly number[]): number {
  if (pids.length === 0) return Number.NaN
  return pids.reduce((sum, pid) => sum + ticksOf(pid), 0) / ticksPerSecond
}

/** User and system time, counted from the last parenthesis: the name before it may hold spaces. */
function ticksOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return Number(fields[11]) + Number(fields[12])
}
