import { type Answer, type Call, createClient } from './client.ts'
import { processorSeconds } from './processor.ts'

/** Does one unit of work through `call` and says how many events it moved; null if it found none, which is not timed. */
export type Step = (call: Call) => Promise<number | null>

/** What was measured of a stretch of load. */
export type Measured = {
  seconds: number
  requests: number
  events: number
  rowsRead: number
  rowsWritten: number
  /** How long each step took. */
  latenciesMs: number[]
  /** Processor time of this process, which makes the load: near `seconds` it is what is measured. */
  clientSeconds: number
  /** Processor time of the server; NaN where it cannot be told. */
  serverSeconds: number
}

/** What is put under load. */
export type Target = { url: string; pids(): number[] }

/** Runs steps one after the other on each of so many connections, for so long. */
export async function runLoad(target: Target, connections: number, seconds: number, step: Step): Promise<Measured> {
  const client = createClient(target.url, connections)
  const pids = target.pids()
  const measured = nothing()
  const call: Call = async (...request): Promise<Answer> => {
    const answer = await client.call(...request)
    measured.requests += 1
    measured.rowsRead += answer.rowsRead
    measured.rowsWritten += answer.rowsWritten
    return answer
  }
  const serverBefore = processorSeconds(pids)
  const startedAt = performance.now()
  const cpu = process.cpuUsage()
  const endsAt = startedAt + seconds * 1_000
  const connection = async () => {
    for (let now = performance.now(); now < endsAt; ) {
      const events = await step(call)
      const after = performance.now()
      if (events !== null) {
        measured.events += events
        measured.latenciesMs.push(after - now)
      }
      now = after
    }
  }
  try {
    await Promise.all(Array.from({ length: connections }, connection))
  } finally {
    client.close()
  }
  const { user, system } = process.cpuUsage(cpu)
  measured.clientSeconds = (user + system) / 1e6
  measured.serverSeconds = processorSeconds(pids) - serverBefore
  measured.seconds = (performance.now() - startedAt) / 1_000
  return measured
}

/** Several stretches as one. */
export function joined(stretches: readonly Measured[]): Measured {
  const sum = nothing()
  for (const { latenciesMs, ...counts } of stretches) {
    for (const [name, count] of Object.entries(counts)) sum[name as keyof typeof counts] += count
    sum.latenciesMs = sum.latenciesMs.concat(latenciesMs)
  }
  return sum
}

/** The value that so many of a hundred are at or below. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN
}

function nothing(): Measured {
  return {
    seconds: 0,
    requests: 0,
    events: 0,
    rowsRead: 0,
    rowsWritten: 0,
    latenciesMs: [],
    clientSeconds: 0,
    serverSeconds: 0,
  }
}
