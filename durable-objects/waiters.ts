import type { Woken } from '../src/core/backend.ts'
import { limits } from '../src/core/limits.ts'
import type { Address } from '../src/core/partition/commands.ts'

/** What a waiting fetch asks of a partition. */
export interface WaitRequest {
  readonly address: Address
  readonly group: string
  readonly waitMs: number
  readonly testNowMs: number | null
}

type Wake = (woken: Woken) => void

/** Fetches that wait for work. They hold no lease: a woken one fetches again (S3.6). */
export class Waiters {
  readonly #groups = new Map<string, Set<Wake>>()
  #count = 0

  /** The groups that somebody waits for. */
  get groups(): string[] {
    return [...this.#groups.keys()]
  }

  /** Waits until the group is woken, `waitMs` are over, or the caller is gone. */
  wait(group: string, waitMs: number, signal: AbortSignal): Promise<Woken> {
    // An aborted signal says so no more: its listener would never be called.
    if (signal.aborted) return Promise.resolve('timeout')
    if (this.#count >= limits.waitersPerPartition) return Promise.resolve('full')
    return new Promise((resolve) => {
      const leave: Wake = (woken) => {
        clearTimeout(timer)
        signal.removeEventListener('abort', gone)
        const waiting = this.#groups.get(group)!
        waiting.delete(leave)
        if (waiting.size === 0) this.#groups.delete(group)
        this.#count -= 1
        resolve(woken)
      }
      const gone = () => leave('timeout')
      const timer = setTimeout(gone, waitMs)
      signal.addEventListener('abort', gone)
      const waiting = this.#groups.get(group) ?? new Set()
      this.#groups.set(group, waiting.add(leave))
      this.#count += 1
    })
  }

  /** Wakes all that wait for the group. */
  wake(group: string): void {
    for (const leave of [...(this.#groups.get(group) ?? [])]) leave('work')
  }
}
