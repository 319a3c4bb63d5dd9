import { measuring, runLoad, timed } from '../load.ts'
import type { Log } from '../log.ts'
import type { Lane, Scenario } from '../scenario.ts'
import type { World } from '../world.ts'

const small = 'small log'
const large = 'large log'
/** How many replays come before the one that is measured. */
const warmUps = 50

export const groupOperations: Scenario[] = [
  {
    name: 'replay',
    what: 'replay of all events of a log, all of them acked',
    lanes: async (world) => [
      await replayLane(world, small, await world.small()),
      await replayLane(world, large, await world.large()),
    ],
    goals: [
      { lane: large, metric: 'p50Ms', atMost: 2 },
      { lane: large, metric: 'rowsWrittenPerStep', atMost: 3 },
    ],
  },
  {
    name: 'lag',
    what: 'the lag of a group; of the large log, of one whose ledger is in fragments',
    lanes: async (world) => {
      const group = await (await world.small()).group()
      await world.call('POST', `${group}/fetch`, JSON.stringify({ limit: 100 }))
      return [lagLane(world, small, group), lagLane(world, large, (await world.fragmented()).group)]
    },
    goals: [{ lane: large, metric: 'p50Ms', against: small, atMost: 1.1 }],
  },
]

/** One replay a round: the group has to ack everything again before the next. */
async function replayLane(world: World, name: string, log: Log): Promise<Lane> {
  const group = await log.group()
  const tiny = await world.stream(1)
  const tinyGroup = await tiny.group()
  const body = JSON.stringify({ fromSequence: 0 })
  const prepare = async () => {
    await world.call('POST', `${group}/reset`, JSON.stringify({ confirm: true }))
    await log.consume(group)
    // Once a round does not warm code up: another group is replayed before, each time with something to replay.
    for (let n = 0; n < warmUps; n += 1) {
      await tiny.consume(tinyGroup)
      await world.call('POST', `${tinyGroup}/replay`, body)
    }
  }
  const run = () =>
    timed(world.rheo, async (measured) => {
      const startedAt = performance.now()
      await measuring(world.call, measured)('POST', `${group}/replay`, body)
      measured.stepMs.push(performance.now() - startedAt)
      measured.events = 1
    })
  return { name, isReference: false, connections: 1, prepare, run, isOnce: true }
}

function lagLane(world: World, name: string, group: string): Lane {
  const run = (seconds: number) =>
    runLoad(world.rheo, 1, seconds, async (call) => {
      await call('GET', `${group}/lag`)
      return 1
    })
  return { name, isReference: false, connections: 1, run }
}
