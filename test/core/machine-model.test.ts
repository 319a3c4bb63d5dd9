import { describe, it } from 'vitest'
import { compare, compareMs } from '../model/compare.ts'
import { machineProperties } from '../model/machine-properties.ts'

describe('the partition machine answers as the reference model does', { timeout: compareMs }, () => {
  for (const { name, steps, scripts, numRuns, play } of machineProperties) {
    it(name, () => compare(steps, scripts, play, { numRuns }))
  }
})
