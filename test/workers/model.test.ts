import { describe, it } from 'vitest'
import { scripts } from '../model/arbitrary.ts'
import { compare, compareMs } from '../model/compare.ts'
import { checkScript, type Script } from '../model/driver.ts'
import { evictingBeforeEach } from '../model/wrap.ts'
import { playAlarmed, realScripts } from './alarmed-play.ts'
import { ObjectDriver } from './object-driver.ts'

const few = { numRuns: 10, batchMs: 60_000 }

describe('the object of a partition answers as the reference model does', { timeout: compareMs }, () => {
  it('S2 to S5, S9.2 with evictions, restarts and alarms on the way, in test time', () =>
    compare(3_000, scripts(150, 'restarting'), async (script) => checkScript(script, await ObjectDriver.open()), few))

  it('S4.3 the same with an eviction before every call', () => {
    const play = async (script: Script) => checkScript(script, evictingBeforeEach(await ObjectDriver.open()))
    return compare(150, scripts(60, 'reopening'), play, few)
  })
})

describe('the object of a partition on the clock of the machine', { timeout: compareMs }, () => {
  it('S4.3, S4.4 alarms alone end leases and delays, over evictions; nothing is lost and nothing acked returns', () =>
    compare(150, realScripts, playAlarmed, few))
})
