import { describe, expect, it } from 'vitest'
import { phash2 } from '../../src/core/phash2.ts'
import { route } from '../../src/core/route.ts'

describe('S2.2 routing', () => {
  it('an explicit partition wins over the key', () => {
    for (const partition of [0, 3])
      expect(route({ partition, key: 'k' }, 4, '')).toEqual({ ok: true, value: partition })
  })

  it('a key goes where phash2 says, and the empty text is a key', () => {
    for (const key of ['', 'k', '17', 'ключ', '\u{1f600}']) {
      expect(route({ partition: null, key }, 7, '')).toEqual({ ok: true, value: phash2(key, 7) })
    }
    expect(phash2('', 7)).not.toBe(0)
  })

  it('neither partition nor key is partition 0', () => {
    expect(route({ partition: null, key: null }, 7, '')).toEqual({ ok: true, value: 0 })
  })

  it.each([-1, 4, 256, Number.MAX_SAFE_INTEGER])(
    'partition %d of four is invalid_partition, by the name of its field',
    (partition) => {
      const result = route({ partition, key: 'k' }, 4, 'events[2].')
      expect(result).toMatchObject({ ok: false, failure: { code: 'invalid_partition', partition, partitionCount: 4 } })
      expect(!result.ok && result.failure.detail).toContain('events[2].partition')
    },
  )
})
