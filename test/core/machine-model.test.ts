import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { scripts, wideScripts } from '../model/arbitrary.ts'
import { compare } from '../model/compare.ts'
import { checkScript, type Driver, type Script } from '../model/driver.ts'
import { MachineDriver } from '../model/machine-driver.ts'
import { evictingBeforeEach, withAlarm } from '../model/wrap.ts'

/** Plays one script on a machine in memory, which `wrap` may disturb. */
async function inMemory(script: Script, wrap: (driver: MachineDriver) => Driver = (driver) => driver): Promise<number> {
  const driver = new MachineDriver()
  try {
    return await checkScript(script, wrap(driver))
  } finally {
    driver.close()
  }
}

async function inFile(script: Script): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'rheo-model-'))
  const driver = new MachineDriver(join(directory, 'partition.sqlite'))
  try {
    return await checkScript(script, driver)
  } finally {
    driver.close()
    rmSync(directory, { recursive: true })
  }
}

describe('the partition machine answers as the reference model does', () => {
  it('S2, S3, S4 for every sequence of calls', () =>
    compare(60_000, scripts(250, 'forward'), (script) => inMemory(script)))

  it('S5 with replay, reset, redrive and groups that go', () =>
    compare(20_000, scripts(250, 'reopening'), (script) => inMemory(script)))

  it('S4.2, S4.11, S5.8 over thousands of events and of separate holes', () =>
    compare(250, wideScripts(40), (script) => inMemory(script), { numRuns: 10 }))

  it('S4.2 the same whether or not the alarm has run, in time or late', () =>
    compare(6_000, scripts(200, 'reopening'), async (script) => {
      const inTime = await inMemory(script, (driver) => withAlarm(driver, 0))
      return inTime + (await inMemory(script, (driver) => withAlarm(driver, 3)))
    }))

  it('S4.3 the same with an eviction before every call', () =>
    compare(10_000, scripts(200, 'reopening'), (script) => inMemory(script, evictingBeforeEach)))

  it('S8.8 the same when the store is closed and opened again on the way', () =>
    compare(4_000, scripts(150, 'restarting'), inFile))
})
