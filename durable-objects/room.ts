/** What an append of so many characters makes a database longer by, generously: pages, ids and filters beside it. */
const growthOf = (characters: number): number => 65_536 + 4 * characters
/** And a row that a command writes: two pages. */
const ROW_BYTES = 8_192

/** How much longer a database may become. Its size takes a statement, which is not run while the answer is plain. */
export class Room {
  readonly #maxBytes: number
  readonly #size: () => number
  #freeBytes = 0
  /** What was written since the size was asked, about. */
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

  /** Is told of rows that were written. */
  wrote(rows: number): void {
    this.#writtenBytes += ROW_BYTES * rows
  }

  /** How many bytes are free for an append of so many characters, or were when it could not have mattered since. */
  freeBytesFor(characters: number): number {
    const growth = growthOf(characters)
    if (this.#writtenBytes + growth > this.#freeBytes / 2) this.freeBytes()
    this.#writtenBytes += growth
    return this.#freeBytes
  }
}
