/** Seeded random numbers. */
export type Random = {
  /** A number in [0, 1). */
  next(): number
  /** An integer from `least` to `most`, both included. */
  integer(least: number, most: number): number
  /** True with the given probability. */
  chance(probability: number): boolean
  /** Another source that follows from this one, for a task of its own: tasks that race do not disturb its numbers. */
  fork(): Random
}

/**
 * The seed of a run: that of the environment (`CRASH_SEED`), else a new one. It repeats every choice of a run (what is
 * sent, what is settled, after how many answers the runtime dies); how calls race is the machine's.
 */
export function seedOfRun(): number {
  return Number(process.env.CRASH_SEED ?? Math.floor(Math.random() * 2 ** 32))
}

/** Random numbers from a seed (mulberry32). */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    integer: (least, most) => least + Math.floor(next() * (most - least + 1)),
    chance: (probability) => next() < probability,
    fork: () => randomFrom(Math.floor(next() * 2 ** 32)),
  }
}
