/** What an append of so many bytes of text may make a database longer by, at most: pages, ids and filters beside it. */
const growthOf = (bytes: number): number => 65_536 + 4 * bytes

/** How much longer a database may become. Its size takes a statement, which is not run while the answer is plain. */
export class Room {
  readonly #maxBytes: number
  readonly #size: () => number
  #freeBytes = 0
  /** What appends have written since the size was asked, at most. */
  #writtenBytes = 0

  constructor(maxBytes: number, size: () => number) {
    this.#maxBytes = maxBytes
    this.#size = size
  }

  /** How many bytes are free; 0 or less when it is full. */
  freeBytes(): number {
    this.#freeBytes = this.#maxBytes - this.#size()
    this.#writtenBytes = 0
    return this.#freeBytes
  }

  /** How many bytes are free for an append of so many, or were when it could not have mattered since. */
  freeBytesFor(bytes: number): number {
    this.#writtenBytes += growthOf(bytes)
    return this.#writtenBytes > this.#freeBytes / 2 ? this.freeBytes() : this.#freeBytes
  }
}
