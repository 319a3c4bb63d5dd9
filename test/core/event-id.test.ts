import { describe, expect, it } from 'vitest'
import { generateEventId, parseEventId } from '../../src/core/event-id.ts'

describe('S2.6 generated event ids', () => {
  it('hold uid, partition and sequence', () => {
    for (const sequence of [1, 10, Number.MAX_SAFE_INTEGER]) {
      const id = generateEventId('7h3q', 255, sequence)
      expect(parseEventId(id, '7h3q')).toEqual({ partition: 255, sequence })
    }
  })

  it('of another stream, or of its predecessor of the same name, are chosen ids like any other', () => {
    expect(parseEventId(generateEventId('7h3q', 0, 1), '7h3')).toBe(null)
    expect(parseEventId(generateEventId('7h3q', 0, 1), '7h3r')).toBe(null)
  })

  it.each([
    '',
    'evt_',
    'evt_u_0',
    'evt_u_0_0',
    'evt_u_0_01',
    'evt_u_00_1',
    'evt_u_-1_1',
    'evt_u_0_1 ',
    'evt_u_0_1\n',
    ' evt_u_0_1',
    'EVT_u_0_1',
    'evt_u_0_1.0',
    'evt_u_0_1e1',
    'evt_u_1000_1',
  ])('no other text has the reserved form: %j', (text) => {
    expect(parseEventId(text, 'u')).toBe(null)
  })
})
