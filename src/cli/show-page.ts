import type { Io } from './io.ts'

/** Says on stderr that there is more, and how to get it. */
export function tellMore(io: Io, next: string | number | null): void {
  if (next !== null) io.err(`There is more: --after ${next}\n`)
}
