import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { catalogName, partitionName } from '../../src/core/object-name.ts'
import type { Address } from '../../src/core/partition/commands.ts'

const alike: Address = { tenant: 'a', stream: 'b', uid: 'c', partition: 1 }

describe('S8.16 object names', () => {
  it('differ for addresses whose parts only look alike when they are put together', () => {
    const addresses: Address[] = [
      alike,
      { ...alike, tenant: 'a.b', stream: 'c' },
      { ...alike, tenant: 'a', stream: 'b.c' },
      { ...alike, tenant: 'a-b', stream: '' },
      { ...alike, tenant: '', stream: 'a-b' },
      { ...alike, tenant: 'A' },
      { ...alike, uid: 'c1', partition: 1 },
      { ...alike, uid: 'c', partition: 11 },
      { ...alike, uid: 'c,1', partition: 1 },
      { ...alike, tenant: 'a","b', stream: 'c' },
      { ...alike, tenant: 'a', stream: '","b","c' },
      { ...alike, stream: 'é' },
      { ...alike, stream: 'e\u0301' },
    ]
    expect(new Set(addresses.map(partitionName)).size).toBe(addresses.length)
  })

  it('are injective over tenant, stream, uid and partition, whatever these hold', () => {
    // Few letters, those that a name could be cut at among them, so that parts collide when anything lets them.
    const text = fc.string({
      unit: fc.constantFrom('a', 'A', '"', ',', '[', ']', '\\', '/', '.', '1', '\u0000'),
      maxLength: 4,
    })
    const address = fc.record({ tenant: text, stream: text, uid: text, partition: fc.nat({ max: 255 }) })
    fc.assert(
      fc.property(address, address, (a, b) => {
        const isSame = a.tenant === b.tenant && a.stream === b.stream && a.uid === b.uid && a.partition === b.partition
        return (partitionName(a) === partitionName(b)) === isSame
      }),
      { numRuns: 20_000 },
    )
  })

  it('of catalogs are those of their tenants', () => {
    fc.assert(fc.property(fc.string(), fc.string(), (a, b) => (catalogName(a) === catalogName(b)) === (a === b)))
  })
})
