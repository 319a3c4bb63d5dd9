import { scripts } from '../model/arbitrary.ts'
import { START_MS } from '../model/commands.ts'
import { compare, compareMs } from '../model/compare.ts'
import { checkScript } from '../model/driver.ts'
import { startClock, timed } from './clock.ts'
import { HttpDriver } from './model-driver.ts'
import { HttpPartitionsDriver } from './model-partitions-driver.ts'
import { checkPartitions, partitionsScripts } from './model-partitions-play.ts'
import { ModelRequests } from './model-requests.ts'
import { toTime } from './model-words.ts'
import { createStream } from './stream.ts'

const few = { numRuns: 10, batchMs: 60_000 }

timed(
  'S2 to S5 a stream with one partition answers as the reference model does',
  () =>
    compare(
      1_200,
      scripts(150, 'reopening'),
      async (script) => {
        const clock = startClock(toTime(START_MS))
        return checkScript(script, new HttpDriver(new ModelRequests(await createStream(1, { clock })), clock))
      },
      few,
    ),
  compareMs,
)

timed(
  'S2 to S5 a stream with three partitions answers as three reference models do',
  () =>
    compare(
      800,
      partitionsScripts(100, 3),
      async (script) => {
        const clock = startClock(toTime(START_MS))
        return checkPartitions(script, new HttpPartitionsDriver(await createStream(3, { clock }), clock, 3))
      },
      few,
    ),
  compareMs,
)
