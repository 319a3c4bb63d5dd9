import { type Call, type Cost, createClient } from './client.ts'
import { processorSeconds } from './processor.ts'

/** What is put under load. `pids` are the processes that serve `url`; none where there is no /proc. */
export type Target = { url: string; pids(): number[] }

/** Does one unit of work through `call` and says how many events it moved; null if it found none, which is not timed. */
export type Step = (call: Call) => Promise<number | null>

/** What was measured of a stretch of load. */
export type Measured = {
  seconds: number
  requests: number
  events: number
  rowsRead: number
  rowsWritten: number
  /** Calls of objects. */
  objects: number
  /** What Cloudflare Queues would bill. */
  queueOperations: number
  /** How long each step took, and each of its requests. */
  stepMs: number[]
  requestMs: number[]
  /** Processor time of this process, which makes the load: near `seconds` it is what is measured. */
  clientSeconds: number
  /** Processor time of the server; NaN where it cannot be told. */
  serverSeconds: number
}

export function nothing(): Measured {
  const counts = { seconds: 0, requests: 0, events: 0, rowsRead: 0, rowsWritten: 0, objects: 0, queueOperations: 0 }
  return { ...counts, stepMs: [], requestMs: [], clientSeconds: 0, serverSeconds: 0 }
}

/** Runs work that fills in a measurement, and adds how long it took and what it took of processors. */
export async function timed(target: Target, work: (measured: Measured) => Promise<void>): Promise<Measured> {
  const measured = nothing()
  const pids = target.pids()
  const serverBefore = processorSeconds(pids)
  const startedAt = performance.now()
  const cpu = process.cpuUsage()
  await work(measured)
  const { user, system } = process.cpuUsage(cpu)
  measured.clientSeconds = (user + system) / 1e6
  measured.serverSeconds = processorSeconds(pids) - serverBefore
  measured.seconds = (performance.now() - startedAt) / 1_000
  return measured
}

/** Runs steps one after the other on each of so many connections, for so long; each at least once. */
export function runLoad(target: Target, connections: number, seconds: number, step: Step): Promise<Measured> {
  const client = createClient(target.url)
  return timed(target, async (measured) => {
    const call = measuring(client.call, measured)
    const endsAt = performance.now() + seconds * 1_000
    const connection = async () => {
      let now = performance.now()
      do {
        const events = await step(call)
        const after = performance.now()
        if (events !== null) {
          measured.events += events
          measured.stepMs.push(after - now)
        }
        now = after
      } while (now < endsAt)
    }
    await Promise.all(Array.from({ length: connections }, connection))
  }).finally(client.close)
}

/** Calls that leave what they took and cost in a measurement. */
export function measuring(call: Call, measured: Measured): Call {
  return async (...request) => {
    const startedAt = performance.now()
    const answer = await call(...request)
    measured.requestMs.push(performance.now() - startedAt)
    addCost(measured, answer.cost)
    return answer
  }
}

/** Adds a request and its cost. */
export function addCost(measured: Measured, { rowsRead, rowsWritten, objects }: Cost): void {
  measured.requests += 1
  measured.rowsRead += rowsRead
  measured.rowsWritten += rowsWritten
  measured.objects += objects
}

/** Several stretches as one. */
export function joined(stretches: readonly Measured[]): Measured {
  const sum = nothing()
  for (const { stepMs, requestMs, ...counts } of stretches) {
    for (const [name, count] of Object.entries(counts)) sum[name as keyof typeof counts] += count
    sum.stepMs = sum.stepMs.concat(stepMs)
    sum.requestMs = sum.requestMs.concat(requestMs)
  }
  return sum
}

/** The value that so many of a hundred are at or below. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN
}

export const median = (values: readonly number[]): number => percentile(values, 50)
