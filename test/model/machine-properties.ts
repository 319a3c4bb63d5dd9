import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type fc from 'fast-check'
import { scripts, wideScripts } from './arbitrary.ts'
import { checkScript, type Driver, type Script } from './driver.ts'
import { MachineDriver } from './machine-driver.ts'
import { evictingBeforeEach, withAlarm } from './wrap.ts'

/** A way to play random scripts on the partition machine, held against the reference model call by call. */
export interface MachineProperty {
  /** What holds, after "the partition machine answers as the reference model does". */
  readonly name: string
  /** Steps that a usual run compares. */
  readonly steps: number
  readonly scripts: fc.Arbitrary<Script>
  /** Scripts in a batch. */
  readonly numRuns: number
  /** Plays one script, throws at the first difference, and answers how many steps it compared. */
  play(script: Script): Promise<number>
}

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

async function withAlarms(script: Script): Promise<number> {
  const inTime = await inMemory(script, (driver) => withAlarm(driver, 0))
  return inTime + (await inMemory(script, (driver) => withAlarm(driver, 3)))
}

/** Every property of the machine: `npm test` runs each for its steps, `npm run model` for as many as it is told. */
export const machineProperties: readonly MachineProperty[] = [
  {
    name: 'S2, S3, S4 for every sequence of calls',
    steps: 60_000,
    scripts: scripts(250, 'forward'),
    numRuns: 50,
    play: (script) => inMemory(script),
  },
  {
    name: 'S5 with replay, reset, redrive and groups that go',
    steps: 20_000,
    scripts: scripts(250, 'reopening'),
    numRuns: 50,
    play: (script) => inMemory(script),
  },
  {
    name: 'S4.2, S4.11, S5.8 over thousands of events and of separate holes',
    steps: 250,
    scripts: wideScripts(40),
    numRuns: 10,
    play: (script) => inMemory(script),
  },
  {
    name: 'S4.2 the same whether or not the alarm has run, in time or late',
    steps: 6_000,
    scripts: scripts(200, 'reopening'),
    numRuns: 50,
    play: withAlarms,
  },
  {
    name: 'S4.3 the same with an eviction before every call',
    steps: 10_000,
    scripts: scripts(200, 'reopening'),
    numRuns: 50,
    play: (script) => inMemory(script, evictingBeforeEach),
  },
  {
    name: 'S8.8 the same when the store is closed and opened again on the way',
    steps: 4_000,
    scripts: scripts(150, 'restarting'),
    numRuns: 50,
    play: inFile,
  },
]
