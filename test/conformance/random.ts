import { randomUUID } from 'node:crypto'

/** A name nobody else has used: `prefix-` and twelve random hexadecimal digits. */
export function randomName(prefix: string): string {
  return `${prefix}-${randomUUID().replaceAll('-', '').slice(0, 12)}`
}

/** A seed for one run; tests name it in their messages, so that a failure can be repeated. */
export function randomSeed(): number {
  return Math.floor(Math.random() * 2 ** 32)
}

/** Seeded random numbers in [0, 1) (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A shuffled copy (Fisher-Yates), the same for the same seed. */
export function shuffled<T>(items: readonly T[], seed: number): T[] {
  const next = randomFrom(seed)
  const copy = [...items]
  for (let last = copy.length - 1; last > 0; last -= 1) {
    const other = Math.floor(next() * (last + 1))
    const held = copy[last]!
    copy[last] = copy[other]!
    copy[other] = held
  }
  return copy
}
