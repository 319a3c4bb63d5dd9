import { describe, expect, test } from 'vitest'
import { errorOf } from '../../src/client/errors.ts'
import { EVERY_MS, listEveryMs, nextDelayMs } from '../../src/dashboard/poll/pace.ts'
import { isAway, type Polled, Poller } from '../../src/dashboard/poll/poller.ts'
import { VirtualClock } from '../client/virtual-clock.ts'

const away = (retryAfterMs: number | null = null) =>
  errorOf('backend_unavailable', { detail: 'no answer', data: {}, retryAfterMs })

/** A poller whose readings a test answers: `answer` is what the next ones give or throw. */
function polling(isStill = false) {
  const clock = new VirtualClock()
  const states: Polled<number>[] = []
  const world = { clock, states, reads: 0, answer: 1 as unknown, hold: undefined as Promise<void> | undefined }
  const poller = new Poller<number>(
    async (signal) => {
      world.reads++
      const { answer } = world
      await world.hold
      signal.throwIfAborted()
      if (answer instanceof Error) throw answer
      return answer as number
    },
    (state) => states.push(state),
    { isStill, clock },
  )
  return { world, poller }
}

describe('a poller', () => {
  test('reads at once, and every two seconds', async () => {
    const { world } = polling()
    await world.clock.settle()
    expect(world.reads).toBe(1)
    await world.clock.advance(EVERY_MS - 1)
    expect(world.reads).toBe(1)
    world.answer = 2
    await world.clock.advance(1)
    expect(world.states.map(({ data }) => data)).toEqual([1, 2])
  })

  test('keeps what it read while readings fail, says why and when it tries again, and recovers', async () => {
    const { world } = polling()
    await world.clock.settle()
    const takenAt = world.clock.now()
    world.answer = away()
    await world.clock.advance(EVERY_MS)
    const state = world.states.at(-1)!
    expect(state).toMatchObject({ data: 1, takenAt, error: { code: 'backend_unavailable' } })
    world.answer = 5
    await world.clock.advance(state.nextAt! - world.clock.now())
    expect(world.states.at(-1)).toEqual({ data: 5, takenAt: world.clock.now() })
  })

  test('tries ever less often, at least every half minute', async () => {
    const { world } = polling()
    world.answer = away()
    await world.clock.advance(10 * 60_000)
    const before = world.reads
    await world.clock.advance(60_000)
    expect(before).toBeLessThan(30)
    expect(world.reads - before).toBeGreaterThanOrEqual(2)
    expect(world.reads - before).toBeLessThanOrEqual(3)
  })

  test('waits as long as the server asks for', async () => {
    const { world } = polling()
    world.answer = away(20_000)
    await world.clock.advance(EVERY_MS)
    const { reads } = world
    await world.clock.advance(15_000)
    expect(world.reads).toBe(reads)
  })

  test('that holds still reads once, and nothing more until it goes on', async () => {
    const { world, poller } = polling(true)
    await world.clock.advance(60_000)
    expect(world.reads).toBe(1)
    poller.hold(false)
    await world.clock.settle()
    expect(world.reads).toBe(2)
    poller.hold(true)
    await world.clock.advance(60_000)
    expect(world.reads).toBe(2)
  })

  test('has one reading at a time, and after what was asked meanwhile one more', async () => {
    const { world, poller } = polling()
    let release = (): void => undefined
    await world.clock.settle()
    world.hold = new Promise((resolve) => {
      release = resolve
    })
    void poller.refresh()
    void poller.refresh()
    void poller.refresh()
    await world.clock.settle()
    expect(world.reads).toBe(2)
    world.hold = undefined
    release()
    await world.clock.settle()
    expect(world.reads).toBe(3)
  })

  test('that was stopped tells nothing any more', async () => {
    const { world, poller } = polling()
    poller.stop()
    await world.clock.advance(60_000)
    expect(world.states).toEqual([])
    expect(world.clock.timers).toBe(0)
  })
})

test('a pause after failures doubles up to its bound, and has a random part', () => {
  expect([1, 2, 3, 4, 5, 9].map((failures) => nextDelayMs(failures, null, 1))).toEqual([
    2_000, 4_000, 8_000, 16_000, 30_000, 30_000,
  ])
  expect(nextDelayMs(1, null, 0)).toBe(1_500)
  expect(nextDelayMs(1, 5_000, 0)).toBe(5_000)
})

test('long lists are read less often', () => {
  expect([listEveryMs(50), listEveryMs(200)]).toEqual([EVERY_MS, 5 * EVERY_MS])
})

test('only what passes by itself counts as away', () => {
  expect(isAway(away())).toBe(true)
  expect(isAway(errorOf('stream_not_found', { detail: '', data: {} }))).toBe(false)
  expect(isAway(new Error('no answer'))).toBe(false)
})
