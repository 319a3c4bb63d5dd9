import { describe, expect, it } from 'vitest'
import { phash2, phash2Bytes } from '../../src/core/phash2.ts'
import vectors from '../data/phash2-vectors.json' with { type: 'json' }

describe('S2.2 phash2 equals erlang:phash2/2', () => {
  it('hashes every key of the Erlang vectors to the same 32 bits', () => {
    for (const { key, hash32 } of vectors) expect(phash2Bytes(new TextEncoder().encode(key)), key).toBe(hash32)
  })

  it('puts every key of the Erlang vectors into its partition, for every partition count', () => {
    for (const { key, partitions } of vectors) {
      for (const [count, partition] of Object.entries(partitions)) {
        expect(phash2(key, Number(count)), `${key} of ${count}`).toBe(partition)
      }
    }
  })
})
