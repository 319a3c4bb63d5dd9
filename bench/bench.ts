// npm run bench: what the server does per second and what it costs in rows, beside a bare Worker and Durable Object.
import { startLocal } from '../scripts/local.ts'
import { createClient } from './client.ts'
import { joined, type Measured, runLoad } from './load.ts'
import { machine } from './machine.ts'
import { type Options, readOptions } from './options.ts'
import { startReference } from './reference.ts'
import { type Result, toResult, toTable } from './result.ts'
import type { Scenario } from './scenarios.ts'

/** The server and the reference take turns, so that a machine that slows down slows both. */
const rounds = 10
const warmUpSeconds = 0.4

const options = readOptions()
if (options === null) process.exitCode = 2
else await bench(options)

async function bench({ isJson, seconds, scenarios }: Options): Promise<void> {
  const ran = machine()
  const results: Result[] = []
  for (const scenario of scenarios) {
    process.stderr.write(`${scenario.name} at ${scenario.connections} …\n`)
    results.push(await measure(scenario, seconds))
  }
  const text = isJson ? JSON.stringify({ machine: ran, seconds, results }, null, 2) : `\n${toTable(results)}\n\n${ran}`
  process.stdout.write(`${text}\n`)
}

/** Measures one scenario and the reference under the same number of connections; both with a fresh store. */
async function measure({ name, connections, prepare, body }: Scenario, seconds: number): Promise<Result> {
  const [server, reference] = await Promise.all([startLocal({ directSockets: true }), startReference()])
  const setUp = createClient(server.url, 1)
  try {
    const step = await prepare(setUp.call, 'bench')
    const serve = (length: number) => runLoad(server, connections, length, step)
    const refer = (length: number) =>
      runLoad(reference, connections, length, async (call) => {
        await call('POST', '/', body)
        return 1
      })
    await serve(warmUpSeconds)
    await refer(warmUpSeconds)
    const served: Measured[] = []
    const referred: Measured[] = []
    for (let round = 0; round < rounds; round += 1) {
      served.push(await serve(seconds / rounds))
      referred.push(await refer(seconds / rounds))
    }
    const ratios = served.map((one, round) => requestRate(one) / requestRate(referred[round]!))
    return toResult({ name, connections }, joined(served), joined(referred), ratios)
  } finally {
    setUp.close()
    await Promise.all([server.stop(), reference.stop()])
  }
}

function requestRate({ requests, seconds }: Measured): number {
  return requests / seconds
}
