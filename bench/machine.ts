import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os'

/** The machine and how busy it was, in a line: without it figures say nothing. */
export function machine(): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor'
  const memory = Math.round(totalmem() / 2 ** 30)
  return (
    `${availableParallelism()} x ${model}, ${memory} GiB, ${type()} ${release()}, Node ${process.version}; ` +
    `load average ${loadavg()[0]!.toFixed(1)} before the run`
  )
}
