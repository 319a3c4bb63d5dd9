import { describe, expect, it } from 'vitest'
import type { Step } from '../model/commands.ts'
import { checkScript } from '../model/driver.ts'
import { MachineDriver } from '../model/machine-driver.ts'

const plainEvent = { id: null, position: null, timestamp: null, content: 1 }

/** Scripts on which the machine once differed from the reference model, as short as they could be made. */
const found: Record<string, readonly Step[]> = {
  'S4.6 a renewal without a length keeps the one that an earlier renewal in the same call was granted': [
    { do: 'appendMany', count: 1 },
    { do: 'createGroup', start: { kind: 'earliest' }, options: {} },
    { do: 'fetch', group: 0, limit: 1, leaseMs: null, consumer: null },
    {
      do: 'renew',
      group: 0,
      items: [
        { lease: { live: 0 }, receipt: null, leaseMs: 10 },
        { lease: { live: 0 }, receipt: null, leaseMs: null },
      ],
    },
  ],
  'S5.9 a generated id redrives nothing where the event has a chosen one': [
    { do: 'append', events: [{ id: 1, position: null, timestamp: null, content: 1 }], key: null, expected: null },
    { do: 'createGroup', start: { kind: 'earliest' }, options: {} },
    { do: 'fetch', group: 0, limit: 1, leaseMs: null, consumer: null },
    { do: 'settleEvery', group: 0, stride: 1, backwards: false, outcome: 'reject', reason: null, delayMs: null },
    { do: 'redrive', group: 0, events: [{ position: 0 }, { position: -1 }] },
    { do: 'redrive', group: 0, events: [{ id: 1 }] },
  ],
  'S2.7 an event of a producer whose clock is an hour behind hides no younger idempotency key after an eviction': [
    { do: 'append', events: [plainEvent], key: 0, expected: null },
    { do: 'appends', requests: [{ events: [plainEvent], key: null, expected: null, agoMs: 3_600_000 }] },
    { do: 'evict' },
    { do: 'advance', ms: 1_000 },
    { do: 'appendAgain', append: 0 },
  ],
}

describe('what random scripts have found', () => {
  it.each(Object.entries(found))('%s', async (_, steps) => {
    const driver = new MachineDriver()
    expect(await checkScript({ steps, lookEvery: 1 }, driver)).toBe(steps.length)
    driver.close()
  })
})
