/** Terms as they come, in one typed array that grows. */
export class TermList {
  #room = new Uint32Array(1_024)
  length = 0

  add(terms: ArrayLike<number>): void {
    const length = this.length + terms.length
    if (length > this.#room.length) {
      const wider = new Uint32Array(2 * length)
      wider.set(this.all())
      this.#room = wider
    }
    this.#room.set(terms, this.length)
    this.length = length
  }

  /** All of them, until the next are added. */
  all(): Uint32Array {
    return this.#room.subarray(0, this.length)
  }
}
