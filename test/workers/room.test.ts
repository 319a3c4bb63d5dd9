import { describe, expect, it } from 'vitest'
import { Room } from '../../durable-objects/room.ts'

const MIB = 1_048_576

/** A database that grows by what is written, of which the size was asked so often. */
function database(maxBytes: number) {
  const state = { bytes: 0, asked: 0 }
  const room = new Room(maxBytes, () => {
    state.asked += 1
    return state.bytes
  })
  return { state, room }
}

describe('the room in a database', () => {
  it('is asked for seldom while there is plenty', () => {
    const { state, room } = database(8_000 * MIB)
    for (let n = 0; n < 10_000; n++) {
      room.freeBytesFor(1_000)
      state.bytes += 2_000
    }
    expect(state.asked).toBe(1)
  })

  it('never comes out as more than twice what there is, however the database fills', () => {
    const { state, room } = database(100 * MIB)
    while (state.bytes < 99 * MIB) {
      const free = room.freeBytesFor(100_000)
      expect(free).toBeLessThanOrEqual(2 * (100 * MIB - state.bytes))
      state.bytes += 400_000
    }
  })

  it('is asked for anew with each append that it may not be enough for, so that what was freed is found', () => {
    const { state, room } = database(MIB)
    state.bytes = MIB
    expect(room.freeBytesFor(1)).toBe(0)
    state.bytes = MIB - 100
    expect(room.freeBytesFor(1)).toBe(100)
    expect(state.asked).toBe(2)
  })

  it('is asked for anew when other commands have written much', () => {
    const { state, room } = database(8_000 * MIB)
    room.freeBytesFor(1)
    state.bytes = 7_999 * MIB
    room.wrote(1_000_000)
    expect(room.freeBytesFor(1)).toBe(MIB)
  })

  it('counts the append that it was asked for as well', () => {
    const { state, room } = database(10 * MIB)
    room.freeBytesFor(MIB)
    expect(state.asked).toBe(1)
    room.freeBytesFor(300_000)
    expect(state.asked).toBe(2)
  })

  it('is exact when it is asked for by itself', () => {
    const { state, room } = database(MIB)
    state.bytes = 1_000
    expect(room.freeBytes()).toBe(MIB - 1_000)
  })
})
