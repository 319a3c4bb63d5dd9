import type { Measured } from './load.ts'
import { machine } from './machine.ts'
import type { Options } from './options.ts'
import { prices } from './prices.ts'
import type { Report } from './report.ts'
import { type Rounds, type ScenarioResult, toResult } from './result.ts'
import type { Lane, Scenario } from './scenario.ts'
import { short } from './table.ts'
import { startWorld, type World } from './world.ts'

/** The part of a lane's time that it runs before: code that has run a thousand times is faster than new code. */
const warmUp = 1 / 3

/** Runs scenarios one after the other; says on the way what it does. */
export async function run(options: Options): Promise<Report> {
  const { rounds, seconds, sizes, scenarios } = options
  const report = { machine: machine(), at: new Date().toISOString(), secondsPerLane: seconds, rounds, sizes, prices }
  const startedAt = performance.now()
  const tell = (text: string) => {
    const elapsed = Math.round((performance.now() - startedAt) / 1_000)
    process.stderr.write(`${String(elapsed).padStart(4)} s  ${text}\n`)
  }
  const world = await startWorld(sizes, tell)
  const results: ScenarioResult[] = []
  try {
    for (const [index, scenario] of scenarios.entries()) {
      tell(`${index + 1}/${scenarios.length} ${scenario.name}`)
      const measured = await measure(world, scenario, options)
      results.push(toResult(scenario, measured))
      for (const { lane, eventsPerSecond, p50Ms } of results.at(-1)!.lanes) {
        tell(`    ${lane}: ${short(eventsPerSecond)} events/s, p50 ${short(p50Ms)} ms`)
      }
    }
  } finally {
    await world.stop()
  }
  tell('done')
  return { ...report, results }
}

/** The lanes of a scenario in turns, every second time the other way round. */
async function measure(world: World, scenario: Scenario, { rounds, seconds }: Options): Promise<Rounds[]> {
  const lanes = await scenario.lanes(world)
  const found = new Map<Lane, Measured[]>(lanes.map((lane) => [lane, []]))
  for (const lane of lanes.filter(({ isOnce }) => !isOnce)) {
    await lane.prepare?.()
    await lane.run(warmUp * seconds)
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const lane of round % 2 === 0 ? lanes : lanes.toReversed()) {
      await lane.prepare?.()
      found.get(lane)!.push(await lane.run(seconds / rounds))
    }
  }
  return lanes.map((lane) => ({ lane, rounds: found.get(lane)! }))
}
