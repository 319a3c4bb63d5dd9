/** A map of bounded size that forgets what was used longest ago. */
export class Lru<V> {
  readonly #bound: number
  /** In the order of use: a Map keeps the order of insertion. */
  readonly #entries = new Map<string, V>()

  constructor(bound: number) {
    this.#bound = bound
  }

  get(key: string): V | undefined {
    const value = this.#entries.get(key)
    if (value === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, value)
    return value
  }

  set(key: string, value: V): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    if (this.#entries.size > this.#bound) this.#entries.delete(this.#entries.keys().next().value!)
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }
}
