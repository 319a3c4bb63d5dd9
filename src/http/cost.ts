import type { Cost } from '../core/backend.ts'

/** Sums what the storage counted over every object call of one request. */
export class CostMeter {
  rowsRead = 0
  rowsWritten = 0
  /** Partitions that a catalog called on behalf of the request. */
  #behindCatalog = 0
  readonly #objects = new Set<string>()

  /** An object is being called; the call counts it even when no answer comes. */
  touch(object: string): void {
    this.#objects.add(object)
  }

  add(cost: Cost, behindCatalog = 0): void {
    this.rowsRead += cost.rowsRead
    this.rowsWritten += cost.rowsWritten
    this.#behindCatalog += behindCatalog
  }

  get objects(): number {
    return this.#objects.size + this.#behindCatalog
  }

  /** The value of `Rheo-Cost`. */
  toString(): string {
    return `rows-read=${this.rowsRead}, rows-written=${this.rowsWritten}, objects=${this.objects}`
  }
}
