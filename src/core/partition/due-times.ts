import type { Range } from '../runs.ts'

/** A lease or a delay as it was written. Since then it may have been cut, prolonged or settled: only its row knows. */
export interface Due extends Range {
  /** The number of its group in this partition. */
  readonly group: number
  readonly dueMs: number
}

/** Times at which something ends, the earliest first: a binary heap. */
export class DueTimes {
  readonly #heap: Due[] = []

  get size(): number {
    return this.#heap.length
  }

  /** The earliest, if there is one. */
  get first(): Due | undefined {
    return this.#heap[0]
  }

  /** The earliest time behind `afterMs`; looks at all of them. */
  firstAfter(afterMs: number): number {
    return this.#heap.reduce((first, { dueMs }) => (dueMs > afterMs && dueMs < first ? dueMs : first), Infinity)
  }

  push(due: Due): void {
    const heap = this.#heap
    let at = heap.length
    heap.push(due)
    while (at > 0) {
      const parent = (at - 1) >>> 1
      if (heap[parent]!.dueMs <= due.dueMs) break
      heap[at] = heap[parent]!
      at = parent
    }
    heap[at] = due
  }

  /** Takes the earliest out. */
  pop(): Due | undefined {
    const heap = this.#heap
    const first = heap[0]
    const last = heap.pop()
    if (last === undefined || heap.length === 0) return first
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && heap[child + 1]!.dueMs < heap[child]!.dueMs) child += 1
      if (last.dueMs <= heap[child]!.dueMs) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = last
    return first
  }
}
